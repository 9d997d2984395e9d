// actions.mjs: what can be done with a frame, and with what is shown: the menus and the clipboard.
import { byId, shortName } from "./controls.mjs";
import { Menu } from "./menu.mjs";
import { exactly } from "./pattern.mjs";
import { savePicture } from "./picture.mjs";
import * as query from "./query.mjs";
import { canWrite, download } from "./server.mjs";

// What is shown, as a file.
const FORMATS = [["html", ".html", "This page as one file (HTML)"], ["svg", ".svg", "Flame graph (SVG)"], ["folded", ".folded", "Folded stacks"],
	["pprof", ".pb.gz", "pprof"], ["speedscope", ".speedscope.json", "Speedscope"],
	["firefox", ".firefox.json", "Firefox Profiler"], ["cpuprofile", ".cpuprofile", "CPU profile of V8 (DevTools)"],
	["top", ".json", "Functions (JSON)"], ["csv", ".csv", "A row for every sample (CSV)"]];

const PICTURE = ["png", ".png", "Picture of the screen (PNG)"];

const FORMATS_OF_CHANGE = [["html", ".html", "The difference as one file (HTML)"], ["svg", ".svg", "Difference as a flame graph (SVG)"],
	["folded", ".folded", "Folded stacks with two columns"], ["difference", ".txt", "Table of functions"],
	["difference-json", ".json", "Functions and call tree (JSON)"],
	["pprof", ".pb.gz", "pprof, with values of before and after"], ["speedscope", ".speedscope.json", "Speedscope, before and after"]];

// Ways to reshape: of a frame by what the command's option takes, and of all.
const OF_FRAME = [
	["focus", "Focus: make it the root", "only"],
	["path", "Only this path from the root", "path"],
	["include", "Include: only stacks with it", "only"],
	["exclude", "Exclude: without stacks that have it", "only"],
	null,
	["drop", "Merge into its caller: its callees move there, too", "only"],
	["charge", "Charge to its caller, with all that it calls", "only"],
	["hide-below", "Hide what it calls: that is its own", "only"],
	["collapse-module", "Collapse its module: ", "module"]
];
const OF_ALL = [["reverse", "Reverse all: leaves first"],
	["collapse-recursion", "Collapse recursion everywhere"]];
const OF_RUNTIME = ["clean", "Take the code of Node.js and V8 out", "node"];

export class Actions {
	constructor(page) {
		this.page = page;
		this.menu = new Menu(byId("menu"));
		byId("copy").addEventListener("click", () =>
			this.copy(page.command()));
		byId("save").addEventListener("click", (event) => this.openSaveMenu(event.target));
	}

	async copy(text) {
		try {
			await navigator.clipboard.writeText(text);
			this.page.say("copied: " + text);
		} catch (refused) {
			this.page.say(text);
		}
	}

	// Where a runtime has made code, and nobody has asked for it yet.
	offersClean() {
		const {state, shown} = this.page, made = ["jit", "baseline", "interpreted"];
		return !state.transforms.some(({name}) => name === "clean") &&
			shown.top.functions.some(({kind}) => made.includes(kind));
	}

	// What a frame offers: those of OF_FRAME for which it has what they need.
	reshapes(frame) {
		const given = {only: exactly(frame.name), path: frame.path,
			module: frame.module && exactly(frame.module)};
		return OF_FRAME.filter((each) => !each || given[each[2]]).map((each) => each && {
			text: each[1] + (each[2] === "module" ? frame.module : ""),
			act: () => this.page.reshape(each[0], given[each[2]])
		});
	}

	// frame: {name, module, root: is it all of it, path: "main;work"; zoom(): a way to look closer}; without
	// what is not known of it.
	openFrameMenu(frame, x, y) {
		const {page} = this, only = exactly(frame.name);
		const all = [...OF_ALL, ...(this.offersClean() ? [OF_RUNTIME] : [])].map(([name, text, argument = null]) =>
			({text, act: () => page.reshape(name, argument)}));
		const own = frame.root ? [] : [
			...(frame.zoom ? [{text: "Zoom to " + frame.name, act: frame.zoom}] : []),
			{text: "Callers and callees of " + frame.name, act: () => page.chooseFunction(frame.name, "sandwich")},
			{text: "Source of " + frame.name, act: () => page.chooseFunction(frame.name, "source")},
			{text: "Search for it", act: () => page.go({search: only}, "push")},
			{text: "Copy its name", act: () => this.copy(frame.name)},
			null,
			...this.reshapes(frame),
			null
		];
		this.menu.open(frame.name, [...own, ...all], x, y);
	}

	save(format, suffix) {
		const {page} = this, profile = shortName(page.shown.profiles, page.profileName());
		const name = profile.replace(/\.\w+$/, "") + suffix;
		if (format === "png")
			savePicture(name);
		else
			download(query.exportAddress(page.state, format, page.view().lanes), name);
	}

	openSaveMenu(button) {
		const place = button.getBoundingClientRect();
		const formats = query.isCompared(this.page.state) || query.hasSides(this.page.shown.about) ? FORMATS_OF_CHANGE : FORMATS;
		this.menu.open("Save as", [PICTURE, ...formats.filter(([format]) => canWrite(format))].map(([format, suffix, text]) =>
			({text, act: () => this.save(format, suffix)})), place.x, place.bottom + 2);
	}
}
