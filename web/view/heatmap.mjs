// heatmap.mjs: when was how much, and which part of the time is chosen?
//
// Columns of time from left to right, each from its start (bottom) to its end (top); or with lanes, a
// thread's or a CPU's each. A selection is half-open, [from, to) in ns from the first sample, and goes up
// one column and on in the next. A cell is a part of the time: a column has `parts`, one with lanes. A
// spot is what has a colour: its number is that of its value.
import { contextOf, onceAFrame, styleOf } from "./canvas.mjs";
import { SCALES, ramp } from "./colours.mjs";
import { Letters } from "./letters.mjs";
import { duration, seconds } from "./numbers.mjs";

const LEFT = 52, LEFT_OF_LANES = 150, BOTTOM = 18, RIGHT = 8; // pixels around the cells
const HEIGHTS = [[12, 12], [25, 6], [50, 3], [100, 2]]; // pixels of a row, for up to so many rows
const LANES = [14, 20]; // at most so many pixels high, and so many lanes of threads: the rest is one
const FONT = "11px system-ui, sans-serif";

export class Heatmap {
	// on: {select(range or null, phase), point(spot or null), lane(label)}; phase: "drag", "key", "end" or "cancel".
	constructor(canvas, on) {
		this.canvas = canvas;
		this.on = on;
		this.map = null;
		this.scale = "sqrt";
		this.range = null; // what is selected, {from, to}; ends that are open are null
		this.anchor = -1; // cell where a drag has begun
		this.before = null; // what was selected before the drag
		this.hovered = -1;
		this.image = document.createElement("canvas");
		this.draw = onceAFrame(() => this.paint());
		this.listen();
	}

	// answer: the server's; first: ns, when the first sample was taken, on its clock.
	show({header, columns}, first) {
		const {value, labels} = foldLanes(columns.value, header);
		const rows = labels ? labels.length : header.rows, parts = labels ? 1 : rows;
		let most = 0;
		for (let i = 0; i < value.length; i++)
			if (value[i] > most)
				most = value[i];
		this.map = {
			value, most, rows, labels, parts, column: header.column,
			columns: header.columns_count, total: header.total, untimed: header.untimed,
			offset: Number(BigInt(header.start) - BigInt(first)),
			cells: header.columns_count * parts
		};
		this.stale = true;
		this.paint();
	}

	setScale(scale) {
		this.stale = this.stale || scale !== this.scale;
		this.scale = scale;
		this.draw();
	}

	setRange(range) {
		this.range = range;
		this.draw();
	}

	themeChanged() {
		this.stale = true;
		this.draw();
	}

	// ---- Cells and times ----

	// When cell i begins; that of the cell behind the last one is when the map ends.
	begin(i) {
		const {parts, column, offset} = this.map;
		return offset + Math.floor(i / parts) * column + Math.ceil(i % parts * column / parts);
	}

	cellOf(time) {
		const {parts, column, offset, cells} = this.map;
		const since = time - offset;
		const cell = Math.floor(since / column) * parts +
			Math.floor(since % column * parts / column);
		return Math.max(0, Math.min(cells - 1, cell));
	}

	// Both ends as times, also of a range that is open.
	ends(range) {
		return {from: range.from === null ? this.begin(0) : range.from,
			to: range.to === null ? this.begin(this.map.cells) : range.to};
	}

	// First and last cell of a range.
	cellsOf(range) {
		const {from, to} = this.ends(range);
		return [this.cellOf(from), this.cellOf(to - 1)];
	}

	// The range of all cells from a to b. Nothing is before the first sample: there it is open.
	rangeOf(a, b) {
		const from = this.begin(Math.min(a, b));
		return {from: from <= 0 ? null : from, to: this.begin(Math.max(a, b) + 1)};
	}

	// ---- Places ----

	rowHeight() {
		if (this.map.labels)
			return Math.max(1, Math.min(LANES[0], Math.floor(280 / this.map.rows)));
		return (HEIGHTS.find(([rows]) => this.map.rows <= rows) || [0, 1])[1];
	}

	size() {
		const width = this.canvas.parentElement.clientWidth;
		const left = this.map.labels ? LEFT_OF_LANES : LEFT;
		return {width, left, wide: width - left - RIGHT, high: this.map.rows * this.rowHeight()};
	}

	xOf(column) {
		const {left, wide} = this.size();
		return left + column * wide / this.map.columns;
	}

	// Which row from the top.
	line(row) {
		return this.map.labels ? row : this.map.rows - 1 - row;
	}

	spotAt(event) {
		const {left, wide, high} = this.size(), place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.x - left, y = event.clientY - place.y;
		const clamp = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
		return clamp(x / wide * this.map.columns, this.map.columns) * this.map.rows +
			this.line(clamp(y / high * this.map.rows, this.map.rows));
	}

	cellOfSpot(spot) {
		return this.map.labels ? Math.floor(spot / this.map.rows) : spot;
	}

