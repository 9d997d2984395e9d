// session.mjs: what is shown, which answers does it need, and which have arrived?
//
// There is one state, the page's address. The requests for the main view, the table and the heat map follow from it;
// the screen shows the latest answers.
import { Latest, askColumns, askJson, counts, expect } from "./ask.mjs";
import { seen } from "./canvas.mjs";
import { setPalette } from "./colours.mjs";
import { mapAddress } from "./first.mjs";
import * as query from "./query.mjs";
import { PART } from "./table.mjs";

const GAP = 95; // minimum ms between two requests for the view, and between two for the heat map: ten a second of each

// Identifies the answers of a view. Views without a request have the same address.
const keyOf = ({view, viewFrom, topFrom}) => [view ? view.name : "", viewFrom, topFrom].join("\n");

// Subclasses have: viewOf(state), a main view (views.mjs); searchPattern(), in the server's syntax; showStatus(text, wrong,
// action); and handlers: onState() when the state has changed; onView(), onMap(answer), onNoMap() and onWhole() when answers
// have arrived; onOther() when the address has changed.
export class Session {
	constructor() {
		this.state = query.parseHash(location.hash);
		// What is on the screen, and the addresses that it came from.
		this.shown = {profiles: [], capabilities: {formats: [], transforms: [], column_widths: []}, about: null, aboutFrom: "", view: null, viewFrom: "", top: null,
			topFrom: "", sort: "", mapFrom: "", whole: 0, wholeFrom: ""};
		this.requested = {view: "", map: ""};
		this.aboutFrom = ""; // the address that `about` was requested from
		this.about = null; // the promise of its answer
		this.pendingMessage = ""; // shown with the next answer
		this.viewLatest = new Latest((request, signal) => this.askView(request, signal), GAP);
		this.mapLatest = new Latest((from, signal) => this.askMap(from, signal), GAP);
		window.addEventListener("popstate", () => {
			this.state = query.parseHash(location.hash);
			this.onOther();
			this.refresh(true);
		});
	}

	// ---- State ----

	// Update the history, which takes a browser some ms.
	remember(how) {
		const hash = query.hashOf(this.state);
		if (how && (how === "push" || hash !== location.hash))
			history[how + "State"](null, "", hash || location.pathname + location.search);
	}

	// Change the state. how: "push" for a new history entry, "replace", or "" for none. immediate: send requests at once.
	go(changes, how, immediate = true) {
		const next = {...this.state, ...changes};
		const treeOf = (state) => query.treeAddress({...state, open: ""});
		if (treeOf(next) !== treeOf(this.state))
			next.open = ""; // a node of the old tree
		if (query.treeAddress(next) !== query.treeAddress(this.state))
			next.zoom = 0; // until the tree has come, and the zoomed frame is found in it
		this.state = next;
		const shown = this.refresh(immediate); // sends the requests first: the history takes time
		this.remember(how);
		return shown;
	}

	reshape(name, argument) {
		this.go({transforms: [...this.state.transforms, {name, argument}]}, "push");
	}

	undoTransform(index) {
		this.go({transforms: this.state.transforms.filter((_, i) => i !== index)}, "push");
	}

	profileName() {
		return query.sideOf(this.state).profile || (this.shown.profiles[0] || {name: ""}).name;
	}

	// The time of the first sample on the samples' clock, ns.
	first() {
		return (this.shown.about || {}).first_ns || 0;
	}

	mapAddress() {
		return mapAddress(this.state, this.shown.about || {}, this.searchPattern());
	}

	// ---- Requests ----

	showError(error, signal) {
		if (!signal || !signal.aborted)
			this.showStatus(error.message, true, this.remedyFor(error));
	}

	// What the user can do about an error: {text, act}, or null.
	remedyFor({isLost, isMissing}) {
		if (isLost)
			return {text: "Retry", act: () => this.renew("")};
		return isMissing ? {text: "Back to profiles", act: () => location.assign("start")} : null;
	}

	async askView({view, viewFrom, topFrom, state}, signal) {
		const {shown} = this;
		try {
			const [answer, top] = await Promise.all([
				view === shown.view && viewFrom === shown.viewFrom ? null : view.ask(viewFrom, state, signal),
				topFrom === shown.topFrom ? shown.top : askJson(topFrom, signal)]);
			signal.throwIfAborted();
			if (answer)
				view.take(answer);
			Object.assign(shown, {view, viewFrom, top, topFrom, sort: state.sort});
			if (query.isWhole(state))
				Object.assign(shown, {whole: top.total, wholeFrom: query.wholeAddress(state)});
			this.showStatus(this.pendingMessage);
			this.pendingMessage = "";
			this.onView();
		} catch (error) {
			this.showError(error, signal);
		}
	}

