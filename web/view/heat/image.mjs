// image.mjs: how are the cells of a heat map coloured?
import { isDark } from "../canvas.mjs";
import { SCALES, greys, hits, ramp } from "../colours.mjs";

// colours: bytes, as pixels are.
function paintCells(image, values, step, colours) {
	const pixels = new Uint32Array(image.data.buffer), shades = new Uint32Array(colours.buffer);
	for (let i = 0; i < values.length; i++)
		if (values[i] > 0)
			pixels[i] = shades[Math.round(step(values[i]))];
}

// From the top; where columns are thinner than pixels, the most of them.
function highestOf(map, value, wide) {
	const {rows, columns} = map, highest = new Float64Array(wide * rows);
	for (let column = 0; column < columns; column++) {
		const x = wide === columns ? column : Math.floor(column * wide / columns);
		for (let row = 0; row < rows; row++) {
			const at = map.line(row) * wide + x;
			highest[at] = Math.max(highest[at], value[column * rows + row]);
		}
	}
	return highest;
}

// All cells as an image, one pixel each; what matches a search is lit, and the rest of them grey.
// map: Cells; scale: one of SCALES; dots: how many pixels there are from left to right.
export function drawCells(canvas, map, scale, dots) {
	const {value, matched, rows, columns, most} = map;
	const wide = Math.min(columns, dots), dark = isDark();
	canvas.width = wide;
	canvas.height = rows;
	const context = canvas.getContext("2d");
	const image = context.createImageData(wide, rows);
	const highest = highestOf(map, value, wide);
	const step = SCALES[scale](highest, most);
	paintCells(image, highest, step, matched ? greys(dark) : ramp(dark));
	if (matched)
		paintCells(image, highestOf(map, matched, wide), step, hits(dark));
	context.putImageData(image, 0, 0);
}
