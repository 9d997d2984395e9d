// source.mjs: which lines and which instructions of a function cost how much?
//
// What the profile knows is always there; source files and machine code only where the server may read
// them.
import { askJson, askText } from "../ask.mjs";
import { byId, fillSelect } from "../controls.mjs";
import { grouped, human, isScaled, parseUnit, percent } from "../numbers.mjs";
import { codeAddress, linesAddress, textAddress } from "../query.mjs";
import { addressesOf, filesInOrder, instructionsOf, linesOf, rowsOf } from "../source.mjs";

// What is not there is no mistake: {answer} or {why}.
async function perhaps(asked) {
	try {
		return {answer: await asked};
	} catch (error) {
		return {why: error.message, error};
	}
}

const hottest = (rows) => rows.reduce((best, row, i) =>
	best < 0 || row.self + row.total > rows[best].self + rows[best].total ? i : best, -1);

export class SourceView {
	constructor(page) {
		this.name = "source";
		this.title = "Source";
		this.ofFunction = true;
		this.page = page;
		this.answer = null;
		this.chosen = null; // {file, line} that is marked
		this.keys = {};
		byId("source-file").addEventListener("change", ({target}) => page.go({file: target.value}, "push"));
		byId("source-lines").addEventListener("click", (event) => this.click(event));
		byId("source-code").addEventListener("click", (event) => this.click(event));
	}

	// ---- Asking ----

	address(state) {
		return state.function ? linesAddress(state) + "\n" + state.file : "";
	}

	async ask(address, state, signal) {
		if (!address)
			return {};
		const costs = await askJson(address.split("\n")[0], signal);
		const code = await this.askCode(costs, state, signal);
		const files = linesOf(costs, code.rows), names = filesInOrder(files);
		const file = names.includes(state.file) ? state.file : names[0] || "";
		const text = file ? await perhaps(askText(textAddress(state, file), signal)) : {};
		signal.throwIfAborted();
		return {costs, code, files, names, file, text};
	}

	// Of the binary in which the function costs most, around its hottest address.
	async askCode(costs, state, signal) {
		const places = costs.code.filter((each) => each.file);
		const sum = ({addresses}) => addresses.reduce((all, [, self, total]) => all + self + total, 0);
		const [binary] = places.sort((a, b) => sum(b) - sum(a)), [first] = costs.code;
		if (!binary)
			return first ? {rows: addressesOf(first.addresses), why: "its code is not in a file: " + first.binary} :
				{rows: [], why: "the profile has no addresses of it"};
		const [at] = binary.addresses[hottest(binary.addresses.map(([, self, total]) => ({self, total})))];
		const {answer, why} = await perhaps(askJson(codeAddress(state, binary, at), signal));
		return why ? {rows: addressesOf(binary.addresses), why: "no machine code: " + why} :
			{...instructionsOf(answer, binary.addresses, costs.total), binary: binary.binary, cut: answer.cut};
	}

	take(answer) {
		this.answer = answer;
		this.chosen = null;
	}

	// ---- Showing ----

	show() {
		const {costs, code, files, names, file, text} = this.answer || {}, name = this.page.state.function;
		const strong = document.createElement("b");
		strong.textContent = name;
		byId("source-chosen").replaceChildren(strong, !name ? "Choose a function: in the table, or by its menu" :
			costs && costs.total ? ": " + this.costText(costs) : " has nothing in what is selected");
		this.page.matched();
		if (!costs)
			return;
		fillSelect(byId("source-file"), names.length ? names.map((each) => [each, each]) : [["", "none"]], file);
		byId("source-file").hidden = names.length < 2;
		const more = names.length < 2 ? file : "";
		byId("source-note").textContent = !file ? "no line is known" : text.why || more;
		byId("source-note").title = byId("source-note").textContent;
		byId("code-note").textContent = code.why || code.binary + (code.cut ? ", its beginning" : "");
		byId("code-note").title = byId("code-note").textContent;
		const rows = file ? rowsOf(text.why ? null : text.answer, files.get(file)) : [];
		this.fill(byId("source-lines"), rows.map((row) => ({...row, file, at: String(row.line)})));
		this.fill(byId("source-code"), code.rows.map((row) => ({...row, at: row.at.toString(16)})));
		this.mark();
		this.page.describe();
	}

