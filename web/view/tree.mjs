// tree.mjs: what is a call tree, as the server sends it: where are its boxes, what do they match?
//
// Nodes are numbers in preorder; 0 is the root. Callees of i are i + 1, end[i + 1], ... below end[i].
import { shadesOf } from "./colours.mjs";
import { parseUnit } from "./numbers.mjs";
import { Texts } from "./texts.mjs";

export class Tree {
	constructor({header, columns}, byName) {
		this.count = columns.name.length;
		this.total = columns.total;
		this.self = columns.self;
		this.end = columns.end;
		this.depth = columns.depth;
		this.kind = columns.kind;
		this.kinds = header.kinds;
		this.families = header.kinds.map(shadesOf);
		this.compared = false; // has it two sides?
		this.kind[0] = Math.max(0, header.kinds.indexOf("meta")); // "all" is no code
		this.deepest = header.depth;
		this.unit = parseUnit(header.unit, header.decimals);
		// Of each node how many small ones it stands for (0: it is itself), and its number for the server;
		// null: none does.
		this.small = columns.small || null;
		this.nodes = columns.node || null;
		this.names = columns.name;
		this.modules = columns.module;
		this.texts = new Texts(columns.string_end, columns.strings);
		this.place(byName);
	}

	// x[i]: what stands left of i's box, in the tree's unit. By name the part that is a caller's own is
	// on its left, by weight on its right, as in Kiln's pictures.
	place(byName) {
		const x = this.x = new Float64Array(this.count);
		const parent = this.parent = new Uint32Array(this.count);
		const next = new Float64Array(this.deepest + 2), open = new Uint32Array(this.deepest + 2);
		for (let i = 0; i < this.count; i++) {
			const depth = this.depth[i];
			x[i] = next[depth];
			parent[i] = depth ? open[depth - 1] : 0;
			open[depth] = i;
			next[depth] += this.total[i];
			next[depth + 1] = x[i] + (byName ? this.self[i] : 0);
		}
	}

	name(i) {
		return i ? this.texts.at(this.names[i]) : "all";
	}

	module(i) {
		return this.texts.at(this.modules[i]);
	}

	isSmall(i) {
		return this.small !== null && this.small[i] > 0;
	}

	// Are there nodes below it that stand for small ones?
	hasSmall(i) {
		return this.small !== null && this.small.subarray(i, this.end[i]).some((each) => each > 0);
	}

	kindName(i) {
		return this.kinds[this.kind[i]] || "";
	}

	shade(i) {
		return this.texts.shade(this.names[i]);
	}

	colour(i) {
		return this.families[this.kind[i]][this.shade(i)];
	}

	* callees(i) {
		for (let at = i + 1; at < this.end[i]; at = this.end[at])
			yield at;
	}

	siblings(i) {
		return i ? [...this.callees(this.parent[i])] : [0];
	}

	// Callers of i and i itself, the root first.
	line(i) {
		const line = [i];
		while (i) {
			i = this.parent[i];
			line.push(i);
		}
		return line.reverse();
	}

	// ---- The same frame in another tree ----

	key(i) {
		return this.kindName(i) + "\0" + this.module(i) + "\0" + this.name(i);
	}

	pathOf(i) {
		return this.line(i).slice(1).map((each) => this.key(each));
	}

	// The node at the end of a path, or 0 when it is not in this tree.
	find(path) {
		let at = 0;
		for (const key of path) {
			let found = 0;
			for (const callee of this.callees(at))
				if (this.key(callee) === key) {
					found = callee;
					break;
				}
			if (!found)
				return 0;
			at = found;
		}
		return at;
	}

	// ---- Search ----

	// Which names match (by string), or null when there is nothing to search for.
	matches(pattern) {
		return this.texts.matches(pattern);
	}

	// "all" is not the name of anything, nor are small frames.
	isMatch(found, i) {
		return Boolean(found) && i !== 0 && found[this.names[i]] === 1 && !this.isSmall(i);
	}

	// What the matches at and below i cover together: a match on a match is not counted again.
	matched(found, i, total = this.total) {
		let sum = 0;
		for (let at = i; found && at < this.end[i];) {
			const match = this.isMatch(found, at);
			sum += match ? total[at] : 0;
			at = match ? this.end[at] : at + 1;
		}
		return sum;
	}

	// The next match behind `from` (step 1; -1: before it) at or below `top` that weighs `least`, or -1.
	nextMatch(found, top, from, step, least) {
		const size = this.end[top] - top;
		for (let n = 1; found && n <= size; n++) {
			const i = top + ((from - top + n * step) % size + size) % size;
			if (this.isMatch(found, i) && this.total[i] >= least)
				return i;
		}
		return -1;
	}
}
