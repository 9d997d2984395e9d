// flame.mjs: how is a flame graph drawn, and which box is at the pointer?
//
// Only visible boxes are drawn: subtrees outside the view or thinner than half a pixel are skipped.
import { contextOf, onceAFrame, styleOf } from "./canvas.mjs";
import { Letters } from "./letters.mjs";
import { Outlines } from "./outlines.mjs";
import { SLIVER, Slivers } from "./slivers.mjs";

export const ROW = 18; // pixels
const THIN = 0.5, LABEL_FROM = 24;
const FONT = "12px system-ui, sans-serif";

// A pattern of diagonal lines; this is one tile.
function hatchOf(context) {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 8;
	const lines = tile.getContext("2d");
	lines.strokeStyle = "rgba(255, 255, 255, 0.55)";
	lines.lineWidth = 2;
	for (const shift of [-8, 0, 8]) {
		lines.moveTo(shift, 8);
		lines.lineTo(shift + 8, 0);
	}
	lines.stroke();
	return context.createPattern(tile, "repeat");
}

export class Flame {
	// scroller holds `space`, which is as high as the picture, with the canvas in it. on: {point(node or
	// -1), zoom(node), menu(node, x, y)}.
	constructor(scroller, on) {
		this.scroller = scroller;
		this.space = scroller.querySelector(".space");
		this.canvas = scroller.querySelector("canvas");
		this.on = on;
		this.tree = null;
		this.zoom = 0;
		this.found = null;
		this.icicle = false;
		this.byName = true;
		this.base = 0; // depth of the first row
		this.painted = -1; // where it was scrolled to then
		this.boxes = [];
		this.spare = []; // boxes of the picture before: thousands a picture would be garbage
		this.high = ROW - 1; // pixels, of a box
		this.outlines = new Outlines(this);
		this.slivers = new Slivers();
		this.far = 0; // pixels that the root is scrolled away, kept while the pane changes its size
		this.draw = onceAFrame(() => this.paint());
		this.listen();
	}

	// what: some of {tree, zoom, found, icicle, byName, base}.
	show(what) {
		const turned = what.icicle !== undefined && what.icicle !== this.icicle;
		const moved = turned || (what.zoom !== undefined && what.zoom !== this.zoom);
		if (what.tree && what.tree !== this.tree)
			this.outlines.clear();
		Object.assign(this, what);
		if (!this.tree)
			return;
		this.levels = Math.max(0, this.depthBelow(this.zoom) + 1 - this.base);
		this.space.style.height = this.levels * ROW + "px";
		this.scrollFromRoot(moved ? 0 : this.far);
		this.draw();
	}

	depthBelow(top) {
		const {depth, end} = this.tree;
		let most = depth[top];
		for (let i = top; i < end[top]; i++)
			if (depth[i] > most)
				most = depth[i];
		return most;
	}

	// ---- Rows ----

	// Sizes of the pane, read once per paint: reading them may cause a layout.
	measure() {
		const s = this.scroller;
		this.pane = {width: s.clientWidth, height: s.clientHeight, scroll: s.scrollTop};
		this.height = Math.max(this.levels * ROW, s.clientHeight);
	}

	// After a resize, the ResizeObserver restores the scroll position.
	scrolled() {
		const s = this.scroller;
		if (s.scrollTop !== this.painted)
			this.draw();
		if (s.clientHeight !== this.sized)
			return;
		this.far = this.icicle ? s.scrollTop : s.scrollHeight - s.clientHeight - s.scrollTop;
	}

	scrollFromRoot(far) {
		const s = this.scroller;
		this.far = far;
		this.sized = s.clientHeight;
		s.scrollTop = this.icicle ? far : s.scrollHeight - s.clientHeight - far;
	}

	// Where a row is on the canvas.
	top(depth) {
		const row = depth - this.base, y = this.icicle ? row * ROW : this.height - (row + 1) * ROW;
		return y - this.pane.scroll;
	}

