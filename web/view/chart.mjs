// chart.mjs: how is the flame chart drawn, and which box is at the pointer?
//
// Lanes are stacked; each has its label and one row per depth, the outermost frame first. The canvas stays in view
// while its pane is scrolled; only visible boxes are drawn.
import { contextOf, onceAFrame, styleOf } from "./canvas.mjs";
import { Frames } from "./frames.mjs";
import { Letters } from "./letters.mjs";
import { parseUnit, roundStep, seconds } from "./numbers.mjs";
import { Outlines } from "./outlines.mjs";

const ROW = 17, AXIS = 18; // pixels
const THIN = 0.5, LABEL_FROM = 24, DRAG = 4; // pixels
const FONT = "12px system-ui, sans-serif", SMALL = "11px system-ui, sans-serif";

// The boxes as the server sends them, and the rows that they stand in. Times are ns from the first sample.
export class ChartData {
	constructor(answer, first) {
		const {header, columns} = answer;
		Object.assign(this, columns);
		this.header = header;
		this.count = columns.begin.length;
		this.offset = Number(BigInt(header.start) - BigInt(first));
		this.unit = parseUnit(header.unit, header.decimals);
		this.frames = new Frames(answer);
		this.makeRows();
	}

	// rows: {first, end} boxes, or a lane's label.
	makeRows() {
		this.rows = [];
		this.rowOf = new Uint32Array(this.count);
		let at = 0;
		for (let lane = 0; lane < this.header.labels.length; lane++) {
			this.rows.push({label: this.header.labels[lane], first: 0, end: 0});
			while (at < this.count && this.lane[at] === lane) {
				const first = at, depth = this.depth[at];
				for (; at < this.count && this.lane[at] === lane && this.depth[at] === depth; at++)
					this.rowOf[at] = this.rows.length;
				this.rows.push({label: "", first, end: at});
			}
		}
	}

	from(i) {
		return this.begin[i] + this.offset;
	}

	to(i) {
		return this.end[i] + this.offset;
	}

	textOf(i) {
		return this.frames.name(this.frame[i]);
	}

	moduleOf(i) {
		return this.frames.module(this.frame[i]);
	}

	colour(i) {
		return this.frames.colour(this.frame[i]);
	}

	kindOf(i) {
		return this.frames.kindName(this.frame[i]);
	}

	// The first box of a row that ends behind a time, or where the row ends.
	after(row, time) {
		let {first, end} = row;
		while (first < end) {
			const middle = (first + end) >> 1;
			if (this.to(middle) > time)
				end = middle;
			else
				first = middle + 1;
		}
		return first;
	}
}

export class Chart {
	// on: {point(box or -1), zoom(box), menu(box, x, y), select(range), wheel(event, x)}.
	constructor(scroller, on) {
		this.scroller = scroller;
		this.space = scroller.querySelector(".space");
		this.canvas = scroller.querySelector("canvas");
		this.on = on;
		this.data = null;
		this.range = {from: 0, to: 1};
		this.found = null;
		this.boxes = [];
		this.high = ROW - 1; // pixels, of a box
		this.outlines = new Outlines(this);
		this.drag = null; // {x, to}: pixels
		this.draw = onceAFrame(() => this.paint());
		this.listen();
	}

	// what: some of {data, range, found}; the range has both ends.
	show(what) {
		if (what.data && what.data !== this.data)
			this.outlines.clear();
		Object.assign(this, what);
		this.space.style.height = AXIS + this.data.rows.length * ROW + "px";
		this.paint();
	}

	// ---- Places ----

	width() {
		return this.scroller.clientWidth;
	}

	timeAt(x) {
		const {from, to} = this.range;
		return from + x / this.width() * (to - from);
	}

	xOf(time) {
		const {from, to} = this.range;
		return (time - from) / (to - from) * this.width();
	}

	rowOf(box) {
		return box.row;
	}

	topOf(box) {
		return this.yOf(box.row);
	}

	yOf(row) {
		return AXIS + row * ROW - this.pane.scroll;
	}

