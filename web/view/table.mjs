// table.mjs: which functions cost most? A table that people and screen readers read.
//
// Rows in view are filled at once, the others when nothing newer has come for a while: laying out all of
// them takes longer than all else that follows a time that is dragged.
import { changeOf, changePercent, changeValue, scaleOf } from "./change.mjs";
import { grouped, human, isScaled, percent } from "./numbers.mjs";

const ROW = 18; // pixels, at least
const LATER = 150; // ms

export class TopTable {
	// on: {sort(by), mark(row), menu(row, x, y)}.
	constructor(table, on) {
		this.table = table;
		this.on = on;
		this.body = table.tBodies[0];
		this.rows = [];
		this.filled = 0; // of them, from the first on
		this.later = 0; // timer
		this.inView = 0; // rows, from the first on, to the end of what is scrolled to
		this.listenToView(table.parentElement);
		for (const head of table.querySelectorAll("th[data-sort]"))
			head.querySelector("button").addEventListener("click", () => on.sort(head.dataset.sort));
		this.body.addEventListener("click", (event) => {
			const row = event.target.closest("tr");
			if (row)
				on.mark(this.rows[row.sectionRowIndex]);
		});
		this.body.addEventListener("contextmenu", (event) => {
			const row = event.target.closest("tr");
			if (!row)
				return;
			event.preventDefault();
			on.menu(this.rows[row.sectionRowIndex], event.clientX, event.clientY);
		});
	}

	// answer: the server's, of one side or of two, compared as shares if so; sort: what it is sorted by.
	show(answer, unit, sort, isMarked, shares) {
		const {total, before_total: before} = answer;
		this.fillRow = before === undefined ? (row, of) => fillRow(row, of, total, unit) :
			(row, of) => fillChange(row, of, scaleOf(before, total, shares), unit);
		this.isMarked = isMarked;
		this.rows = answer.functions;
		this.filled = 0;
		while (this.body.rows.length > this.rows.length)
			this.body.deleteRow(-1);
		this.fill(this.inView);
		clearTimeout(this.later);
		this.later = setTimeout(() => this.fill(this.rows.length), LATER);
		for (const head of this.table.querySelectorAll("th[data-sort]"))
			head.setAttribute("aria-sort", head.dataset.sort !== sort ? "none" :
				sort === "name" ? "ascending" : "descending");
	}

	// The size of the pane and where it is scrolled to, as far as they are told: asking may lay out the page.
	listenToView(pane) {
		let high = 0, top = 0;
		const look = () => {
			this.inView = Math.ceil((top + high) / ROW);
			this.fill(this.inView);
		};
		new ResizeObserver(([{contentRect}]) => {
			high = contentRect.height;
			look();
		}).observe(pane);
		pane.addEventListener("scroll", () => {
			top = pane.scrollTop;
			look();
		});
	}

	// All rows before row `end`.
	fill(end) {
		const {body, rows} = this;
		for (; this.filled < Math.min(end, rows.length); this.filled++) {
			const at = this.filled;
			if (at === body.rows.length)
				body.append(makeRow());
			this.fillRow(body.rows[at], rows[at]);
			markRow(body.rows[at], this.isMarked(rows[at].function));
		}
	}

	// The name of the row that has the focus, or "".
	focused() {
		const row = document.activeElement.closest("tbody tr");
		return row && this.table.contains(row) ? this.rows[row.sectionRowIndex].function : "";
	}

	menuAtFocus() {
		const row = document.activeElement.closest("tr"), place = row.getBoundingClientRect();
		this.on.menu(this.rows[row.sectionRowIndex], place.x + 40, place.bottom);
	}

	mark(isMarked) {
		this.isMarked = isMarked;
		for (let i = 0; i < this.filled; i++)
			markRow(this.body.rows[i], isMarked(this.rows[i].function));
	}
}

function markRow(row, marked) {
	row.classList.toggle("marked", marked);
	row.querySelector("button").setAttribute("aria-pressed", String(marked));
}

function makeRow() {
	const row = document.createElement("tr");
	for (const name of ["share", "number", "share", "number", "name", "module"])
		row.insertCell().className = name;
	const button = document.createElement("button");
	button.type = "button";
	row.cells[4].append(button);
	return row;
}

function put(cell, text) {
	if (cell.textContent !== text)
		cell.textContent = text;
}

function fillNames(row, of) {
	const [name, module] = [row.cells[4], row.cells[5]];
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
