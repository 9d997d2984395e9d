// pictures.mjs: does a page look as it is to look? Screenshots beside pictures that are kept.
//
// Both are averaged over cells of CELL pixels and then over neighbours: what is left when they differ is seen by
// people, too, and not how a machine smooths its letters. The browser itself reads the pictures.
import zlib from "node:zlib";

const CELL = 6, TILES = [8, 6]; // pixels; across and down
// A cell differs when a channel does by more than `step` of 255. `whole`, `tile`: the largest shares of cells that may,
// of the picture, and of the one of its tiles that has most. Hinted letters make 0.04% and 1.5% of the first, 13% of
// the second; a button that is missing 8% of a tile, a page of another white 67% of the second.
const LIMITS = [{ step: 18, whole: 0.01, tile: 0.05 }, { step: 4, whole: 0.3, tile: 1 }];

// ---- In the browser ----

async function pixelsOf(text) {
	const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
	const image = await createImageBitmap(new Blob([bytes], { type: "image/png" })), { width, height } = image;
	const context = new OffscreenCanvas(width, height).getContext("2d");
	context.drawImage(image, 0, 0);
	return { width, height, data: context.getImageData(0, 0, width, height).data };
}

// Red, green and blue of cells of so many pixels.
function averaged({ width, height, data }, cell) {
	const wide = Math.floor(width / cell), high = Math.floor(height / cell), out = new Float32Array(wide * high * 3);
	for (let y = 0; y < high * cell; y++)
		for (let x = 0; x < wide * cell; x++)
			for (let c = 0; c < 3; c++)
				out[(Math.floor(y / cell) * wide + Math.floor(x / cell)) * 3 + c] += data[(y * width + x) * 4 + c] / cell / cell;
	return { width: wide, height: high, data: out };
}

function blurred({ width, height, data }) {
	const out = new Float32Array(data.length);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++)
			for (let v = -1, c = 0; c < 3; v = -1, c++) {
				let sum = 0, count = 0;
				for (; v <= 1; v++)
					for (let u = -1; u <= 1; u++)
						if (y + v >= 0 && y + v < height && x + u >= 0 && x + u < width && ++count)
							sum += data[((y + v) * width + x + u) * 3 + c];
				out[(y * width + x) * 3 + c] = sum / count;
			}
	return { width, height, data: out };
}

// The shares of cells that differ by more than a step.
function shares({ width, height, data }, other, [across, down], step) {
	const differ = new Float64Array(across * down), all = new Float64Array(across * down);
	for (let i = 0; i < width * height; i++) {
		const tile = Math.floor(Math.floor(i / width) * down / height) * across + Math.floor(i % width * across / width);
		all[tile]++;
		differ[tile] += [0, 1, 2].some((c) => Math.abs(data[i * 3 + c] - other.data[i * 3 + c]) > step);
	}
	const parts = differ.map((each, i) => each / all[i]), worst = parts.indexOf(Math.max(...parts));
	return { whole: differ.reduce((x, y) => x + y) / (width * height), tile: parts[worst],
		at: [worst % across, Math.floor(worst / across)] };
}

function compare(first, second, cell, tiles, steps) {
	if (first.width !== second.width || first.height !== second.height)
		return null;
	const [a, b] = [first, second].map((picture) => blurred(averaged(picture, cell)));
	return steps.map((step) => shares(a, b, tiles, step));
}

// At most so many colours of those that a picture has most of, which are not nearly the same, and which of them is
// nearest to each pixel.
function fewColours({ data }, most) {
	const colourAt = (i) => data[i] << 16 | data[i + 1] << 8 | data[i + 2], counts = new Map(), near = new Map();
	for (let i = 0; i < data.length; i += 4)
		counts.set(colourAt(i), (counts.get(colourAt(i)) || 0) + 1);
	const distance = (a, b) => [16, 8, 0].reduce((sum, at) => sum + ((a >> at & 255) - (b >> at & 255)) ** 2, 0);
	const colours = [];
	for (const [colour] of [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]))
		if (colours.length < most && colours.every((each) => distance(each, colour) >= 50))
			colours.push(colour);
	const nearest = (colour) => colours.reduce((best, each, i) =>
		distance(each, colour) < distance(colours[best], colour) ? i : best, 0);
	for (const colour of counts.keys())
		near.set(colour, nearest(colour));
	return { colours, indexes: Array.from({ length: data.length / 4 }, (_, i) => near.get(colourAt(i * 4))) };
}

const there = [pixelsOf, averaged, blurred, shares, compare, fewColours].join("\n");
// In an empty page, whose policy lets this in.
async function evaluate(tab, code, ...pictures) {
	const blank = await tab.context().newPage();
	const texts = pictures.map((png) => png.toString("base64"));
	const found = await blank.evaluate(`(async () => { ${there}
		const pictures = await Promise.all(${JSON.stringify(texts)}.map(pixelsOf));
		return ${code}; })()`);
	await blank.close();
	return found;
}

// ---- Here ----

// What makes two PNGs different pictures, for people; "" when nothing does.
export async function difference(tab, first, second) {
	const found = await evaluate(tab, `compare(...pictures, ${CELL}, ${JSON.stringify(TILES)},
		${JSON.stringify(LIMITS.map(({ step }) => step))})`, first, second);
	const percent = (share) => (100 * share).toFixed(2) + "%";
	if (!found)
		return "they are not as large";
	return found.map(({ whole, tile, at }, i) => whole <= LIMITS[i].whole && tile <= LIMITS[i].tile ? "" :
		`by more than ${LIMITS[i].step} differ ${percent(whole)} (at most ${percent(LIMITS[i].whole)}) and, of the tile ` +
		`${at.join(", ")}, ${percent(tile)} (at most ${percent(LIMITS[i].tile)})`).filter((each) => each).join("; ");
}

const crcs = Uint32Array.from({ length: 256 }, (_, i) => {
	for (let bit = 0; bit < 8; bit++)
		i = i & 1 ? i >>> 1 ^ 0xedb88320 : i >>> 1;
	return i;
});

function chunk(type, content) {
	const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), content, Buffer.alloc(4)]);
	bytes.writeUInt32BE(content.length);
	bytes.writeUInt32BE(~bytes.subarray(4, -4).reduce((crc, byte) => crcs[(crc ^ byte) & 255] ^ crc >>> 8, ~0) >>> 0, bytes.length - 4);
	return bytes;
}

// The same picture in so few colours that it takes a third of the bytes.
export async function small(tab, png, most = 256) {
	const { width, height, colours, indexes } = await evaluate(tab, `({ ...fewColours(pictures[0], ${most}),
		width: pictures[0].width, height: pictures[0].height })`, png);
	const head = Buffer.alloc(13), rows = Buffer.alloc((width + 1) * height);
	head.writeUInt32BE(width);
	head.writeUInt32BE(height, 4);
	head.set([8, 3], 8); // bits of an index; by a palette
	for (let y = 0; y < height; y++)
		rows.set(indexes.slice(y * width, (y + 1) * width), y * (width + 1) + 1);
	return Buffer.concat([png.subarray(0, 8), chunk("IHDR", head),
		chunk("PLTE", Buffer.from(colours.flatMap((each) => [each >> 16, each >> 8 & 255, each & 255]))),
		chunk("IDAT", zlib.deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
