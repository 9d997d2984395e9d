// controls.mjs: what do the fields and lists above the panes say, and what do they offer?
import { greys, hits, ramp } from "./colours.mjs";
import { grouped, human, parseRange } from "./numbers.mjs";

export const byId = (id) => document.getElementById(id);

export function fillSelect(select, choices, value) {
	const known = choices.some(([each]) => each === value) ? choices : [...choices, [value, value]];
	const same = JSON.stringify(known);
	if (select.dataset.choices !== same) {
		select.dataset.choices = same;
		select.replaceChildren(...known.map(([each, text]) => new Option(text, each)));
	}
	select.value = value;
}

// ---- What a profile offers ----

// Values by name; where two events have one of the same name, the event's name tells them apart.
function kindsOf(about) {
	const streams = about.streams || [], names = streams.map((each) => each.kind);
	const kinds = new Map();
	for (const {kind, event, unit} of streams) {
		const alone = names.indexOf(kind) === names.lastIndexOf(kind);
		const name = alone || !event ? kind : event;
		const told = event && event !== name ? " (" + event + ")" : "";
		kinds.set(name, name + (told || (unit === "count" ? "" : " in " + unit)));
	}
	const [first, ...others] = kinds;
	return first ? [["", first[1]], ...others] : [["", "all"]];
}

// So that "worker 9" is before "Worker 10". A collator of the browser takes longer to make than all else here.
const orderOf = (text) => text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(20, "0"));

function threadsOf(about) {
	const threads = (about.thread_list || []).map(({tid, name, process}) => {
		const text = (name || process || "thread") + " " + tid;
		return {choice: [String(tid), text], order: orderOf(text)};
	});
	threads.sort((a, b) => a.order < b.order ? -1 : Number(a.order > b.order));
	return [["", "all threads"], ...threads.map(({choice}) => choice)];
}

// The same lists as long as it is the same profile: they may be long, and are looked at with each move of a drag.
let offers = {about: null, kinds: [], threads: []};

function offersOf(about) {
	if (offers.about !== about)
		offers = {about, kinds: kindsOf(about), threads: threadsOf(about)};
	return offers;
}

// What a profile is called on the page: its file's name, if no other one has the same.
export function shortName(profiles, name) {
	const last = (path) => path.slice(path.lastIndexOf("/") + 1);
	const alone = profiles.filter((each) => last(each.name) === last(name)).length < 2;
	return alone && last(name) || name;
}

export function showOffers(state, profiles, about) {
	const name = state.profile || profiles[0].name, {kinds, threads} = offersOf(about);
	byId("profile-label").hidden = profiles.length < 2;
	byId("name").hidden = profiles.length > 1;
	byId("name").textContent = shortName(profiles, name);
	fillSelect(byId("profile"), profiles.map((each) => [each.name, shortName(profiles, each.name)]), name);
	fillSelect(byId("kind"), kinds, state.kind);
	fillSelect(byId("thread"), threads, state.thread);
	byId("idle-label").hidden = !about.idle_samples && !state.idle;
	byId("idle").checked = state.idle;
	byId("idle-samples").textContent = "(" + grouped(about.idle_samples, {decimals: 0}) + ")";
}

// ---- Time ----

const COLUMNS = [["10ms", 1e7], ["20ms", 2e7], ["50ms", 5e7], ["100ms", 1e8], ["200ms", 2e8],
	["500ms", 5e8], ["1s", 1e9], ["2s", 2e9], ["5s", 5e9], ["10s", 1e10], ["30s", 3e10],
	["1m", 6e10], ["5m", 3e11]];

