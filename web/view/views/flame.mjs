// flame.mjs: the main view of the call tree as flame graph or icicle: zoom, search and keys.
import { askColumns } from "../ask.mjs";
import { treeOf } from "../compared.mjs";
import { byId } from "../controls.mjs";
import { Flame } from "../flame.mjs";
import { Mirror } from "../mirror.mjs";
import { percent } from "../numbers.mjs";
import { treeAddress } from "../query.mjs";

// For tests.
export const sidesOf = (tree, i) => tree.compared ? {before: {total: tree.sides[0].total[i], self: tree.sides[0].self[i]},
	after: {total: tree.sides[1].total[i], self: tree.sides[1].self[i]}, colour: tree.colour(i), gone: tree.isGone(i)} : {};

export class FlameView {
	constructor(page) {
		this.name = "flame";
		this.title = "Flame graph";
		this.isAskedEarly = true;
		this.page = page;
		this.tree = null;
		// Where the zoom is to be found in the tree that comes, which is not zoomed where it is not found;
		// null: the state's zoom is its number there.
		this.path = null;
		this.found = null; // which strings match
		this.foundBy = null; // of which tree, by which pattern
		this.flame = new Flame(byId("flame"), {
			point: () => page.describe(),
			zoom: (node) => this.click(node),
			menu: (node, x, y) => this.openMenu(node, x, y)
		});
		this.mirror = new Mirror(byId("mirror"), {
			describe: (node) => this.textOf(node),
			zoom: (node) => this.zoomTo(node),
			menu: () => this.menuAtFocus(),
			focus: (node) => {
				this.flame.focus(node);
				page.describe();
			}
		});
		this.keys = this.makeKeys();
		byId("unzoom").addEventListener("click", () => this.zoomTo(0));
	}

	// ---- Asking and showing ----

	address(state) {
		return treeAddress(state);
	}

	async ask(address, state, signal) {
		return treeOf(await askColumns(address, signal), state.order === "name");
	}

	// Find the zoom in the new tree.
	take(tree) {
		const {page} = this;
		this.tree = tree;
		if (!this.path)
			return;
		page.state = {...page.state, zoom: tree.find(this.path)};
		if (!page.isDragged())
			page.remember("replace");
	}

	// The state is another address's: its zoom is a number.
	reset() {
		this.path = null;
	}

	show() {
		const {tree, page, mirror} = this, none = !tree.count;
		byId("no-flame").hidden = !none;
		byId("flame").hidden = byId("mirror").hidden = none;
		if (none)
			return this.showNone();
		if (!this.path) {
			page.state = {...page.state, zoom: Math.min(page.state.zoom, tree.count - 1)};
			this.path = tree.pathOf(page.state.zoom);
		}
		const {state} = page;
		if (tree.compared)
			tree.setDisplay(state);
		this.find();
		this.flame.show({tree, found: this.found, zoom: state.zoom, icicle: this.isDown(),
			byName: tree.compared || state.order === "name"});
		if (mirror.tree !== tree || !this.isBelow(mirror.node, state.zoom))
			mirror.show(tree, state.zoom);
		page.matched(tree.hasSmall(state.zoom), ...(tree.compared ? tree.matchedOfSides(this.found, state.zoom) :
			[[tree.matched(this.found, state.zoom), tree.total[state.zoom]]]));
		byId("unzoom").hidden = !state.zoom;
		page.describe();
	}

	// There are no samples: keep the zoom for the next answer.
	showNone() {
		byId("no-flame").textContent = this.page.shown.whole ? "No samples in this selection" :
			"No samples in this profile";
		byId("unzoom").hidden = true;
		this.page.matched();
		this.page.describe();
	}

	find() {
		const {tree, page} = this, {pattern} = page.search;
		if (this.foundBy && this.foundBy.tree === tree && this.foundBy.pattern === pattern)
			return;
		this.found = tree.matches(pattern);
		this.foundBy = {tree, pattern};
	}

	isBelow(node, top) {
		return node >= top && node < this.tree.end[top];
	}

	isDown() {
		return this.page.state.shape === "icicle";
	}

	themeChanged() {
		this.flame.draw();
	}

	// ---- Details ----

	textOf(node) {
		const {tree} = this;
		const where = [tree.module(node), tree.kindName(node)].filter((each) => each && node && !tree.isSmall(node));
		return tree.name(node) + (where.length ? " (" + where.join(", ") + ")" : "") + ": " +
			(tree.compared ? tree.changesOf(node, tree.sides.map(({total}) => total[0])) : this.sharesOf(node)).join(" \u00b7 ");
	}