	// The nearest cell; none before that of the first sample, where the commands know no times.
	cellAt(event) {
		return Math.max(this.cellOfSpot(this.spotAt(event)), this.cellOf(0));
	}

	isInside(event) {
		const {left, wide, high} = this.size(), place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.x - left, y = event.clientY - place.y;
		return x >= 0 && x < wide && y >= 0 && y < high;
	}

	// The label left of the cells that is there, or "".
	labelAt(event) {
		const {left, high} = this.size(), place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.x, y = event.clientY - place.y;
		if (!this.map.labels || x < 0 || x >= left || y < 0 || y >= high)
			return "";
		return this.map.labels[Math.floor(y / this.rowHeight())];
	}

	// Where the cells are on the screen.
	cellsPlace() {
		const place = this.canvas.getBoundingClientRect(), {left, wide, high} = this.size();
		return {x: place.x + left, y: place.y, width: wide, height: high};
	}

	// ---- Painting ----

	// All cells as an image, one pixel each; where columns are thinner than pixels, the most of them.
	makeImage(dots) {
		const {value, rows, columns, most} = this.map;
		const wide = Math.min(columns, dots), colours = ramp(isDark());
		this.image.width = wide;
		this.image.height = rows;
		const context = this.image.getContext("2d");
		const image = context.createImageData(wide, rows);
		const highest = new Float64Array(wide * rows);
		for (let column = 0; column < columns; column++) {
			const x = wide === columns ? column : Math.floor(column * wide / columns);
			for (let row = 0; row < rows; row++) {
				const at = this.line(row) * wide + x;
				highest[at] = Math.max(highest[at], value[column * rows + row]);
			}
		}
		const step = SCALES[this.scale](highest.filter((each) => each > 0), most);
		for (let i = 0; i < highest.length; i++) {
			const colour = highest[i] > 0 ? Math.round(step(highest[i])) * 4 : -1;
			if (colour >= 0)
				image.data.set(colours.subarray(colour, colour + 4), i * 4);
		}
		context.putImageData(image, 0, 0);
		this.stale = false;
		this.imageDots = dots;
	}

	paint() {
		if (!this.map)
			return;
		const {width, left, wide, high} = this.size();
		if (wide < 1)
			return;
		const context = contextOf(this.canvas, width, high + BOTTOM);
		const dots = Math.round(wide * (window.devicePixelRatio || 1));
		context.clearRect(0, 0, width, high + BOTTOM);
		context.fillStyle = styleOf("--empty");
		context.fillRect(left, 0, wide, high);
		if (!this.map.columns)
			return;
		if (this.stale || this.imageDots !== dots)
			this.makeImage(dots);
		context.imageSmoothingEnabled = false;
		context.drawImage(this.image, left, 0, wide, high);
		this.paintRows(context, left, high);
		this.paintTimes(context, left, wide, high);
		this.paintRange(context, left, wide, high);
		this.paintHovered(context);
	}

	// What rows are: parts of a column's time, or lanes.
	paintRows(context, left, high) {
		const {labels, column} = this.map, tall = this.rowHeight();
		context.fillStyle = styleOf("--quiet");
		context.font = FONT;
		context.textAlign = "right";
		if (labels) {
			const letters = this.letters = this.letters || new Letters(context);
			context.textBaseline = "middle";
			const step = Math.ceil(11 / tall); // labels that do not touch
			for (let i = 0; i < labels.length; i += step)
				context.fillText(fitLane(letters, labels[i], left - 12), left - 5,
					i * tall + tall / 2);
			return;
		}
		context.textBaseline = "top";
		context.fillText(duration(column), left - 5, 0);
		context.textBaseline = "bottom";
		context.fillText("0", left - 5, high);
	}

	paintTimes(context, left, wide, high) {
		const {column, columns, offset} = this.map;
		const end = offset + columns * column, step = tick(columns * column, wide / 80);
		context.textAlign = "center";
		context.textBaseline = "top";
		for (let time = 0; time <= end; time += step) {
			const x = left + (time - offset) / (columns * column) * wide;
			const text = seconds(time) + " s";
			context.fillRect(Math.round(x), high, 1, 3);
			if (x + context.measureText(text).width / 2 <= left + wide + RIGHT)
				context.fillText(text, x, high + 4);
		}
	}