	scrollTo(box) {
		const y = this.data.rowOf[box] * ROW, s = this.scroller;
		if (y < s.scrollTop)
			s.scrollTop = y;
		else if (y + ROW + AXIS > s.scrollTop + s.clientHeight)
			s.scrollTop = y + ROW + AXIS - s.clientHeight;
	}

	// ---- Boxes ----

	findBoxes() {
		const {data, range, boxes, pane} = this;
		const first = Math.max(0, Math.floor(pane.scroll / ROW));
		const end = Math.min(data.rows.length, Math.ceil((pane.scroll + pane.height) / ROW));
		boxes.length = 0;
		for (let row = first; row < end; row++) {
			let drawn = -Infinity;
			for (let i = data.after(data.rows[row], range.from); i < data.rows[row].end; i++) {
				if (data.from(i) >= range.to)
					break;
				const x = Math.max(this.xOf(data.from(i)), 0);
				const right = Math.min(this.xOf(data.to(i)), pane.width);
				if (right < drawn + THIN)
					continue; // no pixel of its own
				drawn = right;
				boxes.push({i, row, x, width: Math.max(right - x, 1), label: ""});
			}
		}
	}

	boxAt(x, y) {
		const row = Math.floor((y + this.pane.scroll - AXIS) / ROW);
		return y < AXIS ? undefined : this.boxes.find((box) => box.row === row && x >= box.x && x < box.x + box.width);
	}

	placeOf(i) {
		const box = this.boxes.find((each) => each.i === i), place = this.canvas.getBoundingClientRect();
		return box && {x: place.x + box.x, y: place.y + this.yOf(box.row), width: box.width, height: ROW};
	}

	// ---- Painting ----

	paint() {
		if (!this.data)
			return;
		const s = this.scroller;
		this.pane = {width: s.clientWidth, height: s.clientHeight, scroll: s.scrollTop};
		if (!this.pane.width)
			return;
		const context = contextOf(this.canvas, this.pane.width, this.pane.height);
		context.clearRect(0, 0, this.pane.width, this.pane.height);
		context.textBaseline = "middle";
		this.findBoxes();
		this.paintLanes(context);
		this.paintBoxes(context, this.boxes);
		this.outlines.paint(context);
		this.paintAbove(context);
		this.paintDrag(context);
	}

	paintBoxes(context, boxes) {
		context.font = FONT;
		this.letters = this.letters || new Letters(context);
		this.fill(context, boxes);
		this.label(context, boxes);
	}

	// Boxes scroll below the time axis.
	paintAbove(context) {
		this.paintTimes(context);
	}

	paintLanes(context) {
		context.font = SMALL;
		context.textAlign = "left";
		this.data.rows.forEach(({label}, row) => {
			const y = this.yOf(row);
			if (!label || y < -ROW || y > this.pane.height)
				return;
			context.fillStyle = styleOf("--line");
			context.fillRect(0, y, this.pane.width, 1);
			context.fillStyle = styleOf("--quiet");
			context.fillText(label, 4, y + ROW / 2 + 1);
		});
	}

	fill(context, all) {
		const {data} = this, buckets = new Map(), lit = styleOf("--match");
		for (const box of all) {
			const colour = this.found && this.found[data.frame[box.i]] ? lit : data.colour(box.i);
			if (!buckets.has(colour))
				buckets.set(colour, []);
			buckets.get(colour).push(box);
		}
		// In a fixed order: narrow boxes overlap, and may be repainted without the others.
		for (const colour of [...buckets.keys()].sort()) {
			context.fillStyle = colour;
			for (const {row, x, width} of buckets.get(colour))
				context.fillRect(x, this.yOf(row), width > 2 ? width - 0.6 : width, ROW - 1);
		}
	}

	label(context, boxes) {
		context.fillStyle = "#000";
		for (const box of boxes) {
			box.label = box.width < LABEL_FROM ? "" :
				this.letters.fit(this.data.textOf(box.i), box.width - 7);
			if (box.label)
				context.fillText(box.label, box.x + 3, this.yOf(box.row) + ROW / 2);
		}
	}

