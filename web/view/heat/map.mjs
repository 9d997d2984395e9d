// map.mjs: the heat map: how is time selected with pointer and keys?
//
// Columns of time from left to right, each from its start (bottom) to its end (top); or with lanes, a
// thread's or a CPU's each. A selection is half-open, [from, to) in ns from the first sample, and goes up
// one column and on in the next.
import { onceAFrame } from "../canvas.mjs";
import { Cells } from "./cells.mjs";
import { Painter } from "./paint.mjs";
import { GRIP, Place } from "./place.mjs";

export class Heatmap {
	// on: {select(range or null, phase, which), point(spot or null), lane(label), walked(label)}; phase: "drag", "key", "end" or "cancel";
	// which: "range", or "baseline" with Alt.
	constructor(canvas, on) {
		this.canvas = canvas;
		this.on = on;
		this.map = null; // Cells
		this.place = new Place(canvas);
		this.painter = new Painter(this.place);
		this.range = null; // what is selected, {from, to}; ends that are open are null
		this.baseline = null; // what it is compared with
		this.dragged = "range"; // or "baseline"
		this.anchor = -1; // cell where a drag has begun
		this.before = null; // what was selected before the drag
		this.held = ""; // which end of it is dragged, or ""
		this.grip = null; // where it was taken hold of, until it is pulled
		this.hovered = -1;
		this.lane = -1; // to which keys have walked
		this.draw = onceAFrame(() => this.paint());
		this.listen();
	}

	// answer: the server's.
	show(answer) {
		this.map = this.place.map = new Cells(answer);
		this.painter.changed();
		this.paint();
	}

	paint() {
		this.painter.paint(this.range, this.hovered, this.baseline);
	}

	setScale(scale) {
		this.painter.setScale(scale);
		this.draw();
	}

	setRanges(range, baseline) {
		this.range = range;
		this.baseline = baseline;
		this.draw();
	}

	themeChanged() {
		this.painter.changed();
		this.draw();
	}

	// ---- Pointers ----

	listen() {
		this.canvas.addEventListener("pointerdown", (event) => this.press(event));
		this.canvas.addEventListener("pointermove", (event) => this.move(event));
		this.canvas.addEventListener("pointerup", () => this.release());
		this.canvas.addEventListener("pointercancel", () => this.cancel());
		this.canvas.addEventListener("pointerleave", () => this.point(-1));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
	}

	press(event) {
		if (event.button !== 0 || !this.map)
			return;
		if (this.place.labelAt(event))
			this.on.lane(this.place.labelAt(event));
		if (this.edgeAt(event))
			return this.takeHold(event);
		if (!this.place.isInside(event))
			return;
		const cell = this.place.cellAt(event);
		this.canvas.setPointerCapture(event.pointerId);
		this.dragged = event.altKey ? "baseline" : "range";
		this.held = "";
		this.grip = null;
		this.before = this[this.dragged];
		this.anchor = cell;
		if (event.shiftKey && this.before) {
			const [first, last] = this.map.cellsOf(this.before);
			this.anchor = Math.abs(cell - first) > Math.abs(cell - last) ? first : last;
		}
		this.select(this.map.rangeOf(this.anchor, cell), "drag");
	}

	edgeAt(event) {
		return event.shiftKey || event.altKey ? "" : this.place.edgeAt(event, this.range);
	}

	// Of the end at the pointer: the other one stays.
	takeHold(event) {
		const [first, last] = this.map.cellsOf(this.range);
		this.canvas.setPointerCapture(event.pointerId);
		this.dragged = "range";
		this.before = this.range;
		this.held = this.edgeAt(event);
		this.grip = {x: event.clientX, y: event.clientY};
		this.anchor = this.held === "from" ? last : first;
	}

	// An end that is held goes nowhere until it is pulled.
	isStill({clientX: x, clientY: y}) {
		if (this.grip && Math.abs(x - this.grip.x) + Math.abs(y - this.grip.y) > GRIP)
			this.grip = null;
		return this.grip !== null;
	}

	// What is dragged, up to the cell at the pointer. The end that is not held stays exactly where it was.
	draggedTo(cell) {
		const {held, anchor, before} = this, range = this.map.rangeOf(anchor, cell);
		if (held === "to" && cell >= anchor)
			range.from = before.from;
		if (held === "from" && cell <= anchor)
			range.to = before.to;
		return range;
	}

	move(event) {
		if (!this.map)
			return;
		this.canvas.classList.toggle("edge", this.anchor < 0 && this.edgeAt(event) !== "");
		this.canvas.classList.toggle("label", this.place.labelAt(event) !== "");
		this.point(this.place.isInside(event) ? this.place.spotAt(event) : -1);
		if (this.anchor >= 0 && !this.isStill(event))
			this.select(this.draggedTo(this.place.cellAt(event)), "drag");
	}

	release() {
		if (this.anchor < 0)
			return;
		this.anchor = -1;
		if (this[this.dragged] === this.before)
			return; // an end was held, and not moved
		this.on.select(this[this.dragged], "end", this.dragged);
	}

	isDragged() {
		return this.anchor >= 0;
	}

	// Cancel a drag; returns whether there was one.
	cancel() {
		if (this.anchor < 0)
			return false;
		this.anchor = -1;
		this.select(this.before, "cancel");
		return true;
	}

	select(range, phase) {
		const same = JSON.stringify(range) === JSON.stringify(this[this.dragged]);
		if (same && phase === "drag")
			return;
		this[this.dragged] = range;
		this.draw();
		this.on.select(range, phase, this.dragged);
	}

	point(spot) {
		if (spot === this.hovered)
			return;
		this.hovered = spot;
		this.draw();
		if (spot < 0)
			return this.on.point(null);
		const cell = this.map.cellOfSpot(spot), {labels, rows, value, matched} = this.map;
		this.on.point({...this.map.rangeOf(cell, cell), value: value[spot],
			matched: matched ? matched[spot] : null,
			label: labels ? labels[spot % rows] : ""});
	}

	// ---- Keys ----

	// Arrows move the selection by a column or a row, with Shift only its end; where rows are lanes, up and
	// down walk them, and Enter chooses one.
	key(event) {
		if (!this.map || event.ctrlKey || event.metaKey || event.altKey)
			return;
		const {parts, labels} = this.map;
		const step = {ArrowLeft: -parts, ArrowRight: parts, ArrowUp: 1, ArrowDown: -1}[event.key];
		const chosen = labels && event.key === "Enter" && labels[this.lane];
		if (!step && !chosen)
			return;
		event.preventDefault();
		event.stopPropagation();
		if (chosen)
			this.on.lane(chosen);
		else if (labels && /Up|Down/.test(event.key))
			this.walk(-step);
		else
			this.moveRange(event, step);
	}

	walk(step) {
		const {map} = this, {labels} = map;
		this.lane = Math.max(0, Math.min(labels.length - 1, this.lane + step));
		this.point((this.range ? Math.floor(map.cellsOf(this.range)[0]) : 0) * map.rows + this.lane);
		this.on.walked(labels[this.lane]);
	}

	moveRange(event, step) {
		const first = this.map.cellOf(0), last = this.map.cells - 1;
		let [a, b] = this.range ? this.map.cellsOf(this.range) : [first, first + this.map.parts - 1];
		a = Math.max(a, first);
		if (this.range && event.shiftKey) {
			b = Math.max(a, Math.min(last, b + step));
		} else if (this.range) {
			const by = Math.max(first - a, Math.min(last - b, step));
			a += by;
			b += by;
		}
		this.dragged = "range";
		this.select(this.map.rangeOf(a, Math.min(b, last)), "key");
	}
}
