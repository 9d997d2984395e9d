// compared.mjs: what is a call tree of two sides: how wide are its boxes, and by how much did they change?
import { changeOf, changePercent, changeValue } from "./change.mjs";
import { changeColours } from "./colours.mjs";
import { human, percent } from "./numbers.mjs";
import { Tree } from "./tree.mjs";

const BEFORE = 0, AFTER = 1;

// Of the server's answer, with two sides or one.
export const treeOf = (answer, byName) => "before_total" in answer.header ? new ComparedTree(answer) : new Tree(answer, byName);

export class ComparedTree extends Tree {
	constructor(answer) {
		super(answer, true);
		const {header, columns} = answer;
		this.sides = [{total: columns.before_total, self: columns.before_self},
			{total: columns.total, self: columns.self}];
		this.scale = header.scale;
		this.steps = {total: columns.change_total, self: columns.change_self};
		this.compared = true;
		this.colours = changeColours();
		this.widths = "after";
		this.change = "total";
	}

	// widths: "after", "before", or "both": after's, and before's of what is gone. change: of what colours
	// tell, "total" or "self".
	look({widths, change}) {
		this.change = change;
		if (widths === this.widths)
			return;
		this.widths = widths;
		const {total, self} = widths === "both" ? this.withGhosts() : this.sides[widths === "before" ? BEFORE : AFTER];
		this.total = total;
		this.self = self;
		this.place(true);
	}

	withGhosts() {
		const self = Float64Array.from(this.sides[AFTER].self);
		for (let i = 1; i < this.count; i++)
			if (this.isGone(i))
				self[i] = this.sides[BEFORE].self[i] * this.scale;
		const total = Float64Array.from(self);
		for (let i = this.count; i-- > 1;)
			total[this.parent[i]] += total[i];
		return {total, self};
	}

	// What became of a node, itself and with callees. wholes: what before's and after's values are shares of.
	changesOf(i, wholes) {
		const change = (which) => changeText(...this.sides.map((side) => side[which][i]), this.scale, wholes, this.unit);
		return [change("total"), "itself " + change("self")];
	}

	isGone(i) {
		return this.sides[BEFORE].total[i] > 0 && !this.sides[AFTER].total[i];
	}

	isNew(i) {
		return !this.sides[BEFORE].total[i] && this.sides[AFTER].total[i] > 0;
	}

	colour(i) {
		return this.colours[this.steps[this.change][i]];
	}

	// Of each side what the matches at and below i cover together, the whole and its name.
	matchedOfSides(found, i) {
		return this.sides.map(({total}, side) =>
			[this.matched(found, i, total), total[i], side ? "after" : "before"]);
	}
}

// "12 ms (3%) before, 15 ms (4%) after, +3.0 ms, +25.0%".
export function changeText(before, after, scale, [wholeBefore, wholeAfter], unit) {
	const values = human(before, unit) + " (" + percent(before, wholeBefore) + "%) before, " +
		human(after, unit) + " (" + percent(after, wholeAfter) + "%) after, ";
	return (before || after ? values : "") + changeValue(changeOf(before, after, scale), unit) + ", " +
		changePercent(before, after, scale);
}
