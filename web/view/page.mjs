// page.mjs: what happens when something is chosen? From a change to the address, the server's answers and
// the panes.
import { Latest, askColumns, askJson, counts } from "./ask.mjs";
import { byId, columnFor, showChips, showGraphControls, shortName, showLegend, showMapControls, showOffers,
	showTime, typedTime } from "./controls.mjs";
import { Flame } from "./flame.mjs";
import { Heatmap, isDark } from "./heatmap.mjs";
import { listenToKeys } from "./keys.mjs";
import { Menu } from "./menu.mjs";
import { Mirror } from "./mirror.mjs";
import { duration, human, isScaled, parseRange, parseUnit, percent, seconds, unitName } from "./numbers.mjs";
import * as query from "./query.mjs";
import { TopTable } from "./table.mjs";
import { Tree, exactly, patternOf } from "./tree.mjs";

const TABLE_ROWS = 300;
const GAP = 200; // ms from one look to the next: two questions each, so ten a second

let state = query.parseHash(location.hash);
// Where the zoom is to be found in the tree that comes, which is not zoomed where it is not found; null:
// state.zoom is its number there.
let path = null;
let pattern = null, badPattern = false;
let found = null, foundIn = null; // which strings match, and of which tree
// What is on the screen, and the addresses that it came from.
const shown = {profiles: [], about: null, aboutFrom: "", tree: null, treeFrom: "", top: null, topFrom: "",
	mapFrom: "", whole: 0, wholeFrom: ""};
const wanted = {view: "", map: ""};

// ---- State ----

function remember(how) {
	if (how)
		history[how + "State"](null, "", query.hashOf(state) || location.pathname + location.search);
}

// Become the state with these changes. how: "push" when "back" is to undo it, "replace", or "" when it is
// not to be remembered. hurry: ask at once.
function go(changes, how, hurry = true) {
	const next = {...state, ...changes};
	if (query.treeAddress(next) !== query.treeAddress(state))
		next.zoom = 0; // until the tree has come, and `path` is found in it
	else if (changes.zoom !== undefined)
		path = shown.tree.pathOf(changes.zoom);
	state = next;
	remember(how);
	return refresh(hurry);
}

window.addEventListener("popstate", () => {
	state = query.parseHash(location.hash);
	path = null;
	refresh(true);
});

// ---- Asking ----

function say(text, wrong) {
	byId("status").textContent = text;
	byId("status").title = text;
	byId("status").classList.toggle("wrong", Boolean(wrong));
}

function complain(error, signal) {
	if (!signal || !signal.aborted)
		say(error.message, true);
}

const views = new Latest(async ({treeFrom, topFrom, byName, sort}, signal) => {
	try {
		const [tree, top] = await Promise.all([
			treeFrom === shown.treeFrom ? shown.tree :
				askColumns(treeFrom, signal).then((answer) => new Tree(answer, byName)),
			topFrom === shown.topFrom ? shown.top : askJson(topFrom, signal)]);
		signal.throwIfAborted();
		Object.assign(shown, {tree, treeFrom, top, topFrom, sort});
		say("");
		arrive();
	} catch (error) {
		complain(error, signal);
	}
}, GAP);

const maps = new Latest(async (mapFrom, signal) => {
	try {
		const answer = await askColumns(mapFrom, signal);
		signal.throwIfAborted();
		shown.mapFrom = mapFrom;
		heatmap.show(answer, shown.about.first_ns || 0);
		byId("time").hidden = !answer.header.columns_count;
		showLegend(isDark(), heatmap.map.most, parseUnit(answer.header.unit));
		showSelected();
	} catch (error) {
		complain(error, signal);
	}
}, GAP);

async function askAbout() {
	const aboutFrom = query.aboutAddress(state);
	if (aboutFrom === shown.aboutFrom)
		return;
	shown.about = await askJson(aboutFrom);
	shown.aboutFrom = aboutFrom;
}