// column: how long one of the map lasts, in ns; 0: there is no map.
export function showMapControls(state, about, column) {
	const [auto] = COLUMNS.find(([, ns]) => ns === column) || [""];
	const lanes = [["thread", "threads", about.thread_list], ["cpu", "CPUs", about.cpu_list]]
		.filter(([, , list]) => list && list.length > 1).map(([by, text]) => [by, text]);
	fillSelect(byId("column"), [["", state.column || !auto ? "auto" : "auto (" + auto + ")"], ...COLUMNS.map(([text]) => [text, text])], state.column);
	fillSelect(byId("rows"), [...["10", "25", "49", "50", "99", "100"].map((n) => [n, n]), ...lanes],
		state.rows);
	byId("scale").value = state.scale;
}

function putField(field, text) {
	if (document.activeElement !== field || !field.dataset.typed)
		field.value = text;
}

// Both ends as they stand in the state, whatever is wrong with them.
export function showTime(time, first) {
	const dots = time.indexOf("..");
	putField(byId("from"), dots < 0 ? time : time.slice(0, dots));
	putField(byId("to"), dots < 0 ? "" : time.slice(dots + 2));
	const wrong = time !== "" && !parseRange(time, first);
	byId("from").setAttribute("aria-invalid", String(wrong));
	byId("to").setAttribute("aria-invalid", String(wrong));
	byId("all-time").hidden = !time;
}

export function typedTime() {
	const from = byId("from").value.trim(), to = byId("to").value.trim();
	return from || to ? from + ".." + to : "";
}

// searched: what matches has colours of its own, above those of the rest.
export function showLegend(dark, searched, most, unit) {
	const context = byId("legend").querySelector("canvas").getContext("2d");
	(searched ? [hits, greys] : [ramp, ramp]).forEach((colours, y) =>
		context.putImageData(new ImageData(colours(dark), 256, 1), 0, y));
	byId("most").textContent = human(most, unit) + " a cell";
}

// What a lane of the flame chart can be, and what it is.
export function showLanes(about, lanes) {
	const choices = [["thread", "threads", about.thread_list], ["cpu", "CPUs", about.cpu_list], ["all", "nothing", [0]]]
		.filter(([, , list]) => list && list.length).map(([by, text]) => [by, text]);
	fillSelect(byId("lanes"), choices, lanes);
}

// ---- Graph ----

// Which main view is there, with what only it needs. choose(view): another one.
export function showViews(views, chosen, choose) {
	for (const element of document.querySelectorAll("[data-view]"))
		element.hidden = !element.dataset.view.split(" ").includes(chosen.name);
	if (!byId("views").firstChild)
		byId("views").append(...views.map((view) => viewButton(view, choose)));
	views.forEach((view, i) => byId("views").children[i].setAttribute("aria-pressed", String(view === chosen)));
	byId("view-title").textContent = chosen.title;
}

function viewButton(view, choose) {
	const button = document.createElement("button");
	button.type = "button";
	button.textContent = view.title;
	button.addEventListener("click", () => choose(view));
	return button;
}

export function showGraphControls(state, bad) {
	for (const button of document.querySelectorAll("[data-shape]"))
		button.setAttribute("aria-pressed", String(button.dataset.shape === state.shape));
	byId("order").value = state.order;
	byId("ignore").setAttribute("aria-pressed", String(state.ignore));
	byId("search").setAttribute("aria-invalid", String(bad));
	if (byId("search").value !== state.search)
		byId("search").value = state.search;
}

// ---- Chips ----

// remove(index): take back that way of reshaping.
export function showChips(transforms, remove) {
	const list = byId("chips"), same = JSON.stringify(transforms);
	if (list.dataset.shown === same)
		return;
	list.dataset.shown = same;
	list.replaceChildren(...transforms.map(({name, argument}, index) => {
		const item = document.createElement("li"), text = document.createElement("span");
		const strong = document.createElement("b"), button = document.createElement("button");
		strong.textContent = name;
		text.append(strong, argument ? " " + argument : "");
		text.title = argument ? name + " " + argument : name;
		button.type = "button";
		button.textContent = "\u00d7";
		button.setAttribute("aria-label", "Remove " + text.title);
		button.addEventListener("click", () => remove(index));
		item.append(text, button);
		return item;
	}));
}