	rowOf(box) {
		return this.tree.depth[box.i];
	}

	topOf(box) {
		return this.top(this.rowOf(box));
	}

	rowAt(y) {
		const at = y + this.pane.scroll;
		return Math.floor((this.icicle ? at : this.height - 1 - at) / ROW) + this.base;
	}

	scrollTo(node) {
		this.measure();
		const y = this.top(this.tree.depth[node]), by = Math.min(y, 0) || Math.max(y + ROW - this.pane.height, 0);
		if (!by)
			return;
		this.scroller.scrollTop += by;
		this.draw();
	}

	// ---- Boxes ----

	// The boxes on the screen, painting them first if they are out of date.
	drawn() {
		this.draw.now();
		return this.boxes;
	}

	findBoxes() {
		const {tree, zoom, boxes} = this, {width, height} = this.pane;
		const ends = [this.rowAt(0), this.rowAt(height - 1)];
		const low = Math.min(...ends), high = Math.max(...ends);
		const scale = tree.total[zoom] ? width / tree.total[zoom] : 0;
		const left = tree.x[zoom];
		for (const box of boxes)
			this.spare.push(box);
		boxes.length = 0;
		for (const i of tree.line(zoom).slice(0, -1))
			if (tree.depth[i] >= low && tree.depth[i] <= high)
				this.addBox(i, 0, width, true);
		for (let i = zoom; i < tree.end[zoom];) {
			const wide = i === zoom ? width : tree.total[i] * scale, depth = tree.depth[i];
			if (wide < THIN) {
				i = this.byName ? tree.end[i] : tree.end[tree.parent[i]];
				continue;
			}
			if (depth >= low && depth <= high)
				this.addBox(i, (tree.x[i] - left) * scale, wide, false);
			i = depth > high ? tree.end[i] : i + 1;
		}
	}

	addBox(i, x, width, faded) {
		const box = this.spare.pop() || {i: 0, x: 0, width: 0, faded: false, label: ""};
		box.i = i;
		box.x = x;
		box.width = width;
		box.faded = faded;
		this.boxes.push(box);
	}

	boxAt(x, y) {
		const boxes = this.drawn(), row = this.rowAt(y);
		return boxes.find((box) => this.tree.depth[box.i] === row &&
			x >= box.x && x < Math.max(box.x + box.width, box.x + 1)) || null;
	}

	// ---- Painting ----

	paint() {
		if (!this.tree)
			return;
		this.measure();
		this.painted = this.pane.scroll;
		const {width, height} = this.pane;
		const context = contextOf(this.canvas, width, height);
		context.clearRect(0, 0, width, height);
		context.font = FONT;
		context.textBaseline = "middle";
		this.letters = this.letters || new Letters(context);
		this.findBoxes();
		this.paintBoxes(context, this.boxes);
		this.outlines.paint(context);
	}

	paintBoxes(context, boxes) {
		this.fill(context, boxes);
		this.label(context, boxes);
	}

	// Hook: the flame chart paints its axis here.
	paintAbove() {}

	// One fill per colour. In comparisons colours show the change, so matches, new and removed frames are marked by
	// borders instead.
	fill(context, all) {
		const {tree} = this, match = styleOf("--match"), plain = new Map(), faded = new Map();
		const colourOf = ({i}) => !tree.compared && tree.isMatch(this.found, i) ? match : tree.colour(i);
		this.fillSlivers(context, all.filter((box) => box.width < SLIVER), colourOf);
		for (const box of all) {
			if (box.width < SLIVER)
				continue;
			const colour = colourOf(box), buckets = box.faded ? faded : plain, bucket = buckets.get(colour);
			if (bucket)
				bucket.push(box);
			else
				buckets.set(colour, [box]);
		}
		context.globalAlpha = 0.4;
		this.fillBuckets(context, faded);
		context.globalAlpha = 1;
		this.fillBuckets(context, plain);
		if (tree.compared)
			this.frame(context, all);
	}

