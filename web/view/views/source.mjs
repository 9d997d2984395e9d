// source.mjs: the main view of the lines and instructions of one function, with their costs.
//
// Costs come from the profile; source files and machine code need a server that may read them.
import { askJson, askText } from "../ask.mjs";
import { changePercent, scaleOf } from "../change.mjs";
import { changeText } from "../compared.mjs";
import { byId, fillSelect } from "../controls.mjs";
import { grouped, human, isScaled, parseUnit, percent } from "../numbers.mjs";
import { codeAddress, isCompared, linesAddress, sideOf, textAddress } from "../query.mjs";
import { addressesOf, filesInOrder, instructionsOf, joinedFiles, joinedRows, linesOf, rowsOf } from "../source.mjs";

// What is not there is no mistake: {answer} or {why}.
async function perhaps(asked) {
	try {
		return {answer: await asked};
	} catch (error) {
		return {why: error.message, error};
	}
}

const heat = ({self, total, before}) => self + total + (before ? before.self + before.total : 0);
const hottest = (rows) => rows.reduce((best, row, i) => best < 0 || heat(row) > heat(rows[best]) ? i : best, -1);

// What addresses are of: where it is the same, they are of the same code.
const buildOf = ({binary, build_id: id}, state) => id || sideOf(state).profile + "\n" + binary;

// Those that are shown, which are asked for one by one.
const sidesOf = (state) => isCompared(state) ? ["before", "after"].map((side) => ({...state, side, canonical: true})) : [state];

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
		return state.function ? [...sidesOf(state).map(linesAddress), state.file].join("\n") : "";
	}

	async ask(address, state, signal) {
		if (!address)
			return {};
		const sides = await Promise.all(sidesOf(state).map((side) => this.askSide(side, signal)));
		const {costs, code, files, of} = sides.length > 1 ? join(...sides) : sides[0], names = filesInOrder(files);
		const file = names.includes(state.file) ? state.file : names[0] || "";
		const text = file ? await perhaps(askText(textAddress(of, file), signal)) : {};
		signal.throwIfAborted();
		return {costs, code, files, names, file, text};
	}

	async askSide(state, signal) {
		const costs = await askJson(linesAddress(state), signal), code = await this.askCode(costs, state, signal);
		return {costs, code, files: linesOf(costs, code.rows), of: state};
	}

	// Of the binary in which the function costs most, around its hottest address.
	async askCode(costs, state, signal) {
		const places = costs.code.filter((each) => each.file);
		const sum = ({addresses}) => addresses.reduce((all, [, self, total]) => all + self + total, 0);
		const [binary] = places.sort((a, b) => sum(b) - sum(a)), [first] = costs.code;
		if (!binary)
			return first ? {rows: addressesOf(first.addresses), build: buildOf(first, state), why: "Its code is not in a file: " + first.binary} :
				{rows: [], why: "The profile has no addresses of this function"};
		const [at] = binary.addresses[hottest(binary.addresses.map(([, self, total]) => ({self, total})))];
		const {answer, why} = await perhaps(askJson(codeAddress(state, binary, at), signal));
		const build = buildOf(binary, state);
		return why ? {rows: addressesOf(binary.addresses), build, why: "No machine code: " + why} :
			{...instructionsOf(answer, binary.addresses, costs.total), binary: binary.binary, build, cut: answer.cut};
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
		byId("source-chosen").replaceChildren(strong, !name ? "Choose a function in the table or in a frame's menu" :
			costs && (costs.total || (costs.before && costs.before.total)) ? ": " + this.costText(costs) : " has no samples in this selection");
		this.page.matched();
		if (!costs)
			return;
		fillSelect(byId("source-file"), names.length ? names.map((each) => [each, each]) : [["", "none"]], file);
		byId("source-file").hidden = names.length < 2;
		const more = names.length < 2 ? file : "";
		byId("source-note").textContent = !file ? "No line information for this function (build with -g)" : text.why || more;
		byId("source-note").title = byId("source-note").textContent;
		byId("code-note").textContent = (code.why || code.binary + (code.cut ? " (beginning only)" : "")) + (code.more || "");
		byId("code-note").title = byId("code-note").textContent;
		const rows = file ? rowsOf(text.why ? null : text.answer, files.get(file)) : [];
		this.fill(byId("source-lines"), rows.map((row) => ({...row, file, at: String(row.line)})));
		this.fill(byId("source-code"), code.rows.map((row) => ({...row, at: row.at.toString(16)})), Boolean(code.more));
		this.mark();
		this.page.describe();
	}

	costText({self, total, before}) {
		const unit = this.unit();
		if (before)
			return changeText(before.total, total, ...this.how()) + " \u00b7 self " + changeText(before.self, self, ...this.how());
		return this.page.sharesOf(total, unit).join(", ") + " \u00b7 self " +
			human(self, unit) + ", " + percent(self, total) + "%";
	}

	// How both sides are compared: before's scale, totals of all, the unit.
	how() {
		const {before_total: before, total: after} = this.page.shown.top;
		return [scaleOf(before, after, this.page.state.normalise), [before, after], this.unit()];
	}

	unit() {
		return parseUnit(this.answer.costs.unit || "");
	}

	// rows: {at, text, file, line, self, total, before}. alone: of one side.
	fill(table, rows, alone) {
		const unit = this.unit(), {total, before} = this.answer.costs, [body] = table.tBodies;
		const fill = before && !alone ? (cells, row) => fillChanges(cells, row, this.how()) : (cells, row) => fillCosts(cells, row, total, unit);
		body.replaceChildren(...rows.map((row) => makeRow(row, fill)));
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

	reset() {}

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
			total: Number(row.dataset.total), before: row.dataset.before && JSON.parse(row.dataset.before), marked: row.classList.contains("marked")}));
		const {costs, file} = this.answer || {};
		return {focus: "", source: costs && {self: costs.self, total: costs.total, before: costs.before, chosen: byId("source-chosen").textContent, file, lines: rows("source-lines"),
			code: rows("source-code"), notes: [byId("source-note").textContent, byId("code-note").textContent]}};
	}
}

