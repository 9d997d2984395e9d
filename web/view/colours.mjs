// colours.mjs: which colours do frames, changes and cells of the heat map have?

// The server's colours, as [red, green, blue]: `kinds` has both ends of each kind's shades, `change` those of less, the same and
// more. Its answer `capabilities` comes before the first frame is drawn. All are light: the text on them is black.
let palette = null;

export function setPalette(colours) {
	palette = colours;
}

export const SHADES = 8; // of a family: fewer fills; more could not be distinguished

const mix = (a, b, share) => a.map((each, i) => Math.round(each + (b[i] - each) * share));
const css = (colour) => "rgb(" + colour.join(",") + ")";

// The colours of a kind, SHADES of them.
export function shadesOf(kind) {
	const [a, b] = palette.kinds[kind] || palette.kinds.meta;
	return Array.from({length: SHADES}, (_, i) => css(mix(a, b, i / (SHADES - 1))));
}

// Which shade a name has, the bytes from `at` to `end`: always the same one.
export function shadeOf(bytes, at, end) {
	let hash = 2166136261;
	for (; at < end; at++)
		hash = Math.imul(hash ^ bytes[at], 16777619);
	return (hash >>> 24) % SHADES;
}

// ---- Changes ----

// The colour of each step of a change in a column of the server, from 0 (less) by 127 (the same) to 254 (more).
export function changeColours() {
	const [less, same, more] = palette.change;
	return Array.from({length: 255}, (_, step) => css(mix(same, step > 127 ? more : less, Math.abs(step - 127) / 127)));
}

// ---- Cells ----

// Cividis, from few to many on dark; eyes that do not tell red from green see it as others do. Its
// lightness only rises, so that on light it is simply turned round.
const CIVIDIS = [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
	[138, 134, 120], [165, 156, 116], [195, 179, 105], [225, 204, 85], [254, 232, 56]];

// What matches a search, and what does not: here as on light.
const HITS = [[255, 196, 255], [238, 75, 238], [112, 0, 120]], GREYS = [[226, 226, 230], [138, 138, 146]];
const HITS_ON_DARK = [[112, 30, 118], [238, 75, 238], [255, 200, 255]], GREYS_ON_DARK = [[52, 52, 58], [128, 128, 136]];

// 256 colours along the given ones, as bytes: red green blue opaque.
function along(stops) {
	const bytes = new Uint8ClampedArray(1024);
	for (let i = 0; i < 256; i++) {
		const at = i / 255 * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2);
		bytes.set([...mix(stops[low], stops[low + 1], at - low), 255], i * 4);
	}
	return bytes;
}

export const ramp = (dark) => along(dark ? CIVIDIS : [...CIVIDIS].reverse());
export const hits = (dark) => along(dark ? HITS_ON_DARK : HITS);
export const greys = (dark) => along(dark ? GREYS_ON_DARK : GREYS);

// (value) => 0..255, for values above 0 of which these are all, or a fair part, and others are 0; the most is `most`.
export const SCALES = {
	linear: (values, most) => (value) => 255 * value / most,
	sqrt: (values, most) => (value) => 255 * Math.sqrt(value / most),
	log: (values, most) => {
		const least = values.reduce((a, b) => b > 0 && b < a ? b : a, most);
		return (value) => 255 * Math.log1p(value / least) / Math.log1p(most / least);
	},
	// Of how many cells a value is above: tells apart what is nearly the same, as on a busy host.
	rank: (values) => {
		const sorted = values.filter((each) => each > 0).sort();
		return (value) => 255 * below(sorted, value) / sorted.length;
	}
};

// How many of the sorted values are at most this one.
function below(sorted, value) {
	let low = 0, high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