	fillSlivers(context, boxes, colourOf) {
		const {slivers, tree: {depth}} = this;
		let low = Infinity, high = -1;
		for (const {i} of boxes) {
			low = Math.min(low, depth[i]);
			high = Math.max(high, depth[i]);
		}
		if (high < 0)
			return;
		slivers.begin(this.pane.width, high - low + 1, window.devicePixelRatio || 1);
		for (const box of boxes)
			slivers.put(depth[box.i] - low, box.x, box.width, slivers.word(colourOf(box)));
		slivers.paint(context, high - low + 1, (row) => this.top(low + row), this.high);
	}

	// In a fixed order: neighbours may share a pixel, and are repainted without the others.
	fillBuckets(context, buckets) {
		const {tree, high} = this;
		for (const colour of [...buckets.keys()].sort()) {
			context.fillStyle = colour;
			for (const {i, x, width} of buckets.get(colour))
				context.fillRect(x, this.top(tree.depth[i]), width - 0.6, high);
		}
	}

	// Removed frames are hatched with a dashed border; new ones have a solid border.
	frame(context, boxes) {
		const {tree} = this, hatch = hatchOf(context);
		for (const box of boxes) {
			const {i, x, width} = box, y = this.top(tree.depth[i]), gone = tree.isGone(i);
			const match = tree.isMatch(this.found, i);
			if (width < 4 || !(gone || match || tree.isNew(i)))
				continue;
			if (gone) {
				context.fillStyle = hatch;
				context.fillRect(x, y, width - 0.6, this.high);
			}
			context.setLineDash(gone && !match ? [3, 2] : []);
			context.strokeStyle = match ? styleOf("--match") : "#444";
			context.lineWidth = match ? 2 : 1;
			context.strokeRect(x + 1, y + 1, width - 2.6, ROW - 3);
		}
		context.setLineDash([]);
	}

	label(context, boxes) {
		const {tree} = this, onFaded = styleOf("--text");
		for (const box of boxes) {
			box.label = box.width < LABEL_FROM ? "" :
				this.letters.fit(tree.name(box.i), box.width - 7);
			if (!box.label)
				continue;
			context.fillStyle = box.faded ? onFaded : "#000";
			context.fillText(box.label, box.x + 3, this.top(tree.depth[box.i]) + ROW / 2);
		}
	}

	// ---- Pointers ----

	point(node) {
		if (node === this.outlines.hovered)
			return;
		this.outlines.move("hovered", node);
		this.canvas.classList.toggle("hit", node >= 0);
		this.on.point(node);
	}

	at(event) {
		const place = this.canvas.getBoundingClientRect();
		const box = this.tree && this.boxAt(event.clientX - place.x, event.clientY - place.y);
		return box ? box.i : -1;
	}

	listen() {
		this.canvas.addEventListener("pointermove", (event) => this.point(this.at(event)));
		this.canvas.addEventListener("pointerleave", () => this.point(-1));
		this.canvas.addEventListener("click", (event) => {
			const node = this.at(event);
			if (node >= 0)
				this.on.zoom(node);
		});
		this.canvas.addEventListener("contextmenu", (event) => {
			const node = this.at(event);
			if (node < 0)
				return;
			event.preventDefault();
			this.on.menu(node, event.clientX, event.clientY);
		});
		this.scroller.addEventListener("scroll", () => this.scrolled());
		new ResizeObserver(() => {
			this.scrollFromRoot(this.far);
			this.draw();
		}).observe(this.scroller);
	}

	focus(node) {
		this.outlines.move("focused", node);
		if (node >= 0)
			this.scrollTo(node);
	}

	// The position of a node on the screen; null: it is not drawn.
	placeOf(node) {
		const box = this.drawn().find((each) => each.i === node);
		return box && this.placeOfBox(box, this.canvas.getBoundingClientRect());
	}

	placeOfBox(box, place) {
		return {x: place.x + box.x, y: place.y + this.topOf(box), width: box.width,
			height: ROW};
	}
}
