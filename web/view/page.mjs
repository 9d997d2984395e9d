// page.mjs: which panes are there, and how do they work together?
import { Actions } from "./actions.mjs";
import { askJson, counts } from "./ask.mjs";
import { seen } from "./canvas.mjs";
import { CompareBar } from "./comparebar.mjs";
import { byId, shortName, showChips, showGraphControls, showOffers, showViews } from "./controls.mjs";
import { listenToInput } from "./input.mjs";
import { grouped, human, isScaled, parseUnit, percent, unitName } from "./numbers.mjs";
import { exactly } from "./pattern.mjs";
import { commandOf, hasSides, isNormalised, skipped, timeKey } from "./query.mjs";
import { Search } from "./search.mjs";
import { follow } from "./served.mjs";
import { Session } from "./session.mjs";
import { TopTable } from "./table.mjs";
import { TimePane } from "./timepane.mjs";
import { VIEWS } from "./views.mjs";

class Page extends Session {
	constructor() {
		super();
		this.search = new Search();
		this.time = new TimePane(this);
		this.actions = new Actions(this);
		this.compare = new CompareBar(this);
		this.table = new TopTable(document.querySelector("#top table"), {
			sort: (sort) => this.go({sort}, "push"),
			mark: (row) => this.pick(row.function),
			menu: (row, x, y) => this.openFrameMenu({name: row.function, module: row.module}, x, y),
			ask: (skip) => askJson(skipped(this.shown.topFrom, skip)).then((part) => part.functions),
			fail: (error) => this.showError(error)
		});
		this.views = VIEWS.map((View) => new View(this));
	}

	viewOf(state) {
		return this.views.find((each) => each.name === state.view) || this.views[0];
	}

	view() {
		return this.viewOf(this.state);
	}

	// A view of one function shows the focused one, else the most expensive one.
	chooseView(view) {
		const {state, shown} = this, [first] = shown.top ? shown.top.functions : [];
		const chosen = view.ofFunction && (this.current() || state.function || (first && first.function));
		this.go(chosen ? {view: view.name, function: chosen} : {view: view.name}, "push");
	}

	chooseFunction(name, view = this.state.view) {
		this.go({view, function: name}, "push");
	}

	// The name of the focused function, or "".
	current() {
		return this.table.focused() || (this.isReady() && this.view().current()) || "";
	}

	command() {
		return commandOf(this.state, this.profileName(), this.shown.profiles, hasSides(this.shown.about || {}));
	}

	// A row of the table was chosen.
	pick(name) {
		if (this.view().ofFunction)
			this.chooseFunction(name);
		else
			this.go({search: this.isMarked(name) ? "" : exactly(name)}, "push");
	}

	// Is its answer on the screen?
	isReady() {
		return this.shown.view === this.view();
	}

	// ---- Showing ----

	onState() {
		const {state, shown} = this;
		showOffers(state, shown.profiles, shown.about);
		showViews(this.views, this.view(), (view) => this.chooseView(view));
		showGraphControls(state, Boolean(this.search.bad));
		showChips(state.transforms, shown.capabilities.transforms, (index) => this.undoTransform(index));
		this.time.show();
		this.compare.show();
		if (shown.top)
			this.table.mark((name) => this.isMarked(name));
		document.title = shortName(shown.profiles, this.profileName()) + " \u2013 Kiln";
	}

	onView() {
		const {top} = this.shown;
		this.view().show();
		this.compare.showSums(top);
		this.time.showSelected();
		this.showTable(top);
	}

	// One frame later: laying out the table takes longer than the flame graph, which comes first.
	async showTable(top) {
		const {sort} = this.shown, unit = parseUnit(top.unit), shares = isNormalised(this.state);
		await seen();
		if (top !== this.shown.top)
			return; // what has come since is shown
		this.table.show(top, unit, sort, (name) => this.isMarked(name), shares);
		byId("top-note").textContent = grouped(top.functions_count, {decimals: 0}) + (isScaled(unit) ? "" : ", in " + unitName(unit)) +
			(top.before_total === undefined ? "" : ", largest change first");
	}

