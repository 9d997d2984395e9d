// controls.mjs: what do the controls above the panes show and offer?
import { greys, hits, ramp } from "./colours.mjs";
import { grouped, human, parseRange } from "./numbers.mjs";
import { nameOf } from "./pattern.mjs";

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

const shortKind = (kind) => kind === "cpu" ? "CPU" : kind;

// "CPU time", "allocated (bytes)", "samples": a kind of values with its unit.
function kindLabel(kind, unit) {
	if (unit === "ns")
		return shortKind(kind) + " time";
	return unit === "count" ? kind : kind + " (" + unit + ")";
}

// Values by name, [name, label, short label]; where two events have one of the same name, the event's name tells them apart.
function kindsOf(about) {
	const streams = about.streams || [], names = streams.map((each) => each.kind);
	const kinds = new Map();
	for (const {kind, event, unit} of streams) {
		const alone = names.indexOf(kind) === names.lastIndexOf(kind);
		const name = alone || !event ? kind : event;
		const shown = event && event !== name && unit !== "ns" ? name + " (" + event + ")" : kindLabel(name, unit);
		kinds.set(name, [shown, shortKind(kind)]);
	}
	const [first, ...others] = [...kinds].map(([name, texts]) => [name, ...texts]);
	return first ? [["", ...first.slice(1)], ...others] : [["", "all", ""]];
}

// Natural order: "worker 9" before "Worker 10". Creating an Intl.Collator takes longer than all of this.
const orderOf = (text) => text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(20, "0"));

function threadsOf(about) {
	const threads = (about.thread_list || []).map(({tid, name, process}) => {
		const text = (name || process || "thread") + " " + tid;
		return {choice: [String(tid), text], order: orderOf(text)};
	});
	threads.sort((a, b) => a.order < b.order ? -1 : Number(a.order > b.order));
	return [["", "all threads"], ...threads.map(({choice}) => choice)];
}

// Cached per profile: the lists may be long, and are needed on every move of a drag.
let offers = {about: null, kinds: [], threads: []};

function offersOf(about) {
	if (offers.about !== about)
		offers = {about, kinds: kindsOf(about), threads: threadsOf(about)};
	return offers;
}

// What values are shown, as a word beside a number: "4.67 s CPU". kind: the state's.
export function valueName(about, kind) {
	const [, , short] = offersOf(about || {}).kinds.find(([each]) => each === kind) || ["", "", kind];
	return short;
}

// The name of a profile on the page: its file name, if that is unique.
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

// A duration in ns as the option takes it: "10ms", "1s", "5m".
function widthText(ns) {
	const [size, unit] = [[6e10, "m"], [1e9, "s"], [1e6, "ms"]].find(([each]) => ns % each === 0) || [1, "ns"];
	return ns / size + unit;
}

// column: how long one of the map lasts, in ns; 0: there is no map. widths: those to choose from.
export function showMapControls(state, about, column, widths) {
	const auto = column ? widthText(column) : "", choices = widths.map((ns) => [widthText(ns), widthText(ns)]);
	const lanes = [["thread", "threads", about.thread_list], ["cpu", "CPUs", about.cpu_list]]
		.filter(([, , list]) => list && list.length > 1).map(([by, text]) => [by, text]);
	fillSelect(byId("column"), [["", state.column || !auto ? "auto" : "auto (" + auto + ")"], ...choices], state.column);
	fillSelect(byId("rows"), [...["10", "25", "49", "50", "99", "100"].map((n) => [n, n]), ...lanes],
		state.rows);
	byId("scale").value = state.scale;
}

function putField(field, text) {
	if (document.activeElement !== field || !field.dataset.typed)
		field.value = text;
}

// Both ends as in the state, valid or not.
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

// searched: matches have a colour scale of their own, above that of the rest.
export function showLegend(dark, searched, most, unit) {
	const context = byId("legend").querySelector("canvas").getContext("2d");
	(searched ? [hits, greys] : [ramp, ramp]).forEach((colours, y) =>
		context.putImageData(new ImageData(colours(dark), 256, 1), 0, y));
	byId("most").textContent = human(most, unit);
	byId("legend").title = "Value of a cell: 0 to " + human(most, unit);
}

// What lanes of the flame chart can be, and what they are.
export function showLanes(about, lanes) {
	const choices = [["thread", "threads", about.thread_list], ["cpu", "CPUs", about.cpu_list], ["all", "all in one", [0]]]
		.filter(([, , list]) => list && list.length).map(([by, text]) => [by, text]);
	fillSelect(byId("lanes"), choices, lanes);
}

// ---- Graph ----

// Show the controls of the chosen main view. choose(view): called when the user picks one.
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
	byId("match-case").setAttribute("aria-pressed", String(!state.ignore));
	byId("search").setAttribute("aria-invalid", String(bad));
	if (byId("search").value !== state.search)
		byId("search").value = state.search;
}

// ---- Chips ----

// What an applied transform is called: "Removed: [unknown]", as in the frame menu. known: those of the server.
function chipText({name, argument}, known) {
	const {applied = name} = known.find((each) => each.name === name) || {};
	return {applied, subject: argument ? nameOf(argument) : ""};
}

// known: the transforms that the server has; remove(index): undo that transform.
export function showChips(transforms, known, remove) {
	const list = byId("chips"), same = JSON.stringify(transforms);
	if (list.dataset.shown === same)
		return;
	list.dataset.shown = same;
	list.replaceChildren(...transforms.map((transform, index) => {
		const {applied, subject} = chipText(transform, known);
		const item = document.createElement("li"), text = document.createElement("span");
		const strong = document.createElement("b"), button = document.createElement("button");
		strong.textContent = applied + (subject ? ":" : "");
		text.append(strong, subject ? " " + subject : "");
		text.title = text.textContent;
		button.type = "button";
		button.textContent = "\u00d7";
		button.setAttribute("aria-label", "Undo " + text.title);
		button.addEventListener("click", () => remove(index));
		item.append(text, button);
		return item;
	}));
}
