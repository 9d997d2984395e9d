/* flame.js: zoom, search, resizing and browser history of a flame graph in SVG.
 *
 * The picture is complete without this script. Frames are in preorder: a frame is followed by the
 * frames on top of it, which are deeper. Nothing is fetched, evaluated or written as markup: the
 * script runs under a Content Security Policy that allows its hash. */
(function () {
"use strict";
const svg = document.currentScript.closest("svg");
const byId = (id) => svg.querySelector("#" + id);
const details = byId("details"), matched = byId("matched"), legend = byId("legend");
const searchButton = byId("search"), unzoomButton = byId("unzoom"), ignoreButton = byId("ignorecase");
const number = (key) => Number(svg.dataset[key]);
const pad = number("pad"), fontSize = number("fontSize"), fontWidth = number("fontWidth");
const height = Number(svg.getAttribute("height"));
const unit = svg.dataset.unit || "";
const nameType = svg.dataset.nameType;
const fluid = svg.hasAttribute("data-fluid");
let width = Number(svg.getAttribute("width"));

// Colours that the user chose become variables of the style sheet, which is the same in every file.
if (svg.dataset.searchColour)
	svg.style.setProperty("--search", svg.dataset.searchColour);
if (svg.dataset.textColour) {
	svg.style.setProperty("--text", svg.dataset.textColour);
	svg.classList.add("coloured");
}

// ---- Frames ----

// "name (1,234 samples, 12.34%)", in differences with "; +5, +2.1%" before the last parenthesis. A name
// may contain anything, so the numbers are matched at the end.
const TITLE = /^([^]*) \((-?[\d,.]+) (.*?), ([\d.]+)%((?:; [^)]*)?)\)$/;

const frames = Array.from(byId("frames").children, (group) => {
	const [title, rect, text] = group.children;
	const full = title.textContent;
	const parts = TITLE.exec(full);
	return {
		group, rect, full, text,
		name: parts ? parts[1] : full,
		value: parts ? Number(parts[2].replace(/,/g, "")) : NaN,
		unit: parts ? parts[3] : "",
		percent: parts ? parts[4] : "",
		change: parts ? parts[5] : "",
		x: Number(rect.getAttribute("x")),
		y: Number(rect.getAttribute("y")),
		width: Number(rect.getAttribute("width")),
		xText: rect.getAttribute("x"),
		state: "", match: false, depth: 0, parent: 0, end: 0
	};
});
if (!frames.length)
	return;
const indexOf = new Map(frames.map((frame, index) => [frame.group, index]));

function link() {
	const row = number("frameHeight");
	const open = [];
	frames.forEach((frame, index) => {
		frame.depth = Math.round(Math.abs(frame.y - frames[0].y) / row);
		while (open.length > frame.depth)
			frames[open.pop()].end = index;
		frame.parent = index ? open[open.length - 1] : 0;
		open.push(index);
	});
	while (open.length)
		frames[open.pop()].end = frames.length;
}

// A title that the user gave (--nameattr) may have no numbers. If one frame has none, the widths of all
// frames are used as values.
const valued = frames.every((frame) => !isNaN(frame.value));
const weight = (frame) => valued ? frame.value : frame.width;

// ---- State, kept in the address ----

// zoom: index of a frame; term: the expression searched for, or ""; ignore: ignore case?
let state = {zoom: 0, term: "", ignore: false};

function stateOfAddress() {
	const query = new URLSearchParams(window.location.search);
	const x = parseFloat(query.get("x")), y = parseFloat(query.get("y"));
	const zoom = frames.findIndex((f) => Math.abs(f.y - y) < 0.5 && Math.abs(f.x - x) < 0.051);
	return {zoom: Math.max(zoom, 0), term: query.get("s") || "", ignore: query.get("i") === "1"};
}

function addressOf(wanted) {
	const query = new URLSearchParams(window.location.search);
	const set = (key, value) => value ? query.set(key, value) : query.delete(key);
	set("x", wanted.zoom && frames[wanted.zoom].xText);
	set("y", wanted.zoom && String(frames[wanted.zoom].y));
	set("s", wanted.term);
	set("i", wanted.ignore && "1");
	const text = query.toString();
	return (text ? "?" + text : window.location.pathname) + window.location.hash;
}

// Add the state to the browser's history. Where that is not allowed (a data: URL, a sandbox),
// everything else still works.
function remember(how) {
	try {
		history[how + "State"]({kiln: state}, "", addressOf(state));
	} catch (refused) {
		return;
	}
}

// Change the state to `next`. how: "push" adds an entry to the history, so that Back undoes the change;
// "replace" changes the current entry; "": the state comes from the history.
function go(next, how) {
	const old = state;
	state = Object.assign({}, old, next);
	const zoomed = state.zoom !== old.zoom;
	const searched = state.term !== old.term || state.ignore !== old.ignore;
	if (searched)
		findMatches();
	if (zoomed)
		draw();
	showControls();
	if (how && (zoomed || searched))
		remember(how);
}

// ---- Text that fits ----

const advance = new Map();
const ruler = document.createElementNS(svg.namespaceURI, "text");
ruler.setAttribute("visibility", "hidden");

// Measure all of printable ASCII at once: measuring letter by letter would compute the layout each time.
function measureAscii() {
	let letters = "";
	for (let code = 33; code < 127; code++)
		letters += String.fromCharCode(code);
	letters += " |";
	ruler.textContent = letters;
	svg.appendChild(ruler);
	for (let i = 0; i + 1 < letters.length; i++) {
		let wide = 0;
		try {
			wide = ruler.getStartPositionOfChar(i + 1).x - ruler.getStartPositionOfChar(i).x;
		} catch (notOnScreen) {
			wide = 0;
		}
		advance.set(letters[i], wide > 0 ? wide : fontSize * fontWidth);
	}
	ruler.remove();
}

function widthOf(letter) {
	if (!advance.has(letter)) {
		ruler.textContent = letter;
		svg.appendChild(ruler);
		advance.set(letter, ruler.getComputedTextLength() || fontSize * fontWidth);
		ruler.remove();
	}
	return advance.get(letter);
}

// A box narrower than this has no room for part of a name.
const least = 3 * fontSize * fontWidth;

// `text` if it fits, or else its start and "..", or "" if the room is too small for that.
function fit(text, room) {
	const dots = 2 * widthOf(".");
	let used = 0, at = 0, keep = 0;
	for (const letter of text) {
		used += widthOf(letter);
		if (used > room)
			return keep && room >= least ? text.slice(0, keep) + ".." : "";
		at += letter.length;
		if (used + dots <= room)
			keep = at;
	}
	return text;
}

// The end of a path, from a slash on if possible: the file's name matters most.
function fitPath(path, room) {
	let used = 0, at = 0;
	for (const letter of path)
		used += widthOf(letter);
	if (used <= room)
		return path;
	if (room < least)
		return "";
	used += widthOf("\u2026");
	for (const letter of path) {
		if (used <= room)
			break;
		used -= widthOf(letter);
		at += letter.length;
	}
	const slash = path.indexOf("/", at);
	return at < path.length ? "\u2026" + path.slice(slash < 0 ? at : slash) : "";
}

const fitName = (name, room) => name[0] === "/" ? fitPath(name, room) : fit(name, room);

function label(frame, x, wide) {
	const text = wide < 8 ? "" : fitName(frame.name, wide - 6);
	if (!frame.text) {
		if (!text)
			return;
		frame.text = document.createElementNS(svg.namespaceURI, "text");
		frame.text.setAttribute("y", String(frame.y + number("baseline")));
		frame.group.appendChild(frame.text);
	}
	frame.text.textContent = text;
	frame.text.setAttribute("x", (x + 3).toFixed(2));
}

// ---- Drawing ----

function place(frame, x, wide) {
	frame.rect.setAttribute("x", x.toFixed(2));
	frame.rect.setAttribute("width", wide.toFixed(2));
	label(frame, x, wide);
}

// state: "", "hide" or "parent", which are also names of classes.
function become(frame, state) {
	if (frame.state)
		frame.group.classList.remove(frame.state);
	if (state)
		frame.group.classList.add(state);
	frame.state = state;
}

// The zoomed frame is as wide as the picture. So are its callers, which are faded. The frames on top of
// it are scaled; all others are hidden.
function draw() {
	const top = frames[state.zoom];
	const room = width - 2 * pad, scale = room / top.width;
	const callers = new Set();
	for (let i = state.zoom; i; i = frames[i].parent)
		callers.add(frames[i].parent);
	frames.forEach((frame, index) => {
		const caller = callers.has(index);
		const shown = caller || (index >= state.zoom && index < top.end);
		const wanted = caller ? "parent" : shown ? "" : "hide";
		if (wanted !== frame.state)
			become(frame, wanted);
		if (caller)
			place(frame, pad, room);
		else if (shown)
			place(frame, pad + (frame.x - top.x) * scale, frame.width * scale);
	});
}

function showMatched() {
	let text = " ";
	if (state.term && badPattern)
		text = "Not a regular expression";
	else if (state.term)
		text = "Matched: " + percent(matchedWeight(), weight(frames[state.zoom])) + "%";
	matched.textContent = text;
	matched.classList.toggle("hide", !state.term);
}

function showControls() {
	unzoomButton.classList.toggle("hide", !state.zoom);
	searchButton.textContent = state.term ? "Reset Search" : "Search";
	searchButton.classList.toggle("show", Boolean(state.term));
	ignoreButton.classList.toggle("show", state.ignore);
	ignoreButton.setAttribute("aria-pressed", String(state.ignore));
	if (state.term || field)
		openField();
	if (field && field.value !== state.term && document.activeElement !== field)
		field.value = state.term;
	if (field)
		field.setAttribute("aria-invalid", String(badPattern));
	showMatched();
	placeControls();
	describe(state.zoom ? frames[state.zoom] : null);
}

function placeControls() {
	const right = width - pad;
	ignoreButton.setAttribute("x", String(right));
	matched.setAttribute("x", String(right));
	const room = Math.min(200, Math.max(90, width / 4));
	const left = right - 2.2 * fontSize - (fieldBox ? room + 8 : 0);
	searchButton.setAttribute("x", String(left));
	if (fieldBox) {
		fieldBox.setAttribute("x", String(left + 8));
		fieldBox.setAttribute("width", String(room));
	}
	fitHeading(byId("title"), 1.42);
	fitHeading(byId("subtitle"), 1);
	for (const entry of legend ? legend.querySelectorAll("g") : [])
		entry.classList.toggle("hide", Number(entry.dataset.end) > width);
}

// Cut a heading that is too wide for the picture. The tooltip of the subtitle has its whole text.
function fitHeading(heading, size) {
	if (!heading)
		return;
	const words = heading.dataset.full || heading.lastChild.data;
	heading.dataset.full = words;
	heading.lastChild.data = fit(words, (width - 2 * pad) / size) || " ";
}

function resize() {
	if (!fluid)
		return;
	const now = Math.round(svg.getBoundingClientRect().width);
	if (!now || now === width)
		return;
	width = Math.max(now, 200);
	svg.setAttribute("viewBox", "0 0 " + width + " " + height);
	draw();
	placeControls();
}

// ---- Details of a frame ----

function percent(part, whole) {
	const share = whole ? 100 * part / whole : 0;
	return share === 100 ? "100" : Math.min(share, 99.9).toFixed(1);
}

const SCALES = {
	ns: [[3600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]],
	bytes: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]]
};

