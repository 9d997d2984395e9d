// query.mjs: what is looked at? One state, which is the hash of the page's address.
//
// What the server is asked for stands in it as the server takes it, and in that order: the options of
// the commands. Keys of the page alone (how it looks) are those below; every other key is a way to
// reshape the profile, so that an address may have each of them.
import { exactly } from "./pattern.mjs";

// What holds where the address says nothing.
export const START = Object.freeze({
	profile: "", kind: "", idle: false, time: "", thread: "", transforms: Object.freeze([]),
	view: "flame", function: "", shape: "flame", order: "name", zoom: 0, search: "", ignore: false,
	column: "", rows: "50", scale: "sqrt", sort: "self"
});

const CHOICES = {
	shape: ["flame", "icicle"], order: ["name", "weight"], scale: ["linear", "sqrt", "log", "rank"],
	sort: ["self", "total", "name"]
};
const ASKED = ["profile", "kind", "idle", "time", "thread"];
const LOOKS = ["view", "function", "shape", "order", "zoom", "search", "ignore", "column", "rows", "scale", "sort"];

const encode = encodeURIComponent;

function word(key, value) {
	return value === true || value === null ? key : key + "=" + encode(value);
}

function readWord(state, key, value) {
	if (key === "idle" || key === "ignore")
		state[key] = true;
	else if (key === "zoom")
		state[key] = Math.max(0, parseInt(value, 10) || 0);
	else if (CHOICES[key])
		state[key] = CHOICES[key].includes(value) ? value : START[key];
	else if (key in START && key !== "transforms")
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

// The state that an address stands for; "+" is a plus.
export function parseHash(hash) {
	const state = {...START, transforms: []};
	for (const part of hash.replace(/^#/, "").split("&")) {
		const equals = part.indexOf("=");
		const key = equals < 0 ? part : part.slice(0, equals);
		if (key)
			readWord(state, decode(key), equals < 0 ? null : decode(part.slice(equals + 1)));
	}
	return state;
}

function asked(state, leaveOut = []) {
	const words = ASKED.filter((key) => state[key] !== START[key] && !leaveOut.includes(key))
		.map((key) => word(key, state[key]));
	for (const {name, argument} of state.transforms)
		words.push(word(name, argument));
	return words;
}

export function hashOf(state) {
	const looks = LOOKS.filter((key) => state[key] !== START[key])
		.map((key) => word(key, key === "zoom" ? String(state[key]) : state[key]));
	const words = asked(state).concat(looks);
	return words.length ? "#" + words.join("&") : "";
}

// ---- What the server is asked ----

const address = (name, words) => name + "?" + words.join("&");

export function treeAddress(state) {
	return address("nodes", asked(state).concat(word("order", state.order)));
}

// Of one function: what it calls, and what calls it, from the function on. Of stacks in which it calls
// itself its outermost call counts.
export function calleesAddress(state, name) {
	return treeAddress({...state, transforms: [...state.transforms, {name: "focus", argument: exactly(name)}]});
}

export function callersAddress(state, name) {
	const only = exactly(name);
	return treeAddress({...state, transforms: [...state.transforms, {name: "include", argument: only},
		{name: "hide-below", argument: only}, {name: "reverse", argument: null}]});
}

export function topAddress(state, rows) {
	return address("top",
		["json", ...asked(state), word("sort", state.sort), word("rows", String(rows))]);
}

// Are rows of the heat map threads or CPUs?
export const hasLanes = (state) => state.rows === "thread" || state.rows === "cpu";

// Of all time: the map stays whole while a part of it is selected. sought: an expression, or "".
export function heatmapAddress(state, column, sought) {
	const rows = hasLanes(state) ? word("by", state.rows) : word("rows", state.rows);
	return address("heatmap", [...asked(state, ["time"]), word("column", column), rows,
		...(sought ? [word("match", sought)] : [])]);
}

// Of everything in the profile, as shares of all of it are.
export function wholeAddress(state) {
	const all = {...START, profile: state.profile, kind: state.kind, idle: state.idle};
	return address("top", ["json", ...asked(all), word("rows", "1")]);
}

// What is shown in another format, as a file.
export function exportAddress(state, format) {
	const turned = format === "svg" && state.shape === "icicle" ? ["inverted"] : [];
	return address(format, asked(state).concat(turned));
}

export function aboutAddress(state) {
	return address("info", ["json", ...(state.profile ? [word("profile", state.profile)] : [])]);
}

// ---- The same, for a shell ----

function quoted(text) {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

// The command that has the same numbers; `profile` is the name of the one that is shown.
export function commandOf(state, profile) {
	const words = ["kiln", "top"];
	const option = (name, value) => words.push("--" + name, ...(value ? [quoted(value)] : []));
	for (const key of ["kind", "time", "thread"])
		if (state[key])
			option(key, state[key]);
	if (state.idle)
		option("idle");
	for (const {name, argument} of state.transforms)
		option(name, argument);
	words.push(quoted(profile));
	return words.join(" ");
}
