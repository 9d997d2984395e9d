// table.mjs: how is the table of functions shown?
//
// Only the visible rows and some around them are elements; margins of the table stand for the rest. Functions are
// requested in parts on scrolling. Visible rows are filled at once, the others after a pause: laying out all of them
// would take longer than everything else that happens during a drag.
import { changeOf, changePercent, changeValue, scaleOf } from "./change.mjs";
import { grouped, human, isScaled, percent } from "./numbers.mjs";

export const PART = 300; // functions of one request
const OVERSCAN = 60; // rows above and below the view
const ROW = 20; // pixels, as in view.css
const MAX_ROWS = 1500000; // browsers lay out no more pixels
const FILL_DELAY = 150; // ms
const NAME = 4; // the cell of the function's name

export class TopTable {
	// on: {sort(by), mark(row), menu(row, x, y), ask(skip) => Promise of a part, fail(error)}.
	constructor(table, on) {
		this.table = table;
		this.pane = table.parentElement;
		this.on = on;
		this.answer = null; // the server's, that it shows
		this.body = table.tBodies[0];
		this.count = 0; // functions
		this.parts = new Map(); // of them, by their numbers; null: requested
		this.first = 0; // the function of the first element
		this.shown = new WeakMap(); // functions, by their elements
		this.view = {top: 0, high: 0}; // pixels
		this.timer = 0;
		this.listenToView();
		for (const head of table.querySelectorAll("th[data-sort]"))
			head.querySelector("button").addEventListener("click", () => on.sort(head.dataset.sort));
		this.body.addEventListener("click", (event) => {
			const of = this.at(event);
			if (of)
				on.mark(of);
		});
		this.body.addEventListener("contextmenu", (event) => {
			const of = this.at(event);
			if (!of)
				return;
			event.preventDefault();
			on.menu(of, event.clientX, event.clientY);
		});
	}

	at(event) {
		return this.shown.get(event.target.closest("tr"));
	}

	// answer: the server's, of one side or of two, compared as shares if so; sort: what it is sorted by.
	show(answer, unit, sort, isMarked, shares) {
		const {total, before_total: before} = answer;
		this.answer = answer;
		this.fillRow = before === undefined ? (row, of) => fillRow(row, of, total, unit) :
			(row, of) => fillChange(row, of, scaleOf(before, total, shares), unit);
		this.isMarked = isMarked;
		this.count = Math.min(answer.functions_count, MAX_ROWS);
		this.parts = new Map([[0, answer.functions]]);
		this.filled = new WeakSet(); // elements with this answer
		this.table.setAttribute("aria-rowcount", String(this.count + 1));
		this.place(true);
		for (const head of this.table.querySelectorAll("th[data-sort]"))
			head.setAttribute("aria-sort", head.dataset.sort !== sort ? "none" :
				sort === "name" ? "ascending" : "descending");
	}

	// ---- What is in view ----

	// The size of the pane and where it is scrolled to, as far as they are known: reading them may lay out the page.
	listenToView() {
		const {pane, view} = this;
		const look = () => {
			view.top = pane.scrollTop;
			this.place();
		};
		new ResizeObserver(([{contentRect}]) => {
			view.high = contentRect.height;
			this.place();
		}).observe(pane);
		pane.addEventListener("scroll", look);
		this.body.addEventListener("focusin", look); // Tab may be faster than the browser tells of scrolling
	}

	rowsInView() {
		const {top, high} = this.view, rows = Math.ceil(high / ROW) + 1;
		const first = Math.max(0, Math.min(Math.floor(top / ROW), this.count - rows));
		return {first, end: Math.min(first + rows, this.count)};
	}