async function askWhole() {
	const wholeFrom = query.wholeAddress(state);
	if (wholeFrom === shown.wholeFrom)
		return;
	shown.wholeFrom = wholeFrom;
	shown.whole = (await askJson(wholeFrom)).total;
	showSelected();
	describe(flame.hovered);
}

const autoColumn = () =>
	columnFor(shown.about, state.rows, document.documentElement.clientWidth);
const columnOf = () => state.column || autoColumn();

// Ask for what the state needs and the screen does not have; show at once what needs no answer.
async function refresh(hurry) {
	try {
		await askAbout();
	} catch (error) {
		return complain(error);
	}
	showState();
	const view = {treeFrom: query.treeAddress(state), topFrom: query.topAddress(state, TABLE_ROWS),
		byName: state.order === "name", sort: state.sort};
	const mapFrom = query.heatmapAddress(state, columnOf());
	askWhole().catch(complain);
	if (wanted.view !== view.treeFrom + "\n" + view.topFrom) {
		wanted.view = view.treeFrom + "\n" + view.topFrom;
		views.want(view, hurry);
	} else if (shown.treeFrom === view.treeFrom) {
		showTree();
	}
	if (wanted.map !== mapFrom) {
		wanted.map = mapFrom;
		maps.want(mapFrom, hurry);
	}
}

// ---- Showing ----

function showState() {
	const first = shown.about.first_ns || 0;
	search();
	showOffers(state, shown.profiles, shown.about);
	showMapControls(state, shown.about, autoColumn());
	showTime(state.time, first);
	showGraphControls(state, badPattern);
	showChips(state.transforms, removeTransform);
	heatmap.setScale(state.scale);
	heatmap.setRange(state.time ? parseRange(state.time, first) : null);
	document.title = shortName(shown.profiles, profileName()) + " \u2013 Kiln";
}

const profileName = () => state.profile || (shown.profiles[0] || {name: ""}).name;

let sought = ""; // what `pattern` was made of

function search() {
	if (sought === state.ignore + state.search)
		return;
	sought = state.ignore + state.search;
	foundIn = null;
	badPattern = false;
	try {
		pattern = patternOf(state.search, state.ignore);
	} catch (notAPattern) {
		pattern = null;
		badPattern = true;
	}
}

// A new tree has come: find the zoom in it.
function arrive() {
	const {tree} = shown;
	if (path) {
		state = {...state, zoom: tree.find(path)};
		if (!heatmap.isDragged())
			remember("replace");
	}
	showTree();
	table.show(shown.top, tree.unit, shown.sort, isMarked);
	byId("top-note").textContent = (shown.top.functions.length < TABLE_ROWS ?
		shown.top.functions.length : "the first " + TABLE_ROWS) +
		(isScaled(tree.unit) ? "" : ", in " + unitName(tree.unit));
	showSelected();
}

function showTree() {
	const {tree} = shown;
	if (!path) {
		state = {...state, zoom: Math.min(state.zoom, tree.count - 1)};
		path = tree.pathOf(state.zoom);
	}
	if (foundIn !== tree)
		found = tree.matches(pattern);
	foundIn = tree;
	flame.show({tree, found, zoom: state.zoom, icicle: state.shape === "icicle",
		byName: state.order === "name"});
	if (mirror.tree !== tree || !isBelow(mirror.node, state.zoom))
		mirror.show(tree, state.zoom);
	showGraphControls(state, badPattern);
	byId("matched").textContent = badPattern ? "not a regular expression" : !state.search ? "" :
		"matched " + percent(tree.matched(found, state.zoom), tree.total[state.zoom]) + "%";
	if (shown.top)
		table.mark(isMarked);
	describe(flame.hovered);
}

const isBelow = (node, top) => node >= top && node < shown.tree.end[top];
const isMarked = (name) => state.search !== "" && state.search === exactly(name);

function showSelected() {
	const {tree, about, whole} = shown;
	if (!tree)
		return;
	const range = state.time && heatmap.map && parseRange(state.time, about.first_ns || 0);
	const ends = range && heatmap.ends(range);
	const share = human(tree.total[0], tree.unit) + " (" + percent(tree.total[0], whole) + "% of all)";
	byId("selected").textContent = ends ?
		duration(ends.to - Math.max(ends.from, 0)) + " selected: " + share : share;
}

