// tree.mjs: the call tree of the server's answer: structure, box positions and matches.
//
// Nodes are numbers in preorder; 0 is the root. Callees of i are i + 1, end[i + 1], ... below end[i].
import { Frames } from "./frames.mjs";
import { parseUnit } from "./numbers.mjs";

export class Tree {
	constructor(answer, byName) {
		const {header, columns} = answer;
		this.count = columns.frame.length;
		this.total = columns.total;
		this.frame = columns.frame;
		this.depth = columns.depth;
		this.frames = new Frames(answer);
		this.compared = false; // has it two sides?
		this.deepest = header.depth;
		this.unit = parseUnit(header.unit, header.decimals);
		// Of each node how many small ones it stands for (0: it is itself), and its number for the server;
		// null: none does.
		this.small = columns.small || null;
		this.nodes = columns.node || null;
		this.link();
		this.self = columns.self || null;
		this.place(byName);
	}

	// Compute parent[i], and end[i], the first node behind the subtree of i.
	link() {
		const {count, depth} = this, open = new Uint32Array(this.deepest + 2);
		const parent = this.parent = new Uint32Array(count), end = this.end = new Uint32Array(count);
		for (let i = 0; i < count; i++) { // open[depth + 1]: of the callers of i
			parent[i] = open[depth[i]];
			open[depth[i] + 1] = i;
		}
		for (let i = count; i-- > 0;) {
			if (!end[i])
				end[i] = i + 1;
			if (!end[parent[i]])
				end[parent[i]] = end[i];
		}
	}

	// x[i]: what stands left of i's box, in the tree's unit. By name the part that is a caller's own is
	// on its left, by weight on its right, as in Kiln's pictures.
	place(byName) {
		const {count, depth, parent, total, self} = this, x = this.x = new Float64Array(count);
		const next = new Float64Array(this.deepest + 2);
		for (let i = count; i-- > 1;)
			x[parent[i]] += total[i]; // for now: what is not its own
		for (let i = 0; i < count; i++) {
			const at = depth[i], left = next[at], own = self ? self[i] : total[i] - x[i];
			x[i] = left;
			next[at] = left + total[i];
			next[at + 1] = byName ? left + own : left;
		}
	}

	// Without a column of its own: the total minus the totals of the callees.
	own(i) {
		if (this.self)
			return this.self[i];
		let own = this.total[i];
		for (const callee of this.callees(i))
			own -= this.total[callee];
		return own;
	}

	name(i) {
		return this.frames.name(this.frame[i]);
	}

	module(i) {
		return this.frames.module(this.frame[i]);
	}

	isSmall(i) {
		return this.small !== null && this.small[i] > 0;
	}

	// Are there nodes below it that stand for small ones?
	hasSmall(i) {
		return this.small !== null && this.small.subarray(i, this.end[i]).some((each) => each > 0);
	}

	kindName(i) {
		return this.frames.kindName(this.frame[i]);
	}

	colour(i) {
		return this.frames.colour(this.frame[i]);
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

	// Which frames match, or null when there is nothing to search for.
	matches(pattern) {
		return this.frames.matches(pattern);
	}

	// The root "all" and grouped small frames never match.
	isMatch(found, i) {
		return Boolean(found) && i !== 0 && found[this.frame[i]] === 1 && !this.isSmall(i);
	}

	// The sum of the matches at and below i; a match below a match is counted once.
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
