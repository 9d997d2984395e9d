// table.mjs: which functions cost most? A table that people and screen readers read.
import { changeOf, changePercent, changeValue, scaleOf } from "./change.mjs";
import { grouped, human, isScaled, percent } from "./numbers.mjs";

export class TopTable {
	// on: {sort(by), mark(row), menu(row, x, y)}.
	constructor(table, on) {
		this.table = table;
		this.on = on;
		this.rows = [];
		for (const head of table.querySelectorAll("th[data-sort]"))
			head.querySelector("button").addEventListener("click", () => on.sort(head.dataset.sort));
		table.tBodies[0].addEventListener("click", (event) => {
			const row = event.target.closest("tr");
			if (row)
				on.mark(this.rows[row.sectionRowIndex]);
		});
		table.tBodies[0].addEventListener("contextmenu", (event) => {
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
		const fill = before === undefined ? (row, of) => fillRow(row, of, total, unit) :
			(row, of) => fillChange(row, of, scaleOf(before, total, shares), unit);
		const body = this.table.tBodies[0];
		this.rows = answer.functions;
		while (body.rows.length > this.rows.length)
			body.deleteRow(-1);
		while (body.rows.length < this.rows.length)
			body.append(makeRow());
		this.rows.forEach((row, i) => fill(body.rows[i], row));
		for (const head of this.table.querySelectorAll("th[data-sort]"))
			head.setAttribute("aria-sort", head.dataset.sort !== sort ? "none" :
				sort === "name" ? "ascending" : "descending");
		this.mark(isMarked);
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
		const body = this.table.tBodies[0];
		this.rows.forEach((row, i) => {
			const marked = isMarked(row.function);
			body.rows[i].classList.toggle("marked", marked);
			body.rows[i].querySelector("button").setAttribute("aria-pressed", String(marked));
		});
	}
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
