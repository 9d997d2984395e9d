// query.mjs: what is shown? One state, which is the fragment of the page's address.
//
// The parameters for the server are in it as the server takes them, in the order of the commands' options. The keys
// of the page alone are those below; every other key is a transform.
import { exactly } from "./pattern.mjs";

// Defaults.
export const DEFAULTS = Object.freeze({
	profile: "", kind: "", idle: false, time: "", thread: "", transforms: Object.freeze([]),
	view: "flame", function: "", file: "", lanes: "", shape: "flame", order: "name", zoom: 0, open: "", search: "", ignore: false,
	column: "", rows: "50", scale: "sqrt", sort: "self",
	before: "", "before-time": "", normalise: false, side: "difference", widths: "both", change: "total"
});

const CHOICES = {
	shape: ["flame", "icicle"], order: ["name", "weight"], scale: ["linear", "sqrt", "log", "rank"],
	sort: ["self", "total", "name"], side: ["before", "difference", "after"],
	widths: ["both", "after", "before"], change: ["total", "self"],
	lanes: ["", "thread", "cpu", "all"]
};
const DATA_KEYS = ["profile", "kind", "idle", "time", "thread"];
const DISPLAY_KEYS = ["view", "function", "file", "lanes", "shape", "order", "zoom", "open", "search", "ignore", "column", "rows", "scale", "sort",
	"side", "widths", "change"];
const COMPARE_KEYS = ["before", "before-time", "normalise"];

const encode = encodeURIComponent;

function word(key, value) {
	return value === true || value === null ? key : key + "=" + encode(value);
}

function readWord(state, key, value) {
	if (DEFAULTS[key] === false)
		state[key] = true;
	else if (key === "zoom")
		state[key] = Math.max(0, parseInt(value, 10) || 0);
	else if (CHOICES[key])
		state[key] = CHOICES[key].includes(value) ? value : DEFAULTS[key];
	else if (key in DEFAULTS && key !== "transforms")
		state[key] = value || "";
	else
		state.transforms.push({name: key, argument: value});
}

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch (notEncoded) {
		return text;
	}
}

