// actions.mjs: the menus "Save as" and of a frame, and the clipboard.
//
// Their entries are formats and transforms that the server has: its answer `capabilities`.
import { byId, shortName } from "./controls.mjs";
import { Menu } from "./menu.mjs";
import { exactly } from "./pattern.mjs";
import { savePicture } from "./picture.mjs";
import * as query from "./query.mjs";
import { download } from "./server.mjs";

const SCREENSHOT = {name: "png", suffix: ".png", label: "Screenshot (PNG)"};

// Frames of these kinds are code that a runtime compiled or interprets.
const RUNTIME_KINDS = ["jit", "baseline", "interpreted"];
const RUNTIME = "node"; // the runtime whose internals can be hidden

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
			this.page.showStatus("Copied: " + text);
		} catch (refused) {
			this.page.showStatus(text);
		}
	}

	// Has the profile code of a runtime whose internals are not hidden yet?
	hasRuntime() {
		const {state, shown} = this.page;
		return !state.transforms.some(({name}) => name === "clean") &&
			shown.top.functions.some(({kind}) => RUNTIME_KINDS.includes(kind));
	}

	// Entries for transforms that apply to one of these subjects: {subject: argument}. Undefined arguments are left out.
	transformItems(subjects, moduleName = "") {
		const {transforms} = this.page.shown.capabilities;
		return transforms.filter(({subject}) => subjects[subject] !== undefined).map(({name, label, subject}) => ({
			text: label + (subject === "module" ? " " + moduleName : ""),
			act: () => this.page.reshape(name, subjects[subject])
		}));
	}

	// frame: {name, module, root: is it all of it, path: "main;work"; zoom(): a way to look closer}; without
	// what is not known of it.
	openFrameMenu(frame, x, y) {
		const {page} = this, only = exactly(frame.name);
		const ofFrame = {name: only, path: frame.path, module: frame.module ? exactly(frame.module) : undefined};
		const own = frame.root ? [] : [
			...(frame.zoom ? [{text: "Zoom to " + frame.name, act: frame.zoom}] : []),
			{text: "Callers and callees of " + frame.name, act: () => page.chooseFunction(frame.name, "sandwich")},
			{text: "Source of " + frame.name, act: () => page.chooseFunction(frame.name, "source")},
			{text: "Search for this name", act: () => page.go({search: only}, "push")},
			{text: "Copy name", act: () => this.copy(frame.name)},
			null,
			...this.transformItems(ofFrame, frame.module),
			null
		];
		const ofAll = this.transformItems({all: null, runtime: this.hasRuntime() ? RUNTIME : undefined});
		this.menu.open(frame.name, [...own, ...ofAll], x, y);
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
		const place = button.getBoundingClientRect(), {state, shown} = this.page;
		const compared = query.isCompared(state) || query.hasSides(shown.about);
		const formats = shown.capabilities.formats.filter(({single, comparison}) => compared ? comparison : single);
		formats.sort((a, b) => a.label.localeCompare(b.label));
		this.menu.open("Save as", [SCREENSHOT, ...formats].map(({name, suffix, label}) =>
			({text: label, act: () => this.save(name, suffix)})), place.x, place.bottom + 2);
	}
}