// Three significant digits, if the unit has scales.
function human(frame) {
	const scales = SCALES[unit];
	if (!scales)
		return frame.value.toLocaleString("en-US") + " " + frame.unit;
	const [size, name] = scales.find(([each]) => frame.value >= each) || scales[scales.length - 1];
	const value = frame.value / size;
	return value.toFixed(size === 1 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0) + " " + name;
}

function describe(frame) {
	if (!frame) {
		details.textContent = " ";
		return;
	}
	let text = frame.full;
	if (!isNaN(frame.value))
		text = frame.name + " (" + human(frame) + ", " + frame.percent + "%" + frame.change + ")";
	if (state.zoom && frame.depth > frames[state.zoom].depth)
		text += ", " + percent(weight(frame), weight(frames[state.zoom])) + "% of the view";
	details.textContent = nameType + " " + text;
}

const frameOf = (node) => {
	const group = node.closest && node.closest("#frames > *");
	return group && frames[indexOf.get(group)];
};

// ---- Search ----

let badPattern = false;

// Search the names of frames, not the numbers in their tooltips.
function findMatches() {
	let pattern = null;
	badPattern = false;
	try {
		pattern = state.term && new RegExp(state.term, state.ignore ? "iu" : "u");
	} catch (notWithUnicodeRules) {
		try {
			pattern = new RegExp(state.term, state.ignore ? "i" : "");
		} catch (notAPattern) {
			badPattern = true;
		}
	}
	for (const frame of frames) {
		// The root, "all", is not a function.
		const match = Boolean(pattern) && frame !== frames[0] && pattern.test(frame.name);
		if (match !== frame.match)
			frame.group.classList.toggle("match", match);
		frame.match = match;
	}
}

