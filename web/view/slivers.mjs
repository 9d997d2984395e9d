// slivers.mjs: how are thousands of boxes of about a pixel's width painted fast?
//
// One fillRect() for each takes most of the time of a frame. So each row of boxes is built as an image one pixel
// high, and drawn stretched to the height of a box.

export const SLIVER = 2; // pixels: what is narrower is none for edges

export class Slivers {
	constructor() {
		this.canvas = document.createElement("canvas");
		this.context = this.canvas.getContext("2d");
		this.image = null;
		this.words = new Map(); // colours as pixels have them, by their names
	}

	// rows of them, width x 1 pixels each, of which the screen has `ratio` in one.
	begin(width, rows, ratio) {
		const wide = Math.max(1, Math.ceil(width * ratio)), {canvas, image} = this;
		this.width = width;
		this.ratio = ratio;
		if (!image || image.width !== wide || image.height < rows) {
			canvas.width = wide;
			canvas.height = rows;
			this.image = this.context.createImageData(wide, rows);
			this.pixels = new Uint32Array(this.image.data.buffer);
		} else {
			this.pixels.fill(0, 0, wide * rows);
		}
	}

	// A colour as fillStyle takes it.
	word(colour) {
		let word = this.words.get(colour);
		if (word === undefined) {
			this.context.fillStyle = colour;
			const rgb = parseInt(this.context.fillStyle.slice(1), 16); // it tells it as #rrggbb
			word = (0xff000000 | (rgb & 0xff) << 16 | rgb & 0xff00 | rgb >> 16) >>> 0;
			this.words.set(colour, word);
		}
		return word;
	}

	put(row, x, width, word) {
		const wide = this.image.width, from = Math.floor(x * this.ratio);
		const to = Math.min(Math.max(Math.round((x + width) * this.ratio), from + 1), wide);
		for (let at = Math.max(from, 0); at < to; at++)
			this.pixels[row * wide + at] = word;
	}

	// yOf(row): where it goes.
	paint(context, rows, yOf, high) {
		const wide = this.image.width;
		this.context.putImageData(this.image, 0, 0, 0, 0, wide, rows);
		context.imageSmoothingEnabled = false;
		for (let row = 0; row < rows; row++)
			context.drawImage(this.canvas, 0, row, wide, 1, 0, yOf(row), wide / this.ratio, high);
	}
}