// ---- Details ----

function textOf(node) {
	const {tree, whole} = shown, value = tree.total[node];
	const parts = [human(value, tree.unit), percent(value, whole) + "% of all"];
	if (tree.total[0] !== whole)
		parts.push(percent(value, tree.total[0]) + "% of the selection");
	if (state.zoom && isBelow(node, state.zoom))
		parts.push(percent(value, tree.total[state.zoom]) + "% of the view");
	if (node)
		parts.push(percent(value, tree.total[tree.parent[node]]) + "% of its caller");
	const where = [tree.module(node), tree.kindName(node)].filter((each) => each && node);
	return tree.name(node) + (where.length ? " (" + where.join(", ") + ")" : "") + ": " +
		parts.join(" \u00b7 ");
}

// Of a node, or of where one is when it is -1.
function describe(node) {
	const at = node >= 0 ? node : mirror.hasFocus() ? mirror.node : state.zoom;
	byId("details").textContent = shown.tree ? textOf(at) : "";
	byId("details").title = byId("details").textContent;
}

function describeCell(cell) {
	if (!cell)
		return describe(-1);
	const unit = shown.tree ? shown.tree.unit : parseUnit("");
	byId("details").textContent = (cell.label ? cell.label + ", " : "") + seconds(cell.from || 0) + " s to " + seconds(cell.to) + " s: " +
		human(cell.value, unit) + " \u00b7 " + percent(cell.value, shown.whole) + "% of all";
}

// ---- Choosing a time ----

let keyed = -Infinity; // when the selection was last moved by keys (ms)

const timeOf = (range) => range ? (range.from === null ? "" : seconds(range.from)) + ".." +
	(range.to === null ? "" : seconds(range.to)) : "";

function selectTime(range, phase) {
	const now = performance.now(), more = now - keyed < 1000;
	if (phase === "key")
		keyed = now;
	const how = {drag: "", cancel: "", end: "push", key: more ? "replace" : "push"}[phase];
	go({time: timeOf(range)}, how, phase === "end" || phase === "cancel");
}

// Only that thread, or that CPU; the others that stand together are not one.
function chooseLane(label) {
	const [number] = /\d+$/.exec(label) || [];
	if (number && state.rows === "thread")
		go({thread: state.thread === number ? "" : number}, "push");
	else if (number)
		reshape("cpu", number);
}

function clearTime() {
	go({time: ""}, "push");
}

function typeTime(event) {
	delete event.target.dataset.typed;
	const time = typedTime();
	if (time !== state.time)
		go({time}, "push");
}

// ---- Zoom, search, reshape ----

function zoomTo(node) {
	go({zoom: node}, "push");
	if (!isBelow(mirror.node, node))
		mirror.show(shown.tree, node);
}

function walk(node) {
	if (node >= 0)
		mirror.focus(node);
}

function walkMatches(step) {
	const least = shown.tree.total[state.zoom] * 0.5 / byId("flame").clientWidth;
	walk(shown.tree.nextMatch(found, state.zoom, mirror.node, step, least));
}

function reshape(name, argument) {
	go({transforms: [...state.transforms, {name, argument}]}, "push");
}

function removeTransform(index) {
	go({transforms: state.transforms.filter((_, i) => i !== index)}, "push");
}

function markRow(row) {
	go({search: isMarked(row.function) ? "" : exactly(row.function)}, "push");
}

async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		say("copied: " + text);
	} catch (refused) {
		say(text);
	}
}

function openMenu(node, x, y) {
	const name = shown.tree.name(node), only = exactly(name);
	const of = (action, argument) => ({text: action[1], act: () => reshape(action[0], argument)});
	const own = node ? [
		{text: "Zoom to " + name, act: () => zoomTo(node)},
		{text: "Search for it", act: () => go({search: only}, "push")},
		{text: "Copy its name", act: () => copy(name)},
		null,
		of(["focus", "Focus: make it the root"], only),
		of(["drop", "Drop it: its callees move to its caller"], only),
		of(["include", "Include: only stacks with it"], only),
		of(["exclude", "Exclude: without stacks that have it"], only),
		null
	] : [];
	menu.open(name, [...own, of(["reverse", "Reverse all: leaves first"], null),
		of(["collapse-recursion", "Collapse recursion everywhere"], null)], x, y);
}