	// The outline of a range: up its first column, along the top, down to where it ends.
	path(range, high) {
		const {parts, labels, column, offset, cells} = this.map, path = new Path2D();
		const {from, to} = this.ends(range);
		const clip = (time) => Math.max(offset, Math.min(this.begin(cells), time)) - offset;
		const a = clip(from), b = clip(to);
		if (labels) {
			path.rect(this.xOf(a / column), 0, this.xOf(b / column) - this.xOf(a / column), high);
			return path;
		}
		const first = Math.min(Math.floor(a / column), cells / parts - 1);
		const last = Math.max(first, Math.ceil(b / column) - 1);
		const y = (since, at) => high * (1 - (since - at * column) / column);
		const left = this.xOf(first), right = this.xOf(last + 1);
		if (first === last) {
			path.rect(left, y(b, last), right - left, y(a, first) - y(b, last));
			return path;
		}
		path.moveTo(left, y(a, first));
		path.lineTo(left, 0);
		path.lineTo(this.xOf(last), 0);
		path.lineTo(this.xOf(last), y(b, last));
		path.lineTo(right, y(b, last));
		path.lineTo(right, high);
		path.lineTo(this.xOf(first + 1), high);
		path.lineTo(this.xOf(first + 1), y(a, first));
		path.closePath();
		return path;
	}

	// What is not selected is veiled.
	paintRange(context, left, wide, high) {
		if (!this.range)
			return;
		const path = this.path(this.range, high), all = new Path2D();
		all.rect(left, 0, wide, high);
		all.addPath(path);
		context.fillStyle = styleOf("--veil");
		context.fill(all, "evenodd");
		context.strokeStyle = styleOf("--focus");
		context.lineWidth = 1.5;
		context.stroke(path);
	}

	paintHovered(context) {
		const {rows} = this.map, spot = this.hovered;
		if (spot < 0)
			return;
		const column = Math.floor(spot / rows), x = this.xOf(column), tall = this.rowHeight();
		context.strokeStyle = styleOf("--text");
		context.lineWidth = 1;
		context.strokeRect(x + 0.5, this.line(spot % rows) * tall + 0.5,
			Math.max(this.xOf(column + 1) - x - 1, 1), Math.max(tall - 1, 1));
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
		if (this.labelAt(event))
			this.on.lane(this.labelAt(event));
		if (!this.isInside(event))
			return;
		const cell = this.cellAt(event);
		this.canvas.setPointerCapture(event.pointerId);
		this.before = this.range;
		this.anchor = cell;
		if (event.shiftKey && this.range) {
			const [first, last] = this.cellsOf(this.range);
			this.anchor = Math.abs(cell - first) > Math.abs(cell - last) ? first : last;
		}
		this.select(this.rangeOf(this.anchor, cell), "drag");
	}

	move(event) {
		if (!this.map)
			return;
		this.canvas.classList.toggle("label", this.labelAt(event) !== "");
		this.point(this.isInside(event) ? this.spotAt(event) : -1);
		if (this.anchor >= 0)
			this.select(this.rangeOf(this.anchor, this.cellAt(event)), "drag");
	}

	release() {
		if (this.anchor < 0)
			return;
		this.anchor = -1;
		this.on.select(this.range, "end");
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
		const same = JSON.stringify(range) === JSON.stringify(this.range);
		if (same && phase === "drag")
			return;
		this.setRange(range);
		this.on.select(range, phase);
	}

	point(spot) {
		if (spot === this.hovered)
			return;
		this.hovered = spot;
		this.draw();
		if (spot < 0)
			return this.on.point(null);
		const cell = this.cellOfSpot(spot), {labels, rows, value} = this.map;
		this.on.point({...this.rangeOf(cell, cell), value: value[spot],
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
		const first = this.cellOf(0), last = this.map.cells - 1;
		let [a, b] = this.range ? this.cellsOf(this.range) : [first, first + this.map.parts - 1];
		a = Math.max(a, first);
		if (this.range && event.shiftKey) {
			b = Math.max(a, Math.min(last, b + step));
		} else if (this.range) {
			const by = Math.max(first - a, Math.min(last - b, step));
			a += by;
			b += by;
		}
		this.select(this.rangeOf(a, Math.min(b, last)), "key");
	}
}

// NAME-PID/TID: where there is no room for all of it the name gives way, not which thread it is.
function fitLane(letters, label, room) {
	const slash = label.lastIndexOf("/"), tail = slash < 0 ? "" : label.slice(slash);
	let used = 0;
	for (const letter of tail)
		used += letters.widthOf(letter);
	return letters.fitStart(slash < 0 ? label : label.slice(0, slash), room - used) + tail;
}

// Of the lanes of many threads the last ones become one.
function foldLanes(value, {rows, labels, columns_count: columns}) {
	const most = LANES[1];
	if (!labels || !labels.length)
		return {value, labels: null};
	if (rows <= most || labels[0].startsWith("CPU "))
		return {value, labels};
	const folded = new Float64Array(columns * most);
	for (let i = 0; i < value.length; i++)
		folded[Math.floor(i / rows) * most + Math.min(i % rows, most - 1)] += value[i];
	return {value: folded, labels: [...labels.slice(0, most - 1), rows - most + 1 + " others"]};
}

export function isDark() {
	return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

// A round step (ns) that gives at most `most` ticks.
function tick(span, most) {
	for (let power = 1; ; power *= 10)
		for (const digit of [1, 2, 5])
			if (span / (digit * power) <= Math.max(most, 1))
				return digit * power;
}
