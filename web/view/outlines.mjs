// outlines.mjs: how are the hovered and the focused box outlined?
//
// Painting many boxes is slow: when an outline moves, only the area around the two boxes is repainted.
import { onceAFrame, styleOf } from "./canvas.mjs";

const WIDE = 3; // pixels, of the outline of the narrowest box

export class Outlines {
	// picture: {canvas, boxes, high (pixels, of a box), rowOf(box), topOf(box), paintBoxes(context, boxes), paintAbove(context): what
	// is not to be painted over, draw}; boxes: {i, x, width}s;
	// draw: as onceAFrame() makes it.
	constructor(picture) {
		this.picture = picture;
		this.clear();
		this.later = onceAFrame(() => this.repaint());
	}

	// Other boxes: none of them is outlined.
	clear() {
		this.hovered = this.focused = -1; // a box's i
		this.touched = []; // boxes that had an outline when they were painted
	}

	// which: "hovered" or "focused".
	move(which, i) {
		this.touched.push(this[which]);
		this[which] = i;
		this.later();
	}

	paint(context) {
		this.touched = [];
		this.outline(context, this.hovered, styleOf("--text"), 1);
		this.outline(context, this.focused, styleOf("--focus"), 2);
	}

	outline(context, i, colour, thick) {
		const box = this.boxOf(i), {picture} = this;
		if (!box)
			return;
		context.strokeStyle = colour;
		context.lineWidth = thick;
		context.strokeRect(box.x + thick / 2, picture.topOf(box) + thick / 2, Math.max(box.width - thick, 1),
			picture.high - thick);
	}

	boxOf(i) {
		return i < 0 ? null : this.picture.boxes.find((each) => each.i === i);
	}

	repaint() {
		this.picture.draw.now();
		if (!this.touched.length)
			return; // all of it was painted
		const context = this.picture.canvas.getContext("2d");
		new Set([...this.touched, this.hovered, this.focused]).forEach((i) => this.repaintAt(context, this.boxOf(i)));
		this.paint(context);
		this.picture.paintAbove(context);
	}

	// Whole pixels of the screen, so that what is painted twice does not show at their edges.
	repaintAt(context, box) {
		if (!box)
			return;
		const {picture} = this, ratio = window.devicePixelRatio || 1, y = picture.topOf(box);
		const left = Math.floor(box.x * ratio) / ratio, top = Math.floor(y * ratio) / ratio;
		const right = Math.ceil((box.x + Math.max(box.width, WIDE)) * ratio) / ratio;
		const bottom = Math.ceil((y + picture.high) * ratio) / ratio;
		const near = picture.boxes.filter((each) => picture.rowOf(each) === picture.rowOf(box) &&
			each.x < right && each.x + each.width > left);
		context.save();
		context.beginPath();
		context.rect(left, top, right - left, bottom - top);
		context.clip();
		context.clearRect(left, top, right - left, bottom - top);
		picture.paintBoxes(context, near);
		context.restore();
	}
}
