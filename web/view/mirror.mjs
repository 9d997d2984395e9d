// mirror.mjs: how do the keyboard and screen readers use a canvas?
//
// A tree of elements beside the canvas has the focused node, its siblings and its callees; it is rebuilt when the
// focus moves.

const MOST = 30; // siblings, and callees: keys lead to all others, too

export class Mirror {
	// on: {describe(node) => text, focus(node or -1), zoom(node), menu()}.
	constructor(list, on) {
		this.list = list;
		this.on = on;
		this.tree = null;
		this.node = 0;
		list.addEventListener("click", (event) => {
			const item = event.target.closest("[role=treeitem]");
			if (item)
				on.zoom(Number(item.dataset.node));
		});
		list.addEventListener("contextmenu", (event) => {
			event.preventDefault();
			on.menu();
		});
		list.addEventListener("focusin", () => on.focus(this.node));
		list.addEventListener("focusout", () => on.focus(-1));
	}

	hasFocus() {
		return this.list.contains(document.activeElement);
	}

	show(tree, node) {
		const focused = this.hasFocus();
		this.tree = tree;
		this.node = node;
		this.make();
		if (focused)
			this.focus(node);
	}

	focus(node) {
		if (!this.tree || node < 0)
			return;
		if (node !== this.node) {
			this.node = node;
			this.make();
		}
		this.list.querySelector("[tabindex='0']").focus({preventScroll: true});
		this.on.focus(node);
	}

	make() {
		const {tree, node} = this;
		const siblings = tree.siblings(node), at = siblings.indexOf(node);
		const from = Math.max(0, Math.min(at - MOST / 2, siblings.length - MOST));
		this.list.replaceChildren(...siblings.slice(from, from + MOST)
			.map((each, i) => this.item(each, from + i, siblings.length)));
		const item = this.list.querySelector("[data-node='" + node + "']");
		item.setAttribute("tabindex", "0");
		const callees = [...tree.callees(node)];
		if (!callees.length)
			return;
		const group = document.createElement("ul");
		group.setAttribute("role", "group");
		group.append(...callees.slice(0, MOST).map((each, i) => this.item(each, i, callees.length)));
		item.setAttribute("aria-expanded", "true");
		item.append(group);
	}

	item(node, position, size) {
		const item = document.createElement("li");
		item.setAttribute("role", "treeitem");
		item.setAttribute("tabindex", "-1");
		item.setAttribute("aria-level", String(this.tree.depth[node] + 1));
		item.setAttribute("aria-posinset", String(position + 1));
		item.setAttribute("aria-setsize", String(size));
		item.setAttribute("aria-label", this.on.describe(node));
		if (this.tree.end[node] > node + 1)
			item.setAttribute("aria-expanded", "false");
		item.dataset.node = String(node);
		return item;
	}

	// ---- Where the arrows lead ----

	caller() {
		return this.node ? this.tree.parent[this.node] : -1;
	}

	// The callee that weighs most.
	callee() {
		let best = -1;
		for (const each of this.tree.callees(this.node))
			if (best < 0 || this.tree.total[each] > this.tree.total[best])
				best = each;
		return best;
	}

	// The next node of the same depth below `top`, whoever calls it: step 1 to the right, -1 to the left.
	beside(top, step) {
		const {depth, end} = this.tree, wanted = depth[this.node];
		for (let i = this.node + step; i >= top && i < end[top]; i += step)
			if (depth[i] === wanted)
				return i;
		return -1;
	}
}
