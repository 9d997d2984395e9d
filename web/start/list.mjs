// list.mjs: the list of profiles: rows, order, filter, and the requests for visible rows.
import { Row } from "./row.mjs";

const byName = new Intl.Collator("en", {numeric: true});
const ORDERS = {
	name: (a, b) => byName.compare(a.profile.name, b.profile.name),
	time: (a, b) => b.profile.modified - a.profile.modified || ORDERS.name(a, b)
};

export class List {
	constructor(table, empty) {
		this.table = table;
		this.empty = empty;
		this.rows = new Map();
		this.sort = "time";
		this.filterText = "";
		this.queue = []; // visible rows whose requests are still to be sent
		this.asking = false;
		this.seen = new IntersectionObserver((entries) => entries.forEach((each) => this.see(each)),
			{rootMargin: "200px"});
		for (const head of table.querySelectorAll("th[data-sort]"))
			head.querySelector("button").addEventListener("click", () => this.order(head.dataset.sort));
	}

	// Update the list; returns a message about the changes, or "".
	take(profiles) {
		const messages = [], first = !this.rows.size, names = new Set(profiles.map((each) => each.name));
		for (const [name, row] of this.rows)
			if (!names.has(name)) {
				messages.push(name + " was deleted");
				this.seen.unobserve(row.element);
				row.element.remove();
				this.rows.delete(name);
			}
		for (const profile of profiles) {
			const row = this.rows.get(profile.name);
			if (!row)
				this.add(profile, first ? null : messages);
			else if (row.profile.version !== profile.version || row.profile.gone !== profile.gone)
				this.change(row, profile, messages);
		}
		this.show();
		return messages.length > 3 ? messages.length + " profiles are new, changed or deleted" : messages.join("; ");
	}

	add(profile, messages) {
		const row = new Row(profile);
		this.rows.set(profile.name, row);
		this.seen.observe(row.element);
		if (messages)
			messages.push(profile.name + " is new");
	}

	change(row, profile, messages) {
		const changed = row.profile.version !== profile.version;
		row.update(profile);
		messages.push(profile.name + (profile.gone ? " was deleted" : changed ? " has changed" : " is back"));
		if (changed)
			this.request(row);
	}

	// ---- Requests, one after the other: each profile may have to be read first ----

	see({target, isIntersecting}) {
		const row = [...this.rows.values()].find((each) => each.element === target);
		if (row && isIntersecting)
			this.request(row);
		else if (row)
			this.queue = this.queue.filter((each) => each !== row);
	}

	async request(row) {
		if (row.requestedVersion !== row.profile.version && !this.queue.includes(row))
			this.queue.push(row);
		if (this.asking)
			return;
		this.asking = true;
		while (this.queue.length) {
			await this.queue.shift().ask();
			this.show();
		}
		this.asking = false;
	}

	// ---- Showing ----

	order(sort) {
		this.sort = sort;
		this.show();
	}

	filter(filterText) {
		this.filterText = filterText.toLowerCase();
		this.show();
	}

	show() {
		const rows = [...this.rows.values()].sort(ORDERS[this.sort]);
		const shown = rows.filter((row) => row.text().includes(this.filterText));
		const body = this.table.tBodies[0];
		shown.forEach(({element}, i) => {
			if (body.rows[i] !== element)
				body.insertBefore(element, body.rows[i] || null);
		});
		while (body.rows.length > shown.length)
			body.deleteRow(-1);
		for (const head of this.table.querySelectorAll("th[data-sort]"))
			head.setAttribute("aria-sort", head.dataset.sort !== this.sort ? "none" :
				this.sort === "name" ? "ascending" : "descending");
		this.empty.hidden = shown.length > 0;
		this.empty.textContent = rows.length ? "No profile matches the filter." :
			"No profiles yet. New files in the folder appear here, and you can drop files on this page.";
	}

	themeChanged() {
		for (const row of this.rows.values())
			row.draw();
	}

	// For tests: what is on the screen.
	state() {
		return {waiting: this.queue.length + (this.asking ? 1 : 0),
			rows: [...this.table.tBodies[0].rows].map((each) => [...each.cells].map((cell) => cell.innerText.trim()))};
	}
}