	async askMap(mapFrom, signal) {
		try {
			const answer = await askColumns(mapFrom, signal);
			signal.throwIfAborted();
			this.shown.mapFrom = mapFrom;
			this.onMap(answer);
		} catch (error) {
			await this.askAbout().catch(() => {});
			if (this.mapAddress())
				this.showError(error, signal);
		}
	}

	askAbout() {
		const from = query.aboutAddress(this.state);
		if (from !== this.aboutFrom) {
			this.aboutFrom = from;
			this.about = this.takeAbout(from);
		}
		return this.about;
	}

	async takeAbout(from) {
		try {
			const about = await askJson(from);
			if (from === this.aboutFrom)
				Object.assign(this.shown, {about, aboutFrom: from});
		} catch (error) {
			this.aboutFrom = ""; // request it again
			throw error;
		}
	}

	async askWhole() {
		const wholeFrom = query.wholeAddress(this.state);
		if (wholeFrom === this.shown.wholeFrom || query.isWhole(this.state))
			return; // or it comes with the table
		this.shown.wholeFrom = wholeFrom;
		this.shown.whole = (await askJson(wholeFrom)).total;
		this.onWhole();
	}

	// Show the state. A newly chosen view must be laid out before its request is made.
	async refresh(immediate) {
		try {
			if (query.aboutAddress(this.state) !== this.aboutFrom || this.aboutFrom !== this.shown.aboutFrom)
				await this.askAbout();
		} catch (error) {
			return this.showError(error);
		}
		const isNew = this.viewOf(this.state) !== this.shown.view;
		if (isNew)
			this.onState();
		this.requestMissing(immediate);
		if (!isNew)
			this.onState();
	}

	// Request what the state needs and the screen lacks; show at once what needs no request.
	requestMissing(immediate) {
		const {state, requested, shown} = this, view = this.viewOf(state);
		const request = {view, state, viewFrom: view.address(state), topFrom: query.topAddress(state, PART)};
		const mapFrom = this.mapAddress();
		this.askWhole().catch((error) => this.showError(error));
		if (requested.view !== keyOf(request)) {
			requested.view = keyOf(request);
			this.viewLatest.submit(request, immediate);
		} else if (view === shown.view && shown.viewFrom === request.viewFrom) {
			view.show();
		}
		if (requested.map !== mapFrom) {
			requested.map = mapFrom;
			if (mapFrom)
				this.mapLatest.submit(mapFrom, immediate);
			else
				this.onNoMap();
		}
	}

	// The data has changed: request everything again, and show the message with the answer.
	renew(pendingMessage) {
		this.pendingMessage = pendingMessage;
		this.aboutFrom = "";
		Object.assign(this.shown, {aboutFrom: "", viewFrom: "", topFrom: "", mapFrom: "", wholeFrom: ""});
		this.requested = {view: "", map: ""};
		return this.refresh(true);
	}

	// A new file may not be in the list yet: after it was requested, it is.
	async listProfiles() {
		const {profile, before} = this.state;
		const [profiles] = await Promise.all([askJson("profiles"), this.askAbout()]);
		const known = (name) => !name || profiles.some((each) => each.name === name);
		return known(profile) && known(before) ? profiles : askJson("profiles");
	}

	// The heat map is first: it depends on no other answer.
	async begin() {
		const map = this.mapLatest.start(this.requested.map = this.mapAddress());
		try {
			[this.shown.profiles, this.shown.capabilities] = await Promise.all([this.listProfiles(), askJson("capabilities")]);
			setPalette(this.shown.capabilities.colours);
		} catch (error) {
			return this.showError(error);
		}
		await map;
		this.expectView();
		await seen();
		await this.refresh(true);
	}

	// Send the requests of refresh() early, while the map is painted.
	expectView() {
		const {state} = this, view = this.viewOf(state);
		if (view.isAskedEarly)
			[view.address(state), query.topAddress(state, PART)].forEach((address) => expect(address));
	}

	// The number of outstanding answers.
	waiting() {
		const {shown, requested} = this;
		return counts.waiting + (requested.view === keyOf(shown) ? 0 : 1);
	}
}
