// input.mjs: which control or key does what?
import { byId } from "./controls.mjs";
import { listenToKeys } from "./keys.mjs";
import { DEFAULTS } from "./query.mjs";

const onChange = (id, act) => byId(id).addEventListener("change", (event) => act(event.target));
const onClick = (id, act) => byId(id).addEventListener("click", act);

export function listenToInput(page) {
	listenToFields(page);
	listenToSearch(page);
	listenToPageKeys(page);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.themeChanged());
}

function listenToFields(page) {
	const push = (changes) => page.go(changes, "push");
	onChange("profile", ({value}) => {
		const {shape, order, scale, view, before, normalise, widths, change} = page.state;
		push({...DEFAULTS, profile: value, shape, order, scale, view, before, normalise, widths, change});
	});
	for (const key of ["kind", "thread", "column", "rows", "scale", "order", "lanes"])
		onChange(key, ({value}) => push({[key]: value}));
	onChange("idle", ({checked}) => push({idle: checked}));
	for (const button of document.querySelectorAll("[data-shape]"))
		button.addEventListener("click", () => push({shape: button.dataset.shape}));
	onClick("match-case", () => push({ignore: !page.state.ignore}));
	onClick("keys", () => byId("help").showModal());
}

// Typing is one entry in the browser's history.
function listenToSearch(page) {
	const field = byId("search");
	let typing = false;
	field.addEventListener("input", () => {
		page.go({search: field.value}, typing ? "replace" : "push");
		typing = true;
	});
	field.addEventListener("blur", () => {
		typing = false;
	});
	field.addEventListener("keydown", (event) => {
		if (event.key === "Enter") {
			event.preventDefault();
			page.view().match(1);
		}
	});
}

function listenToPageKeys(page) {
	const push = (changes) => page.go(changes, "push");
	const ofTable = page.table.makeKeys();
	const views = page.views.map((view, i) => [String(i + 1), () => page.chooseView(view)]);
	listenToKeys({
		isReady: () => page.isReady(),
		own: () => page.view().hasFocus() ? page.view().keys : page.table.hasFocus() ? ofTable : {},
		everywhere: {
			"/": () => {
				byId("search").focus();
				byId("search").select();
			},
			...Object.fromEntries(views),
			s: () => page.current() && page.chooseFunction(page.current(), "sandwich"),
			"?": () => byId("help").showModal(),
			n: () => page.view().match(1),
			N: () => page.view().match(-1),
			i: () => push({shape: page.state.shape === "icicle" ? "flame" : "icicle"}),
			o: () => push({order: page.state.order === "name" ? "weight" : "name"}),
			b: () => page.compare.keepSelection(),
			d: () => page.compare.toggle(),
			x: () => page.compare.nextSide(),
			c: () => push({ignore: !page.state.ignore}),
			u: () => page.state.transforms.length && page.undoTransform(page.state.transforms.length - 1),
			t: () => byId("heatmap").focus(),
			g: () => page.view().focus(),
			f: () => document.querySelector("#top button").focus(),
			Escape: () => page.escape()
		}
	});
}