// The value of all matching frames in the view. A match on top of another match is not counted again;
// hidden frames and the faded callers are not part of the view.
function matchedWeight() {
	let sum = 0;
	for (let i = state.zoom; i < frames[state.zoom].end;) {
		sum += frames[i].match ? weight(frames[i]) : 0;
		i = frames[i].match ? frames[i].end : i + 1;
	}
	return sum;
}

const XHTML = "http://www.w3.org/1999/xhtml";
let field = null, fieldBox = null, typing = false;

function openField() {
	if (field)
		return;
	fieldBox = document.createElementNS(svg.namespaceURI, "foreignObject");
	fieldBox.setAttribute("y", String(fontSize * 0.9));
	fieldBox.setAttribute("height", String(fontSize * 1.8));
	field = document.createElementNS(XHTML, "input");
	field.setAttribute("type", "text");
	field.setAttribute("spellcheck", "false");
	field.setAttribute("autocapitalize", "off");
	field.setAttribute("placeholder", "regular expression");
	field.setAttribute("aria-label", "Search frames by regular expression");
	field.value = state.term;
	field.addEventListener("input", () => {
		go({term: field.value}, typing ? "replace" : "push");
		typing = true;
	});
	field.addEventListener("blur", () => {
		typing = false;
		if (!state.term)
			closeField();
	});
	fieldBox.appendChild(field);
	svg.appendChild(fieldBox);
}