	costText({self, total}) {
		const unit = this.unit(), {whole} = this.page.shown;
		return human(total, unit) + ", " + percent(total, whole) + "% of all \u00b7 itself " +
			human(self, unit) + ", " + percent(self, total) + "%";
	}

	unit() {
		return parseUnit(this.answer.costs.unit || "");
	}

	// rows: {at, text, file, line, self, total}.
	fill(table, rows) {
		const unit = this.unit(), {total} = this.answer.costs, [body] = table.tBodies;
		body.replaceChildren(...rows.map((row) => makeRow(row, total, unit)));
		const best = body.rows[hottest(rows)];
		if (best && table.parentElement.clientHeight)
			table.parentElement.scrollTop = best.offsetTop - table.parentElement.clientHeight / 3;
	}

	// A line, and what belongs to it on the other side.
	click(event) {
		const row = event.target.closest("tbody tr");
		if (!row)
			return;
		const {file, line} = row.dataset;
		this.chosen = this.chosen && this.chosen.file === file && this.chosen.line === line ? null : {file, line};
		this.mark();
		const other = byId(event.currentTarget.id === "source-code" ? "source-lines" : "source-code");
		const first = other.querySelector("tr.marked");
		if (first)
			first.scrollIntoView({block: "nearest"});
	}

	mark() {
		const {chosen} = this;
		for (const row of document.querySelectorAll(".pair tbody tr")) {
			const marked = Boolean(chosen) && row.dataset.file === chosen.file && row.dataset.line === chosen.line;
			row.classList.toggle("marked", marked);
			row.querySelector("button").setAttribute("aria-pressed", String(marked));
		}
	}

	// ---- What every view has ----

	forget() {}

	current() {
		return "";
	}

	describe() {
		return byId("source-chosen").textContent;
	}

	hasFocus() {
		return false;
	}

	focus() {
		const button = document.querySelector(".pair tbody button");
		if (button)
			button.focus();
	}

	match() {}

	escape() {
		const marked = this.chosen !== null;
		this.chosen = null;
		this.mark();
		return marked;
	}

	themeChanged() {}

	onScreen() {
		const rows = (id) => [...document.querySelectorAll("#" + id + " tbody tr")].map((row) => ({
			at: row.cells[4].textContent, text: row.cells[5].textContent, self: Number(row.dataset.self),
			total: Number(row.dataset.total), marked: row.classList.contains("marked")}));
		const {costs, file} = this.answer || {};
		return {focus: "", source: costs && {self: costs.self, total: costs.total, file, lines: rows("source-lines"),
			code: rows("source-code"), notes: [byId("source-note").textContent, byId("code-note").textContent]}};
	}
}

function makeRow({at, text, file, line, self, total}, all, unit) {
	const row = document.createElement("tr"), button = document.createElement("button");
	const value = isScaled(unit) ? human : grouped;
	Object.assign(row.dataset, {file, line, self, total});
	for (const [cost, share] of [[self, percent(self, all)], [total, percent(total, all)]]) {
		const cell = row.insertCell(), number = row.insertCell();
		cell.className = "share";
		number.className = "number";
		if (!cost)
			continue;
		cell.textContent = share + "%";
		cell.style.setProperty("--share", 100 * cost / all + "%");
		number.textContent = value(cost, unit);
	}
	const place = row.insertCell(), words = row.insertCell();
	place.className = "at";
	button.type = "button";
	button.textContent = at;
	place.append(button);
	words.className = "text";
	words.textContent = text;
	return row;
}