// Parse the fragment of an address; "+" is a plus.
export function parseHash(hash) {
	const state = {...DEFAULTS, transforms: []};
	for (const part of hash.replace(/^#/, "").split("&")) {
		const equals = part.indexOf("=");
		const key = equals < 0 ? part : part.slice(0, equals);
		if (key)
			readWord(state, decode(key), equals < 0 ? null : decode(part.slice(equals + 1)));
	}
	return state;
}

const wordsOf = (state, keys) => keys.filter((key) => state[key] !== DEFAULTS[key])
	.map((key) => word(key, state[key]));

function dataWords(state, leaveOut = []) {
	const words = wordsOf(state, DATA_KEYS.filter((key) => !leaveOut.includes(key)));
	for (const {name, argument} of state.transforms)
		words.push(word(name, argument));
	return words;
}

export function hashOf(state) {
	const display = DISPLAY_KEYS.filter((key) => state[key] !== DEFAULTS[key])
		.map((key) => word(key, key === "zoom" ? String(state[key]) : state[key]));
	const words = [...dataWords(state), ...wordsOf(state, COMPARE_KEYS), ...display];
	return words.length ? "#" + words.join("&") : "";
}

// ---- Comparisons ----

export const isCompared = (state) => state.before !== "" && state.side === "difference";

// Is before scaled to after's total? A profile without two sides needs another one to compare with.
export const isNormalised = (state) => state.normalise && (isCompared(state) || state.before === "");

// Does a profile have two sides, as what `kiln diff` writes? about: the server's answer.
export const hasSides = (about) => (about.streams || []).some(({side}) => side === 2);

// The state of one side of a comparison: after, unless before is chosen.
export function sideOf(state) {
	const {before, side} = state;
	const shown = before !== "" && side === "before" ?
		{profile: before, time: state["before-time"]} : {};
	return {...state, ...shown, before: "", "before-time": "", normalise: false};
}

// Which part of the state is the time of the profile that is shown.
export const timeKey = (state) => state.before !== "" && state.side === "before" ? "before-time" : "time";

// The parameters of what is shown, for both sides if they are compared.
function shown(state) {
	if (!isCompared(state))
		return [...dataWords(sideOf(state)), ...(isNormalised(state) ? ["normalise"] : [])];
	return [...dataWords(state, ["time"]), ...wordsOf(state, COMPARE_KEYS),
		...(state.time ? [word("after-time", state.time)] : [])];
}

// ---- What the server is asked ----

const address = (name, words) => name + "?" + words.join("&");

export function treeAddress(state) {
	return address("nodes", [...shown(state), word("order", state.order), ...wordsOf(state, ["open"])]);
}

// The callees and callers of a function. Of recursive functions the outermost call counts.
export const calleesAddress = (state, name) => partAddress(state, [word("focus", exactly(name))]);

export function callersAddress(state, name) {
	const only = exactly(name);
	return partAddress(state, [word("include", only), word("hide-below", only), "reverse"]);
}

// Transforms of a part apply to the comparison, so that changes stay relative to the whole.
const partAddress = (state, ways) =>
	address("nodes", [...shown(state), ...(isCompared(state) ? ["then"] : []), ...ways, word("order", state.order)]);

// by: thread, cpu or all; least: ns, the minimum duration of a visible box.
export function chartAddress(state, by, least) {
	return address("chart", [...dataWords(sideOf(state)), word("by", by), word("least", least + "ns")]);
}

// Costs of the lines and addresses of the chosen function; canonical: its name is that of a comparison.
export function linesAddress(state) {
	return address("lines-json", [...dataWords(sideOf(state)), word("function", state.function), ...(state.canonical ? ["canonical"] : [])]);
}

const ofProfile = (state) => wordsOf(sideOf(state), ["profile"]);

// The machine code around an address of a binary that the profile names.
export function codeAddress(state, {binary, build_id: id}, at) {
	return address("code", [...ofProfile(state), word("binary", binary), word("build-id", id), word("address", String(at))]);
}

// A source file that the profile, or its debug information, names.
export function textAddress(state, file) {
	return address("text", [...ofProfile(state), word("file", file)]);
}

export function topAddress(state, rows) {
	return address("top",
		["json", ...shown(state), word("sort", state.sort), word("rows", String(rows)), "by-change"]);
}

// The same from a function on.
export const skipped = (topAddress, count) => topAddress + "&" + word("skip", String(count));

// Are rows of the heat map threads or CPUs?
export const hasLanes = (state) => state.rows === "thread" || state.rows === "cpu";

// Without the time range: the map stays whole. columns: the maximum number of columns, if the state does not choose a
// width; searchPattern: an expression, or "".
export function heatmapAddress(state, columns, searchPattern) {
	const rows = hasLanes(state) ? word("by", state.rows) : word("rows", state.rows);
	const column = state.column ? word("column", state.column) : word("columns", String(columns));
	return address("heatmap", [...dataWords(sideOf(state), ["time"]), column, rows,
		...(searchPattern ? [word("match", searchPattern)] : [])]);
}

// Is the whole profile shown, without a comparison?
export function isWhole(state) {
	const {time, thread, transforms} = sideOf(state);
	return !isCompared(state) && time === "" && thread === "" && !transforms.length;
}

// The totals of the whole profile, for percentages.
export function wholeAddress(state) {
	const {profile, kind, idle} = sideOf(state), all = {...DEFAULTS, profile, kind, idle};
	return address("top", ["json", ...dataWords(all), word("rows", "1")]);
}

// Of a function's callers and callees: the stacks that it is in.
const partOf = (state) => state.view !== "sandwich" || !state.function ? [] :
	[...(isCompared(state) ? ["then"] : []), word("include", exactly(state.function))];
// Of a flame chart, in a picture: lanes are outermost frames.
const chartWords = (lanes) => ["flamechart", "inverted", ...(lanes === "all" ? [] : ["by-" + lanes])];

// What is shown, in another format, to save it. lanes: those of the flame chart.
export function exportAddress(state, format, lanes) {
	if (format === "svg" && state.view === "chart")
		return address(format, [...dataWords(sideOf(state)), ...chartWords(lanes)]);
	const display = format === "top" ? ["json", ...wordsOf(state, ["sort"])] : format !== "svg" ? [] : [...(state.shape === "icicle" ? ["inverted"] : []),
		...wordsOf(state, ["order"]), ...(state.change === "self" ? [word("changes", "self")] : []),
		...(isCompared(state) && state.widths === "before" ? ["negate"] : [])];
	return address(format, [...shown(state), ...partOf(state), ...display]);
}

export function aboutAddress(state) {
	const {profile} = sideOf(state);
	return address("info", ["json", ...(profile ? [word("profile", profile)] : [])]);
}

// ---- The same, for a shell ----

function quoted(text) {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

// How a command reads a profile as the page does, from the server's list: its options and path.
function readBy(profiles, name) {
	const {options = [], stdin = false} = profiles.find((each) => each.name === name) || {};
	return {options: options.map(quoted), path: quoted(stdin ? "-" : name)};
}

// The command with the same numbers. `profile` is the name of the shown one of `profiles`; two: it has two sides.
export function commandOf(state, profile, profiles, two) {
	const compared = isCompared(state), of = compared ? state : sideOf(state), after = readBy(profiles, profile);
	const words = ["kiln", compared || two ? "diff" : "top", ...after.options];
	const option = (name, value) => words.push("--" + name, ...(value ? [quoted(value)] : []));
	const options = compared ? {kind: "kind", "before-time": "before-time", time: "after-time"} :
		{kind: "kind", time: "time"};
	for (const [key, name] of Object.entries({...options, thread: "thread"}))
		if (of[key])
			option(name, of[key]);
	if (isNormalised(state))
		option("normalise");
	if (of.idle)
		option("idle");
	for (const {name, argument} of of.transforms)
		option(name, argument);
	if (!compared && state.sort !== DEFAULTS.sort)
		option("sort", state.sort);
	return [...words, ...(compared ? [readBy(profiles, state.before).path] : []), after.path].join(" ");
}