function closeField() {
	const box = fieldBox;
	field = fieldBox = null;
	if (box)
		box.remove();
	placeControls();
}

function startSearch() {
	openField();
	placeControls();
	field.focus();
	field.select();
}

function endSearch() {
	go({term: ""}, "push");
	closeField();
}

// ---- Keys ----

let focused = 0;

function focusOn(index) {
	if (index < 0)
		return;
	frames[focused].group.removeAttribute("tabindex");
	focused = index;
	const group = frames[index].group;
	group.setAttribute("tabindex", "0");
	group.setAttribute("role", "button");
	group.focus();
}

const isShown = (index) => frames[index].state !== "hide";

// The nearest shown frame of the same depth, step 1 to the right and -1 to the left.
function beside(index, step) {
	for (let i = index + step; i >= 0 && i < frames.length; i += step)
		if (frames[i].depth === frames[index].depth && isShown(i))
			return i;
	return -1;
}

// The widest frame directly on top of this one.
function onTop(index) {
	let best = -1;
	for (let i = index + 1; i < frames[index].end; i = frames[i].end)
		if (isShown(i) && (best < 0 || frames[i].width > frames[best].width))
			best = i;
	return best;
}

function nextMatch(step) {
	for (let n = 1; n <= frames.length; n++) {
		const i = (focused + n * step + n * frames.length) % frames.length;
		if (frames[i].match && isShown(i))
			return i;
	}
	return -1;
}