	// Elements where the view is. anew: there are other functions.
	place(anew = false) {
		const {first, end} = this.rowsInView(), last = this.first + this.body.rows.length;
		if (anew || first < this.first || end > last)
			this.moveTo(Math.max(0, first - OVERSCAN), Math.min(end + OVERSCAN, this.count));
		this.fill(first, end);
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.settle(), FILL_DELAY);
	}

	// Elements are those of functions from `first` to `end`. Those that stay are the same ones, and keep the focus.
	moveTo(first, end) {
		const {body, table} = this, by = first - this.first, had = body.contains(document.activeElement);
		for (let i = Math.min(Math.abs(by), body.rows.length); i > 0; i--) {
			const row = by > 0 ? body.rows[0] : body.rows[body.rows.length - 1];
			body.insertBefore(row, by > 0 ? null : body.rows[0]);
			emptyRow(row);
			this.shown.delete(row);
		}
		while (body.rows.length > end - first)
			body.deleteRow(-1);
		while (body.rows.length < end - first)
			body.append(makeRow());
		this.first = first;
		table.style.marginTop = first * ROW + "px";
		table.style.marginBottom = (this.count - end) * ROW + "px";
		[...body.rows].forEach((row, i) => row.setAttribute("aria-rowindex", String(first + i + 2)));
		if (had && !body.contains(document.activeElement))
			this.pane.focus({preventScroll: true});
	}

	functionAt(i) {
		const part = this.parts.get(Math.floor(i / PART));
		return part ? part[i % PART] : undefined;
	}

	// What is not known yet stays as it was, or empty, until it is.
	fill(first, end) {
		for (let i = first; i < end; i++) {
			const row = this.body.rows[i - this.first], of = this.functionAt(i), is = this.shown.get(row);
			if (of && (of !== is || !this.filled.has(row))) {
				this.fillRow(row, of);
				this.shown.set(row, of);
				this.filled.add(row);
				markRow(row, this.isMarked(of.function));
			}
			row.classList.toggle("stale", !of);
		}
	}

	// Nothing newer has come: the rows around, and parts that are not known yet.
	settle() {
		const end = this.first + this.body.rows.length;
		this.fill(this.first, end);
		for (let part = Math.floor(this.first / PART); part * PART < end; part++)
			if (!this.parts.has(part))
				this.ask(part);
	}

	async ask(part) {
		const {parts} = this;
		parts.set(part, null);
		try {
			parts.set(part, await this.on.ask(part * PART));
		} catch (error) {
			parts.delete(part); // it is asked for again with the next scroll
			this.on.fail(error);
		}
		if (parts === this.parts)
			this.fill(this.first, this.first + this.body.rows.length);
	}

	// ---- The focus ----

	focusedRow() {
		const row = document.activeElement.closest("tbody tr");
		return row && this.table.contains(row) ? row : null;
	}

	hasFocus() {
		return this.focusedRow() !== null;
	}

	// The name of the row that has the focus, or "".
	focused() {
		const of = this.shown.get(this.focusedRow());
		return of ? of.function : "";
	}

	menuAtFocus() {
		const row = this.focusedRow(), place = row.getBoundingClientRect();
		if (this.shown.has(row))
			this.on.menu(this.shown.get(row), place.x + 40, place.bottom);
	}

	// To the row that is so many further on.
	walk(by) {
		const to = Math.max(0, Math.min(this.first + this.focusedRow().sectionRowIndex + by, this.count - 1));
		if (to < this.first || to >= this.first + this.body.rows.length) {
			this.pane.scrollTop = to * ROW - this.view.high / 2;
			this.view.top = this.pane.scrollTop;
			this.place();
		}
		this.body.rows[to - this.first].querySelector("button").focus();
	}

	makeKeys() {
		const page = () => Math.max(1, Math.floor(this.view.high / ROW) - 2);
		return {
			ArrowDown: () => this.walk(1),
			ArrowUp: () => this.walk(-1),
			PageDown: () => this.walk(page()),
			PageUp: () => this.walk(-page()),
			Home: () => this.walk(-Infinity),
			End: () => this.walk(Infinity),
			m: () => this.menuAtFocus()
		};
	}

	mark(isMarked) {
		this.isMarked = isMarked;
		for (const row of this.body.rows)
			if (this.shown.has(row))
				markRow(row, isMarked(this.shown.get(row).function));
	}
}

function markRow(row, marked) {
	if (row.classList.contains("marked") === marked)
		return;
	row.classList.toggle("marked", marked);
	row.querySelector("button").setAttribute("aria-pressed", String(marked));
}

function makeRow() {
	const row = document.createElement("tr");
	for (const name of ["share", "number", "share", "number", "name", "module"])
		row.insertCell().className = name;
	const button = document.createElement("button");
	button.type = "button";
	button.setAttribute("aria-pressed", "false");
	row.cells[NAME].append(button);
	return row;
}

function emptyRow({cells}) {
	for (const [i, cell] of [...cells].entries()) {
		put(i === NAME ? cell.firstChild : cell, "");
		cell.style.setProperty("--share", "0%");
	}
}

function put(cell, text) {
	if (cell.textContent !== text)
		cell.textContent = text;
}

function fillNames(row, of) {
	const [name, module] = [row.cells[NAME], row.cells[NAME + 1]];
	put(name.firstChild, of.function);
	put(module, of.module);
	name.title = of.function;
	module.title = of.module;
}

const writerOf = (unit) => isScaled(unit) ? human : grouped;

function fillRow(row, of, total, unit) {
	const value = writerOf(unit), [selfShare, self, totalShare, all] = row.cells;
	fillNames(row, of);
	put(selfShare, percent(of.self, total) + "%");
	put(self, value(of.self, unit));
	put(totalShare, percent(of.total, total) + "%");
	put(all, value(of.total, unit));
	selfShare.style.setProperty("--share", (total ? 100 * of.self / total : 0) + "%");
	totalShare.style.setProperty("--share", (total ? 100 * of.total / total : 0) + "%");
	self.title = all.title = "";
}

// By how much both values changed.
function fillChange(row, of, scale, unit) {
	const value = writerOf(unit), cells = row.cells;
	fillNames(row, of);
	for (const [i, before, after] of [[0, of.before_self, of.self], [2, of.before_total, of.total]]) {
		put(cells[i], changePercent(before, after, scale));
		put(cells[i + 1], changeValue(changeOf(before, after, scale), unit, value));
		cells[i + 1].title = value(before, unit) + " before, " + value(after, unit) + " after";
		cells[i].style.setProperty("--share", "0%");
	}
}
