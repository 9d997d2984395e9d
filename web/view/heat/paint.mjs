// paint.mjs: how is the heat map painted?
import { contextOf, styleOf } from "../canvas.mjs";
import { Letters } from "../letters.mjs";
import { duration, roundStep, seconds } from "../numbers.mjs";
import { drawCells } from "./image.mjs";
import { fitLane } from "./lanes.mjs";
import { BOTTOM, RIGHT } from "./place.mjs";

const FONT = "11px system-ui, sans-serif";
const GRIP_WIDE = 5, GRIP_HIGH = 20; // pixels

export class Painter {
	constructor(place) {
		this.place = place;
		this.scale = "sqrt";
		this.image = document.createElement("canvas");
		this.stale = true;
	}

	setScale(scale) {
		this.stale = this.stale || scale !== this.scale;
		this.scale = scale;
	}

	// Other cells, or other colours.
	changed() {
		this.stale = true;
	}

	makeImage(dots) {
		drawCells(this.image, this.place.map, this.scale, dots);
		this.stale = false;
		this.imageDots = dots;
	}

	// range: what is selected, or null; hovered: the spot at the pointer, or -1; baseline: what it is
	// compared with, or null.
	paint(range, hovered, baseline) {
		if (!this.place.map)
			return;
		const {width, left, wide, high} = this.place.size();
		if (wide < 1)
			return;
		const context = contextOf(this.place.canvas, width, high + BOTTOM);
		const dots = Math.round(wide * (window.devicePixelRatio || 1));
		context.clearRect(0, 0, width, high + BOTTOM);
		context.fillStyle = styleOf("--empty");
		context.fillRect(left, 0, wide, high);
		if (!this.place.map.columns)
			return;
		if (this.stale || this.imageDots !== dots)
			this.makeImage(dots);
		context.imageSmoothingEnabled = false;
		context.drawImage(this.image, left, 0, wide, high);
		this.paintRows(context, left, high);
		this.paintTimes(context, left, wide, high);
		if (range || baseline)
			this.paintRanges(context, range, baseline, left, wide, high);
		if (hovered >= 0)
			this.paintHovered(context, hovered);
	}

	// What rows are: parts of a column's time, or lanes.
	paintRows(context, left, high) {
		const {labels, column} = this.place.map, tall = this.place.rowHeight();
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
		const {column, columns, offset} = this.place.map;
		const end = offset + columns * column, step = roundStep(columns * column, wide / 80);
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
		const {place} = this, {map} = place, {column, offset} = map, path = new Path2D();
		const {from, to} = map.ends(range);
		const clip = (time) => Math.max(offset, Math.min(map.begin(map.cells), time)) - offset;
		const a = clip(from), b = clip(to);
		if (map.labels) {
			const x = place.xOf(a / column);
			path.rect(x, 0, place.xOf(b / column) - x, high);
			return path;
		}
		const first = Math.min(Math.floor(a / column), map.columns - 1);
		const last = Math.max(first, Math.ceil(b / column) - 1);
		const y = (since, at) => high * (1 - (since - at * column) / column);
		const left = place.xOf(first), right = place.xOf(last + 1);
		if (first === last) {
			path.rect(left, y(b, last), right - left, y(a, first) - y(b, last));
			return path;
		}
		path.moveTo(left, y(a, first));
		path.lineTo(left, 0);
		path.lineTo(place.xOf(last), 0);
		path.lineTo(place.xOf(last), y(b, last));
		path.lineTo(right, y(b, last));
		path.lineTo(right, high);
		path.lineTo(place.xOf(first + 1), high);
		path.lineTo(place.xOf(first + 1), y(a, first));
		path.closePath();
		return path;
	}

	// Shade everything outside of both ranges.
	paintRanges(context, range, baseline, left, wide, high) {
		const outlines = [[range, "--focus", []], [baseline, "--before", [6, 3]]].filter(([each]) => each)
			.map(([each, colour, dashes]) => ({path: this.path(each, high), colour, dashes}));
		context.save();
		for (const {path} of outlines) {
			const others = new Path2D();
			others.rect(left, 0, wide, high);
			others.addPath(path);
			context.clip(others, "evenodd");
		}
		context.fillStyle = styleOf("--veil");
		context.fillRect(left, 0, wide, high);
		context.restore();
		context.lineWidth = 1.5;
		for (const {path, colour, dashes} of outlines) {
			context.strokeStyle = styleOf(colour);
			context.setLineDash(dashes);
			context.stroke(path);
		}
		context.setLineDash([]);
		if (range)
			this.paintGrips(context, range);
	}

	// Where an end can be taken hold of: on the longer of its lines.
	paintGrips(context, range) {
		const edges = this.place.edges(range), long = ({top, bottom}) => bottom - top;
		context.fillStyle = styleOf("--focus");
		for (const end of ["from", "to"]) {
			const [edge] = edges.filter((each) => each.end === end).sort((a, b) => long(b) - long(a));
			if (edge)
				context.fillRect(edge.x - GRIP_WIDE / 2, (edge.top + edge.bottom - GRIP_HIGH) / 2,
					GRIP_WIDE, Math.min(GRIP_HIGH, long(edge)));
		}
	}

	paintHovered(context, spot) {
		const {place} = this, {rows} = place.map, tall = place.rowHeight();
		const column = Math.floor(spot / rows), x = place.xOf(column);
		context.strokeStyle = styleOf("--text");
		context.lineWidth = 1;
		context.strokeRect(x + 0.5, place.map.line(spot % rows) * tall + 0.5,
			Math.max(place.xOf(column + 1) - x - 1, 1), Math.max(tall - 1, 1));
	}
}