	// On whole pixels of the screen, so that repainting leaves no trace at the edges.
	paintTimes(context) {
		const {from, to} = this.range, {width} = this.pane, step = roundStep(to - from, width / 110);
		const ratio = window.devicePixelRatio || 1, whole = (size) => Math.ceil(size * ratio) / ratio;
		context.fillStyle = styleOf("--page");
		context.fillRect(0, 0, whole(width), whole(AXIS));
		context.fillStyle = styleOf("--quiet");
		context.font = SMALL;
		context.textAlign = "center";
		for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
			const x = this.xOf(time), text = seconds(time) + " s", half = context.measureText(text).width / 2;
			context.fillRect(Math.round(x), AXIS - 4, 1, 4);
			if (x - half >= 0 && x + half <= width)
				context.fillText(text, x, (AXIS - 4) / 2);
		}
		context.textAlign = "left";
	}

	// Shade everything outside of the selection.
	paintDrag(context) {
		if (!this.drag || this.drag.to === null)
			return;
		const {width, height} = this.pane, a = Math.min(this.drag.x, this.drag.to);
		const b = Math.max(this.drag.x, this.drag.to);
		context.fillStyle = styleOf("--veil");
		context.fillRect(0, 0, a, height);
		context.fillRect(b, 0, width - b, height);
		context.fillStyle = styleOf("--focus");
		context.fillRect(a, 0, 1, height);
		context.fillRect(b, 0, 1, height);
	}

	// ---- Pointers ----

	place(event) {
		const place = this.canvas.getBoundingClientRect();
		return {x: event.clientX - place.x, y: event.clientY - place.y};
	}

	at(event) {
		const {x, y} = this.place(event), box = this.data && this.boxAt(x, y);
		return box ? box.i : -1;
	}

	point(i) {
		if (i === this.outlines.hovered)
			return;
		this.outlines.move("hovered", i);
		this.on.point(i);
	}

	press(event) {
		if (event.button !== 0 || !this.data)
			return;
		this.drag = {x: this.place(event).x, to: null};
		this.canvas.setPointerCapture(event.pointerId);
	}

	move(event) {
		const {x} = this.place(event);
		this.point(this.drag ? -1 : this.at(event));
		if (!this.drag || (this.drag.to === null && Math.abs(x - this.drag.x) < DRAG))
			return;
		this.drag.to = Math.max(0, Math.min(this.width(), x));
		this.draw();
	}

	release(event) {
		const {drag} = this, box = this.at(event);
		this.drag = null;
		this.draw();
		if (drag && drag.to !== null) {
			const [a, b] = [this.timeAt(drag.x), this.timeAt(drag.to)];
			this.on.select({from: Math.min(a, b), to: Math.max(a, b)});
		} else if (drag && box >= 0) {
			this.on.zoom(box);
		}
	}

	// Cancel a drag; returns whether there was one.
	cancel() {
		const dragged = this.drag !== null;
		this.drag = null;
		this.draw();
		return dragged;
	}

	listen() {
		this.canvas.addEventListener("pointerdown", (event) => this.press(event));
		this.canvas.addEventListener("pointermove", (event) => this.move(event));
		this.canvas.addEventListener("pointerup", (event) => this.release(event));
		this.canvas.addEventListener("pointercancel", () => this.cancel());
		this.canvas.addEventListener("pointerleave", () => this.point(-1));
		this.canvas.addEventListener("contextmenu", (event) => {
			const box = this.at(event);
			if (box < 0)
				return;
			event.preventDefault();
			this.on.menu(box, event.clientX, event.clientY);
		});
		this.canvas.addEventListener("wheel", (event) => this.on.wheel(event, this.place(event).x), {passive: false});
		this.scroller.addEventListener("scroll", () => this.draw());
		new ResizeObserver(() => this.draw()).observe(this.scroller);
	}
}