	searchPattern() {
		this.search.set(this.state);
		return this.search.serverPattern;
	}

	onMap(answer) {
		this.time.take(answer);
	}

	onNoMap() {
		this.time.hide();
	}

	onWhole() {
		this.time.showSelected();
		if (this.isReady())
			this.view().show();
	}

	onOther() {
		for (const view of this.views)
			view.reset();
	}

	isMarked(name) {
		if (this.view().ofFunction)
			return name === this.state.function;
		return this.state.search !== "" && this.state.search === exactly(name);
	}

	isDragged() {
		return this.time.heatmap.isDragged();
	}

	// Show how much of the view matches the search: [part, whole, name] triples. more: small frames hide further
	// matches.
	matched(more, ...parts) {
		const {search, state} = this;
		byId("matched").textContent = search.bad ? "Invalid regular expression" : !state.search || !parts.length ? "" :
			(more ? "matched at least " : "matched ") + parts.map(([part, whole, what]) => percent(part, whole) + "%" +
				(what ? " of " + what : "")).join(", ");
		byId("matched").title = search.bad;
	}

	// A value with its unit, its percentage of the whole, and of the selection if that is less.
	sharesOf(value, unit) {
		const {whole, top} = this.shown, parts = [human(value, unit), percent(value, whole) + "% of all"];
		return top.total === whole ? parts : [...parts, percent(value, top.total) + "% of the selection"];
	}

	// Describe the box at the pointer; without a text, what the view has to say.
	describe(text) {
		const details = byId("details");
		details.textContent = text || (this.isReady() ? this.view().describe() : "");
		details.title = details.textContent;
	}

	// action: {text, act}, a button behind the text, or null.
	showStatus(text, wrong, action = null) {
		const status = byId("status");
		status.textContent = text;
		status.title = text;
		if (action) {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = action.text;
			button.addEventListener("click", action.act);
			status.append(" ", button);
		}
		status.classList.toggle("wrong", Boolean(wrong));
	}

	openFrameMenu(frame, x, y) {
		this.actions.openFrameMenu(frame, x, y);
	}

	// Cancel or clear one thing per key press.
	escape() {
		if (this.time.heatmap.cancel())
			return;
		const {state} = this, field = document.activeElement;
		if (field.matches("#from, #to, #search"))
			field.blur();
		if (field.matches("#heatmap, #from, #to") && state[timeKey(state)])
			this.time.clear();
		else if (field.id === "search" && state.search)
			this.go({search: ""}, "push");
		else if (this.view().escape())
			return;
		else if (state.search)
			this.go({search: ""}, "push");
		else if (state[timeKey(state)])
			this.time.clear();
	}

	themeChanged() {
		this.time.themeChanged();
		if (this.isReady())
			this.view().themeChanged();
	}
}

// For tests: the state of the page.
function onScreen(page) {
	const {top, whole, sort} = page.shown;
	return {
		waiting: page.waiting(), requests: counts.requests, aborted: counts.aborted, query: {...page.state}, whole,
		command: page.command(), heatmap: page.time.onScreen(),
		top: top && {total: top.total, before_total: top.before_total, sort, rows: top.functions.slice(0, 50).map((row) => ({...row}))},
		matched: byId("matched").textContent, details: byId("details").textContent,
		status: byId("status").textContent, ...page.view().onScreen()
	};
}

// For benchmarks: a cheap summary of the state.
function atAGlance(page) {
	const {map} = page.time.heatmap;
	return {query: page.state, waiting: page.waiting(), hasMap: Boolean(map && map.columns),
		hasPanes: Boolean(page.table.answer && map) && page.isReady(), matched: byId("matched").textContent};
}

document.addEventListener("DOMContentLoaded", () => {
	const page = new Page();
	window.kilnView = {state: () => onScreen(page), glance: () => atAGlance(page)};
	listenToInput(page);
	page.begin();
	follow(page);
});
