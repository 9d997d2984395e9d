// map.mjs: when was how much, and which part of the time is chosen?
//
// Columns of time from left to right, each from its start (bottom) to its end (top); or with lanes, a
// thread's or a CPU's each. A selection is half-open, [from, to) in ns from the first sample, and goes up
// one column and on in the next.
import { onceAFrame } from "../canvas.mjs";
import { Cells } from "./cells.mjs";
import { Painter } from "./paint.mjs";
import { Place } from "./place.mjs";

export class Heatmap {
	// on: {select(range or null, phase, which), point(spot or null), lane(label)}; phase: "drag", "key", "end" or "cancel";
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
		this.hovered = -1;
		this.draw = onceAFrame(() => this.paint());
		this.listen();
	}

	// answer: the server's; first: ns, when the first sample was taken, on its clock.
	show(answer, first) {
		this.map = this.place.map = new Cells(answer, first);
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
		if (!this.place.isInside(event))
			return;
		const cell = this.place.cellAt(event);
		this.canvas.setPointerCapture(event.pointerId);
		this.dragged = event.altKey ? "baseline" : "range";
		this.before = this[this.dragged];
		this.anchor = cell;
		if (event.shiftKey && this.before) {
			const [first, last] = this.map.cellsOf(this.before);
			this.anchor = Math.abs(cell - first) > Math.abs(cell - last) ? first : last;
		}
		this.select(this.map.rangeOf(this.anchor, cell), "drag");
	}

	move(event) {
		if (!this.map)
			return;
		this.canvas.classList.toggle("label", this.place.labelAt(event) !== "");
		this.point(this.place.isInside(event) ? this.place.spotAt(event) : -1);
		if (this.anchor >= 0)
			this.select(this.map.rangeOf(this.anchor, this.place.cellAt(event)), "drag");
	}

	release() {
		if (this.anchor < 0)
			return;
		this.anchor = -1;
		this.on.select(this[this.dragged], "end", this.dragged);
	}

	isDragged() {
		return this.anchor >= 0;
	}

	// Gives up a drag; true when there was one.
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

	// Arrows move the selection by a column or a row, with Shift only its end.
	key(event) {
		const steps = this.map && {ArrowLeft: -this.map.parts, ArrowRight: this.map.parts,
			ArrowUp: 1, ArrowDown: -1};
		const step = steps && steps[event.key];
		if (!step || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		event.stopPropagation();
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
