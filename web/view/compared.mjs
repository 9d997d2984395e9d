// compared.mjs: how wide are the boxes of a call tree with two sides, and by how much did they change?
import { changeOf, changePercent, changeValue } from "./change.mjs";
import { changeColours } from "./colours.mjs";
import { human, percent } from "./numbers.mjs";
import { Tree } from "./tree.mjs";

const BEFORE = 0, AFTER = 1;

// A tree of the server's answer, with one side or two.
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

	// widths: "after", "before", or "both" (after's, plus before's of removed frames). change: "total" or "self", for
	// the colours.
	setDisplay({widths, change}) {
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

	// Texts of the change of a node, total and self. wholes: the totals of before and after, for percentages.
	changesOf(i, wholes) {
		const change = (which) => changeText(...this.sides.map((side) => side[which][i]), this.scale, wholes, this.unit);
		return [change("total"), "self " + change("self")];
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

	// Per side: the sum of the matches at and below i, the total, and the side's name.
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
