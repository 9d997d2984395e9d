// sandwich.mjs: the main view of the callers and callees of one function.
//
// Callers are above it, inverted; callees below. A click on a box chooses that function.
import { askColumns } from "../ask.mjs";
import { changeText, treeOf } from "../compared.mjs";
import { byId } from "../controls.mjs";
import { Flame } from "../flame.mjs";
import { Mirror } from "../mirror.mjs";
import { human, percent } from "../numbers.mjs";
import { calleesAddress, callersAddress } from "../query.mjs";
import { sidesOf } from "./flame.mjs";

const BASE = 2; // "all" and the function itself are no boxes

// One of both trees, with what is drawn of it.
class Half {
	constructor(view, id, icicle) {
		this.view = view;
		this.icicle = icicle;
		this.tree = null;
		this.found = this.foundBy = null;
		this.flame = new Flame(byId(id), {
			point: (node) => view.point(this, node),
			zoom: (node) => view.page.chooseFunction(this.tree.name(node)),
			menu: (node, x, y) => this.openMenu(node, x, y)
		});
		this.mirror = new Mirror(byId(id).nextElementSibling, {
			describe: (node) => this.textOf(node),
			zoom: (node) => view.page.chooseFunction(this.tree.name(node)),
			menu: () => this.menuAtFocus(),
			focus: (node) => {
				this.flame.focus(node);
				view.page.describe();
			}
		});
	}

	show(tree, pattern, state) {
		const byName = tree.compared || state.order === "name";
		if (tree.compared)
			tree.setDisplay(state);
		if (this.foundBy !== pattern || this.tree !== tree)
			this.found = tree.matches(pattern);
		this.foundBy = pattern;
		this.tree = tree;
		this.flame.show({tree, found: this.found, zoom: 0, icicle: this.icicle, byName, base: BASE});
		if (this.mirror.tree !== tree)
			this.mirror.show(tree, this.first());
	}

	// The heaviest box beside the function, or 0.
	first() {
		let best = 0;
		for (const own of this.tree.count ? this.tree.callees(0) : [])
			for (const each of this.tree.callees(own))
				if (!best || this.tree.total[each] > this.tree.total[best])
					best = each;
		return best;
	}

	// What matches beside the function, of each side: as Page.matched() takes it. what: "callers".
	matched(what) {
		const {tree} = this, sides = tree.compared ? tree.sides.map(({total}) => total) : [tree.total];
		return sides.map((total, side) => {
			let sum = 0;
			for (const own of tree.callees(0))
				for (const each of tree.callees(own))
					sum += tree.matched(this.found, each, total);
			return [sum, total[0], what + (tree.compared ? [" before", " after"][side] : "")];
		});
	}

	textOf(node) {
		const {tree} = this, where = [tree.module(node), tree.kindName(node)].filter((each) => each);
		return tree.name(node) + (where.length ? " (" + where.join(", ") + ")" : "") + ": " +
			(tree.compared ? tree.changesOf(node, this.view.wholes()) : this.sharesOf(node)).join(" \u00b7 ");
	}

	sharesOf(node) {
		const {tree} = this, {page} = this.view, value = tree.total[node];
		return [...page.sharesOf(value, tree.unit), percent(value, tree.total[0]) + "% of " + page.state.function];
	}

	openMenu(node, x, y) {
		this.view.page.openFrameMenu({name: this.tree.name(node), module: this.tree.module(node)}, x, y);
	}

	menuAtFocus() {
		const {node} = this.mirror, at = this.flame.placeOf(node);
		if (at)
			this.openMenu(node, at.x + Math.min(at.width / 2, 40), at.y + at.height);
	}

	// ---- Keys: away from the function, towards it (into the other half), and beside ----

	walk(node) {
		if (node > 0 && this.tree.depth[node] >= BASE)
			this.mirror.focus(node);
	}

	towards(other) {
		const caller = this.mirror.caller();
		if (caller > 0 && this.tree.depth[caller] >= BASE)
			this.walk(caller);
		else
			other.walk(other.first());
	}

	boxes() {
		const place = this.flame.canvas.getBoundingClientRect(), {tree, flame} = this;
		return flame.drawn().filter((box) => tree.depth[box.i] >= BASE).map((box) => ({
			name: tree.name(box.i), total: tree.total[box.i], depth: tree.depth[box.i] - 1,
			match: tree.isMatch(this.found, box.i), ...sidesOf(tree, box.i), label: box.label, ...flame.placeOfBox(box, place)}));
	}
}

export class SandwichView {
	constructor(page) {
		this.name = "sandwich";
		this.title = "Callers and callees";
		this.ofFunction = true;
		this.page = page;
		this.answer = {}; // {callers, callees}, or nothing
		this.hovered = null; // {half, node}
		this.callers = new Half(this, "callers", false);
		this.callees = new Half(this, "callees", true);
		this.halves = [this.callers, this.callees];
		this.keys = this.makeKeys();
	}