	sharesOf(node) {
		const {tree} = this, {zoom} = this.page.state, value = tree.total[node];
		const parts = this.page.sharesOf(value, tree.unit);
		if (zoom && this.isBelow(node, zoom))
			parts.push(percent(value, tree.total[zoom]) + "% of the view");
		if (node)
			parts.push(percent(value, tree.total[tree.parent[node]]) + "% of its caller");
		return parts;
	}

	describe() {
		const {hovered} = this.flame.outlines;
		if (!this.tree || !this.tree.count)
			return "";
		return this.textOf(hovered >= 0 ? hovered :
			this.mirror.hasFocus() ? this.mirror.node : this.page.state.zoom);
	}

	current() {
		const node = this.mirror.hasFocus() ? this.mirror.node : this.page.state.zoom;
		return node ? this.tree.name(node) : "";
	}

	// ---- Zoom, walk, menu ----

	// Zooming to grouped small frames requests them one by one.
	zoomTo(to) {
		const {tree, mirror, page} = this, node = tree.isSmall(to) ? tree.parent[to] : to;
		const open = !node ? "" : tree.hasSmall(node) ? String(tree.nodes[node]) : page.state.open;
		this.path = tree.pathOf(node);
		if (open !== page.state.open)
			this.flame.show({zoom: node}); // until what was small there has come
		page.go({zoom: node, open}, "push");
		if (!this.isBelow(mirror.node, node))
			mirror.show(tree, node);
	}

	// Keys go on from the frame that was clicked, whose outline is painted with the rest.
	click(node) {
		this.walk(node);
		this.zoomTo(node);
	}

	walk(node) {
		if (node >= 0 && this.tree.count)
			this.mirror.focus(node);
	}

	match(step) {
		const {tree, found, mirror} = this, {zoom} = this.page.state;
		const least = tree.total[zoom] * 0.5 / byId("flame").clientWidth;
		this.walk(tree.nextMatch(found, zoom, mirror.node, step, least));
	}

	openMenu(node, x, y) {
		const {tree} = this;
		this.page.openFrameMenu({name: tree.name(node), module: tree.module(node), root: !node || tree.isSmall(node),
			path: tree.line(node).slice(1).map((each) => tree.name(each)).join(";"),
			zoom: () => this.zoomTo(node)}, x, y);
	}

	menuAtFocus() {
		const {node} = this.mirror, at = this.flame.placeOf(node);
		if (at)
			this.openMenu(node, at.x + Math.min(at.width / 2, 40), at.y + at.height);
	}

	// ---- Keys ----

	hasFocus() {
		return this.mirror.hasFocus();
	}

	focus() {
		this.walk(this.mirror.node);
	}

	makeKeys() {
		const {mirror, page} = this, zoomed = () => page.state.zoom;
		const zoom = () => this.zoomTo(mirror.node);
		return {
			ArrowUp: () => this.walk(this.isDown() ? mirror.caller() : mirror.callee()),
			ArrowDown: () => this.walk(this.isDown() ? mirror.callee() : mirror.caller()),
			ArrowLeft: () => this.walk(mirror.beside(zoomed(), -1)),
			ArrowRight: () => this.walk(mirror.beside(zoomed(), 1)),
			Home: () => this.walk(0),
			Enter: zoom,
			" ": zoom,
			Backspace: () => this.zoomTo(this.tree.parent[zoomed()]),
			m: () => this.menuAtFocus()
		};
	}

	escape() {
		if (!this.page.state.zoom)
			return false;
		this.zoomTo(0);
		return true;
	}

	// ---- For tests ----

	boxState(box, place) {
		const {tree} = this;
		return {node: box.i, name: tree.name(box.i), total: tree.total[box.i], self: tree.own(box.i),
			depth: tree.depth[box.i], faded: box.faded, ...sidesOf(tree, box.i), match: tree.isMatch(this.found, box.i),
			label: box.label, ...this.flame.placeOfBox(box, place)};
	}

	onScreen() {
		const {tree, flame} = this, {zoom} = this.page.state;
		const place = flame.canvas.getBoundingClientRect();
		return {
			tree: tree && {total: tree.total[0], nodes: tree.count, zoom: tree.name(zoom),
				zoomTotal: tree.total[zoom], boxes: flame.drawn().map((box) => this.boxState(box, place))},
			focus: this.hasFocus() ? tree.name(this.mirror.node) : ""
		};
	}
}