// Before and after as one. Instructions are the same ones only in the same binary; of others after's are shown.
function join(before, after) {
	const costs = {...after.costs, before: {self: before.costs.self, total: before.costs.total}};
	const files = joinedFiles(before.files, after.files), same = before.code.build === after.code.build;
	if (same || !after.code.rows.length || !before.code.rows.length) {
		const {code, of} = after.code.rows.length ? after : before;
		return {costs, files, of, code: {...code, rows: joinedRows(before.code.rows, after.code.rows)}};
	}
	return {costs, files, of: after.of, code: {...after.code, more: "; after only: the code of before differs"}};
}

function makeRow({at, text, file, line, self, total, before}, fill) {
	const row = document.createElement("tr"), button = document.createElement("button");
	Object.assign(row.dataset, {file, line, self, total}, before && {before: JSON.stringify(before)});
	const cells = ["share", "number", "share", "number"].map((name) => {
		const cell = row.insertCell();
		cell.className = name;
		return cell;
	});
	fill(cells, {self, total, before: before || {self: 0, total: 0}});
	const place = row.insertCell(), words = row.insertCell();
	place.className = "at";
	button.type = "button";
	button.textContent = at;
	place.append(button);
	words.className = "text";
	words.textContent = text;
	return row;
}

// all: what the function costs.
function fillCosts(cells, costs, all, unit) {
	const value = isScaled(unit) ? human : grouped;
	for (const [i, cost] of [[0, costs.self], [2, costs.total]])
		if (cost) {
			cells[i].textContent = percent(cost, all) + "%";
			cells[i].style.setProperty("--share", 100 * cost / all + "%");
			cells[i + 1].textContent = value(cost, unit);
		}
}

// What it was, what it is, and the change.
function fillChanges(cells, {self, total, before}, how) {
	const [scale, , unit] = how, value = isScaled(unit) ? human : grouped;
	for (const [i, was, is] of [[0, before.self, self], [2, before.total, total]])
		if (was || is) {
			cells[i].textContent = changePercent(was, is, scale);
			cells[i + 1].textContent = value(was, unit) + " \u2192 " + value(is, unit);
			cells[i].title = cells[i + 1].title = changeText(was, is, ...how);
		}
}