	// ---- Asking and showing ----

	address(state) {
		return state.function ? callersAddress(state, state.function) + "\n" +
			calleesAddress(state, state.function) : "";
	}

	async ask(address, state, signal) {
		const [callers, callees] = await Promise.all(address.split("\n").filter((each) => each)
			.map((each) => askColumns(each, signal).then((answer) => treeOf(answer, state.order === "name"))));
		return {callers, callees};
	}

	take(answer) {
		this.answer = answer;
		this.hovered = null;
	}

	show() {
		const {page} = this, {callers, callees} = this.answer, {state} = page;
		this.showChosen(callees);
		for (const half of this.halves)
			half.flame.space.hidden = !callees;
		if (!callees)
			return;
		this.callers.show(callers, page.search.pattern, state);
		this.callees.show(callees, page.search.pattern, state);
		page.matched(false, ...this.callers.matched("callers"), ...this.callees.matched("callees"));
		page.describe();
	}

	showChosen(tree) {
		const name = this.page.state.function, strong = document.createElement("b");
		strong.textContent = name;
		const any = tree && tree.count && (tree.compared ? tree.sides.some(({total}) => total[0]) : tree.total[0]);
		byId("chosen").replaceChildren(strong, any ? ": " + this.text(tree) :
			name ? " has no samples in this selection" : "Choose a function in the table or in a frame's menu");
		byId("chosen").title = byId("chosen").textContent;
	}

	// Totals of all that is compared.
	wholes() {
		const {before_total: before, total: after} = this.page.shown.top;
		return [before, after];
	}

	text(tree) {
		const ofRoot = (total, own) => {
			let sum = 0;
			for (const i of tree.callees(0))
				sum += own(i);
			return [total[0], sum];
		};
		if (tree.compared) {
			const [[before, selfBefore], [after, selfAfter]] = tree.sides.map(({total, self}) => ofRoot(total, (i) => self[i])), how = [tree.scale, this.wholes(), tree.unit];
			return changeText(before, after, ...how) + " \u00b7 self " + changeText(selfBefore, selfAfter, ...how);
		}
		const [total, self] = ofRoot(tree.total, (i) => tree.own(i));
		return this.page.sharesOf(total, tree.unit).join(", ") + " \u00b7 self " +
			human(self, tree.unit) + ", " + percent(self, total) + "%";
	}

	reset() {}

	themeChanged() {
		for (const half of this.halves)
			half.flame.draw();
	}

	// ---- Pointer and keys ----

	point(half, node) {
		this.hovered = node < 0 ? null : {half, node};
		this.page.describe();
	}

	focused() {
		return this.halves.find((half) => half.mirror.hasFocus());
	}

	hasFocus() {
		return Boolean(this.focused());
	}

	current() {
		const half = this.focused();
		return half ? half.tree.name(half.mirror.node) : "";
	}

	describe() {
		const half = this.focused();
		if (this.hovered)
			return this.hovered.half.textOf(this.hovered.node);
		return half ? half.textOf(half.mirror.node) : byId("chosen").textContent;
	}

	focus() {
		const half = this.halves.find((each) => each.tree && each.first());
		if (half)
			half.walk(half.mirror.node);
	}

	match(step) {
		const from = this.focused() || this.halves[0];
		const order = [from, ...this.halves.filter((each) => each !== from)];
		for (const half of order.filter((each) => each.tree)) {
			const {tree, found, mirror, flame} = half;
			const least = tree.total[0] * 0.5 / flame.scroller.clientWidth;
			const next = tree.nextMatch(found, 0, mirror.node, step, least);
			if (next > 0 && tree.depth[next] >= BASE)
				return half.walk(next);
		}
	}

	makeKeys() {
		const own = () => this.focused();
		const up = (half) => half === this.callers ? half.walk(half.mirror.callee()) : half.towards(this.callers);
		const down = (half) => half === this.callees ? half.walk(half.mirror.callee()) : half.towards(this.callees);
		const choose = () => this.page.chooseFunction(this.current());
		return {
			ArrowUp: () => up(own()),
			ArrowDown: () => down(own()),
			ArrowLeft: () => own().walk(own().mirror.beside(0, -1)),
			ArrowRight: () => own().walk(own().mirror.beside(0, 1)),
			Enter: choose,
			" ": choose,
			m: () => own().menuAtFocus()
		};
	}

	escape() {
		return false;
	}

	// ---- For tests ----

	onScreen() {
		const {callers, callees} = this;
		return {tree: callees.tree && {total: callees.tree.total[0], boxes: []},
			focus: this.current(), sandwich: callees.tree && {
				chosen: byId("chosen").textContent, callers: callers.boxes(), callees: callees.boxes(),
				total: [callers.tree.total[0], callees.tree.total[0]], scale: [callers.tree.scale, callees.tree.scale],
				sums: [callers, callees].map(({tree}) => tree.compared && tree.sides.map(({total}) => total[0]))}};
	}
}