// What is shown, as a file.
const FORMATS = [["svg", ".svg", "Flame graph (SVG)"], ["folded", ".folded", "Folded stacks"],
	["pprof", ".pb.gz", "pprof"], ["speedscope", ".speedscope.json", "Speedscope"],
	["firefox", ".firefox.json", "Firefox Profiler"], ["csv", ".csv", "A row for every sample (CSV)"]];

function save(format, suffix) {
	const link = document.createElement("a");
	link.href = query.exportAddress(state, format);
	link.download = shortName(shown.profiles, profileName()).replace(/\.\w+$/, "") + suffix;
	link.click();
}

function openSaveMenu(event) {
	const place = event.target.getBoundingClientRect();
	menu.open("Save as", FORMATS.map(([format, suffix, text]) =>
		({text, act: () => save(format, suffix)})), place.x, place.bottom + 2);
}

function menuAtFocus() {
	const at = flame.placeOf(mirror.node);
	if (at)
		openMenu(mirror.node, at.x + Math.min(at.width / 2, 40), at.y + at.height);
}

// ---- Esc ----

// One thing at a time, what came last first.
function escape() {
	if (heatmap.cancel())
		return;
	const field = document.activeElement;
	if (field.matches("#from, #to, #search"))
		field.blur();
	if (field.matches("#heatmap, #from, #to") && state.time)
		clearTime();
	else if (field.id === "search" && state.search)
		go({search: ""}, "push");
	else if (state.zoom)
		zoomTo(0);
	else if (state.search)
		go({search: ""}, "push");
	else if (state.time)
		clearTime();
}

// ---- The panes ----

const heatmap = new Heatmap(byId("heatmap"), {select: selectTime, point: describeCell,
	lane: chooseLane});
const flame = new Flame(byId("flame"), {point: describe, zoom: clickFrame, menu: openMenu});
const mirror = new Mirror(byId("mirror"), {
	describe: textOf,
	zoom: zoomTo,
	menu: menuAtFocus,
	focus: (node) => {
		flame.focus(node);
		describe(node);
	}
});
const table = new TopTable(document.querySelector("#top table"), {
	sort: (sort) => go({sort}, "push"),
	mark: markRow
});
const menu = new Menu(byId("menu"));

// Keys go on from the frame that was clicked.
function clickFrame(node) {
	zoomTo(node);
	walk(node);
}

// ---- Input ----

const onChange = (id, act) => byId(id).addEventListener("change", (event) => act(event.target));
const onClick = (id, act) => byId(id).addEventListener("click", act);

function listen() {
	onChange("profile", ({value}) => go({...query.START, profile: value, shape: state.shape,
		order: state.order, scale: state.scale}, "push"));
	onChange("kind", ({value}) => go({kind: value}, "push"));
	onChange("thread", ({value}) => go({thread: value}, "push"));
	onChange("idle", ({checked}) => go({idle: checked}, "push"));
	onChange("column", ({value}) => go({column: value}, "push"));
	onChange("rows", ({value}) => go({rows: value}, "push"));
	onChange("scale", ({value}) => go({scale: value}, "push"));
	onChange("order", ({value}) => go({order: value}, "push"));
	for (const id of ["from", "to"]) {
		byId(id).addEventListener("input", (event) => event.target.dataset.typed = "1");
		byId(id).addEventListener("change", typeTime);
	}
	for (const button of document.querySelectorAll("[data-shape]"))
		button.addEventListener("click", () => go({shape: button.dataset.shape}, "push"));
	onClick("all-time", clearTime);
	onClick("unzoom", () => zoomTo(0));
	onClick("ignore", () => go({ignore: !state.ignore}, "push"));
	onClick("copy", () => copy(query.commandOf(state, profileName())));
	onClick("save", openSaveMenu);
	onClick("keys", () => byId("help").showModal());
	listenToSearch();
}