function zoomTo(index) {
	go({zoom: index}, "push");
	if (!isShown(focused))
		focusOn(index);
}

const down = svg.hasAttribute("data-inverted");
const KEYS = {
	ArrowUp: () => focusOn(down ? focused && frames[focused].parent : onTop(focused)),
	ArrowDown: () => focusOn(down ? onTop(focused) : focused && frames[focused].parent),
	ArrowLeft: () => focusOn(beside(focused, -1)),
	ArrowRight: () => focusOn(beside(focused, 1)),
	Home: () => focusOn(0),
	Enter: () => zoomTo(focused),
	" ": () => zoomTo(focused),
	Backspace: () => zoomTo(frames[state.zoom].parent),
	Escape: () => state.zoom ? zoomTo(0) : endSearch(),
	n: () => focusOn(nextMatch(1)),
	N: () => focusOn(nextMatch(-1)),
	"/": startSearch
};

const BUTTONS = {
	search: () => state.term ? endSearch() : startSearch(),
	unzoom: () => zoomTo(0),
	ignorecase: () => go({ignore: !state.ignore}, "push")
};

function typeInField(event) {
	if (event.key === "Escape")
		endSearch();
	else if (event.key !== "Enter")
		return;
	event.preventDefault();
	if (field)
		field.blur();
	focusOn(isShown(focused) ? focused : state.zoom);
}

function press(event) {
	// In a page, handle keys only while an element of the picture has the focus.
	if (document.documentElement !== svg && !svg.contains(event.target))
		return;
	const control = event.ctrlKey || event.metaKey;
	const find = event.key === "F3" || (control && event.key.toLowerCase() === "f");
	const button = BUTTONS[event.target.id];
	// In the field, Ctrl-F opens the browser's own search.
	if (find && event.target !== field)
		startSearch();
	else if (control && event.key.toLowerCase() === "i")
		BUTTONS.ignorecase();
	else if (event.target === field)
		return typeInField(event);
	else if (find || control || event.altKey)
		return;
	else if (button && (event.key === "Enter" || event.key === " "))
		button();
	else if (KEYS[event.key])
		KEYS[event.key]();
	else
		return;
	event.preventDefault();
}

// ---- Pointers ----

function click(event) {
	const button = BUTTONS[event.target.id];
	const frame = frameOf(event.target);
	if (button)
		return button();
	if (!frame)
		return;
	if (frame.group.localName === "a") {
		if (event.ctrlKey || event.metaKey)
			return;
		event.preventDefault();
	}
	frames[focused].group.removeAttribute("tabindex");
	focused = indexOf.get(frame.group);
	frame.group.setAttribute("tabindex", "0");
	zoomTo(focused);
	describe(frame);
}

svg.addEventListener("click", click);
svg.addEventListener("mouseover", (event) => {
	const frame = frameOf(event.target);
	if (frame)
		describe(frame);
});
svg.addEventListener("mouseout", (event) => {
	if (frameOf(event.target))
		describe(state.zoom ? frames[state.zoom] : null);
});
svg.addEventListener("focusin", (event) => {
	const frame = frameOf(event.target);
	if (frame)
		describe(frame);
});
window.addEventListener("keydown", press);
window.addEventListener("resize", resize);
window.addEventListener("popstate", () => {
	typing = false;
	go(stateOfAddress(), "");
	if (!state.term)
		closeField();
});

// ---- Start ----

link();
measureAscii();
for (const button of [searchButton, ignoreButton, unzoomButton]) {
	button.setAttribute("tabindex", "0");
	button.setAttribute("role", "button");
}
searchButton.classList.remove("hide");
ignoreButton.classList.remove("hide");
frames[0].group.setAttribute("tabindex", "0");
frames[0].group.setAttribute("role", "button");
if (fluid)
	svg.setAttribute("width", "100%");
resize();
draw();
go(stateOfAddress(), "");
})();
