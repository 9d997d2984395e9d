// place.mjs: where is each cell of the heat map on the screen, and which cell is at the pointer?

const LEFT = 52, LEFT_OF_LANES = 150; // pixels left of the cells
export const RIGHT = 8, BOTTOM = 18; // and around them
const HEIGHTS = [[12, 12], [25, 6], [50, 3], [100, 2]]; // pixels of a row, for up to so many rows
export const GRIP = 4; // pixels beside an end of what is selected where the pointer takes hold of it
const LANE = 14, ALL_LANES = 280; // pixels, at most

export class Place {
	constructor(canvas) {
		this.canvas = canvas;
		this.map = null; // Cells
	}

	rowHeight() {
		if (this.map.labels)
			return Math.max(1, Math.min(LANE, Math.floor(ALL_LANES / this.map.rows)));
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

	spotAt(event) {
		const {left, wide, high} = this.size(), place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.x - left, y = event.clientY - place.y;
		const clamp = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
		return clamp(x / wide * this.map.columns, this.map.columns) * this.map.rows +
			this.map.line(clamp(y / high * this.map.rows, this.map.rows));
	}

	// The nearest cell; none before that of the first sample, where the commands know no times.
	cellAt(event) {
		return Math.max(this.map.cellOfSpot(this.spotAt(event)), this.map.cellOf(0));
	}

	isInside(event) {
		const {left, wide, high} = this.size(), place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.x - left, y = event.clientY - place.y;
		return x >= 0 && x < wide && y >= 0 && y < high;
	}

	// Both ends of a range as upright lines on the canvas: {end: "from" or "to", x, top, bottom}. Ends that
	// are open have none, nor has a range inside of a column.
	edges(range) {
		const lines = this.map.labels ? this.edgesOfLanes(range) : this.edgesOfColumns(range);
		return lines.map(([end, at, top, bottom]) => ({end, x: this.xOf(at), top, bottom}))
			.filter(({end, top, bottom}) => range[end] !== null && bottom > top);
	}

	edgesOfLanes(range) {
		const {column, offset} = this.map, {from, to} = this.map.ends(range), {high} = this.size();
		return [["from", (from - offset) / column, 0, high], ["to", (to - offset) / column, 0, high]];
	}

	// Each line steps aside where the range begins, and ends, within its column.
	edgesOfColumns(range) {
		const {parts} = this.map, {high} = this.size(), [first, last] = this.map.cellsOf(range);
		const begin = Math.floor(first / parts), end = Math.floor(last / parts);
		const from = high * (1 - first % parts / parts), to = high * (1 - (last % parts + 1) / parts);
		return begin === end ? [] : [["from", begin, 0, from], ["from", begin + 1, from, high],
			["to", end + 1, to, high], ["to", end, 0, to]];
	}

	// The end of the range that is at the pointer: "from", "to" or "".
	edgeAt(event, range) {
		const place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.x, y = event.clientY - place.y;
		const edge = range && this.edges(range).find((each) =>
			Math.abs(x - each.x) <= GRIP && y >= each.top && y < each.bottom);
		return edge ? edge.end : "";
	}

	// The label left of the cells that is there, or "".
	labelAt(event) {
		const {left, high} = this.size(), place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.x, y = event.clientY - place.y;
		if (!this.map.labels || x < 0 || x >= left || y < 0 || y >= high)
			return "";
		return this.map.labels[Math.floor(y / this.rowHeight())];
	}

	// All cells.
	onScreen() {
		const place = this.canvas.getBoundingClientRect(), {left, wide, high} = this.size();
		return {x: place.x + left, y: place.y, width: wide, height: high};
	}
}
