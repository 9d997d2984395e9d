// cells.mjs: what time and value does each cell of the heat map have?
//
// A cell is a part of the time: a column has `parts`, one with lanes. A spot is what has a colour: its
// number is that of its value. Times are ns from the first sample.
import { foldLanes } from "./lanes.mjs";

export class Cells {
	// answer: the server's.
	constructor({header, columns}) {
		const {value, labels} = foldLanes(columns.value, header);
		this.value = value;
		// Of what matches the search; null: nothing is searched for.
		this.matched = columns.matched ? foldLanes(columns.matched, header).value : null;
		this.matchedTotal = header.matched || 0;
		this.labels = labels;
		this.rows = labels ? labels.length : header.rows;
		this.parts = labels ? 1 : this.rows;
		this.most = 0;
		for (let i = 0; i < value.length; i++)
			if (value[i] > this.most)
				this.most = value[i];
		this.column = header.column;
		this.columns = header.columns_count;
		this.total = header.total;
		this.untimed = header.untimed;
		this.offset = Number(BigInt(header.start) - BigInt(header.first));
		this.cells = header.columns_count * this.parts;
	}

	// When cell i begins; that of the cell behind the last one is when the map ends.
	begin(i) {
		const {parts, column, offset} = this;
		return offset + Math.floor(i / parts) * column + Math.ceil(i % parts * column / parts);
	}

	cellOf(time) {
		const {parts, column, offset, cells} = this;
		const since = time - offset;
		const cell = Math.floor(since / column) * parts +
			Math.floor(since % column * parts / column);
		return Math.max(0, Math.min(cells - 1, cell));
	}

	// Both ends as times, also of a range that is open.
	ends(range) {
		return {from: range.from === null ? this.begin(0) : range.from,
			to: range.to === null ? this.begin(this.cells) : range.to};
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

	cellOfSpot(spot) {
		return this.labels ? Math.floor(spot / this.rows) : spot;
	}

	// Which row from the top.
	line(row) {
		return this.labels ? row : this.rows - 1 - row;
	}
}