// All that is typed in one go is one step back.
function listenToSearch() {
	const field = byId("search");
	let typing = false;
	field.addEventListener("input", () => {
		go({search: field.value}, typing ? "replace" : "push");
		typing = true;
	});
	field.addEventListener("blur", () => {
		typing = false;
	});
	field.addEventListener("keydown", (event) => {
		if (event.key === "Enter") {
			event.preventDefault();
			walkMatches(1);
		}
	});
}

const down = () => state.shape === "icicle";

listenToKeys({
	isReady: () => shown.tree !== null,
	isGraph: () => mirror.hasFocus(),
	graph: {
		ArrowUp: () => walk(down() ? mirror.caller() : mirror.callee()),
		ArrowDown: () => walk(down() ? mirror.callee() : mirror.caller()),
		ArrowLeft: () => walk(mirror.beside(state.zoom, -1)),
		ArrowRight: () => walk(mirror.beside(state.zoom, 1)),
		Home: () => walk(0),
		Enter: () => zoomTo(mirror.node),
		" ": () => zoomTo(mirror.node),
		Backspace: () => zoomTo(shown.tree.parent[state.zoom]),
		m: menuAtFocus
	},
	everywhere: {
		"/": () => {
			byId("search").focus();
			byId("search").select();
		},
		"?": () => byId("help").showModal(),
		n: () => walkMatches(1),
		N: () => walkMatches(-1),
		i: () => go({shape: down() ? "flame" : "icicle"}, "push"),
		o: () => go({order: state.order === "name" ? "weight" : "name"}, "push"),
		c: () => go({ignore: !state.ignore}, "push"),
		u: () => state.transforms.length && removeTransform(state.transforms.length - 1),
		t: () => byId("heatmap").focus(),
		g: () => walk(mirror.node),
		f: () => document.querySelector("#top button").focus(),
		Escape: escape
	}
});

window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	heatmap.themeChanged();
	flame.draw();
	if (heatmap.map)
		showLegend(isDark(), heatmap.map.most, shown.tree.unit);
});

// ---- For tests: what is on the screen ----

function boxState(box, place) {
	const {tree} = shown;
	return {node: box.i, name: tree.name(box.i), total: tree.total[box.i], self: tree.self[box.i],
		depth: tree.depth[box.i], faded: box.faded, match: tree.isMatch(found, box.i),
		label: box.label, ...flame.placeOfBox(box, place)};
}

function onScreen() {
	const {tree, top} = shown, {map} = heatmap;
	const place = flame.canvas.getBoundingClientRect();
	return {
		waiting: counts.waiting + (wanted.view === shown.treeFrom + "\n" + shown.topFrom ? 0 : 1),
		asked: counts.asked, aborted: counts.aborted, query: {...state},
		whole: shown.whole, command: query.commandOf(state, profileName()),
		heatmap: map && {total: map.total, untimed: map.untimed, most: map.most, rows: map.rows,
			columns: map.columns, column: map.column, labels: map.labels, value: [...map.value], offset: map.offset,
			range: heatmap.range, first: shown.about.first_ns, place: heatmap.cellsPlace()},
		tree: tree && {total: tree.total[0], nodes: tree.count, zoom: tree.name(state.zoom),
			zoomTotal: tree.total[state.zoom], boxes: flame.boxes.map((box) => boxState(box, place))},
		top: top && {total: top.total, sort: shown.sort,
			rows: top.functions.slice(0, 50).map((row) => ({...row}))},
		matched: byId("matched").textContent, details: byId("details").textContent,
		status: byId("status").textContent, focus: mirror.hasFocus() ? tree.name(mirror.node) : ""
	};
}

window.kilnView = {state: onScreen};

// ---- Begin ----

async function begin() {
	listen();
	try {
		shown.profiles = await askJson("profiles");
	} catch (error) {
		return complain(error);
	}
	await refresh(true);
}

begin();
