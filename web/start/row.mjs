// row.mjs: what does the list show of a profile?
import { askColumns, askJson } from "../view/ask.mjs";
import { Cells } from "../view/heat/cells.mjs";
import { drawCells } from "../view/heat/image.mjs";
import { duration, grouped, percent } from "../view/numbers.mjs";
import * as query from "../view/query.mjs";

const ROWS = "16", COLUMNS = 60, WIDE = 240; // rows of a column; pixels
const CELLS = ["name", "time", "host", "command", "number", "number", "number", "map"];
const COUNT = {name: "count", decimals: 0};

export class Row {
	constructor(profile) {
		this.profile = profile;
		this.requestedVersion = "";
		this.about = this.cells = null;
		this.element = document.createElement("tr");
		for (const name of CELLS)
			this.element.insertCell().className = name;
		const link = document.createElement("a"), note = document.createElement("span");
		link.href = "view" + query.hashOf({...query.DEFAULTS, profile: profile.name});
		link.textContent = profile.name;
		this.element.cells[0].append(link, note);
		this.note = note;
		this.update(profile);
	}

	update(profile) {
		this.profile = profile;
		this.element.classList.toggle("gone", profile.gone);
		this.setNote(profile.gone ? "deleted; still in memory" : profile.sent ? "uploaded; in memory only" : "");
		this.put(1, new Date(profile.modified).toLocaleString("sv"));
	}

	put(cell, text) {
		this.element.cells[cell].textContent = text;
		this.element.cells[cell].title = text;
	}

	setNote(text, wrong) {
		this.note.textContent = text;
		this.note.className = "remark" + (wrong ? " wrong" : "");
	}

	// Never throws: errors are shown in the row.
	async ask() {
		const {version, name} = this.profile, state = {...query.DEFAULTS, profile: name, rows: ROWS};
		this.requestedVersion = version;
		try {
			this.about = await askJson(query.aboutAddress(state));
			this.showAbout();
			this.cells = new Cells(await askColumns(query.heatmapAddress(state, COLUMNS)));
			this.draw();
		} catch (error) {
			this.setNote(error.message.replace(name + ": ", ""), true);
		}
	}

	showAbout() {
		const {meta, streams, span_ns: span} = this.about;
		const shown = streams.filter((each) => each.shown);
		const most = (of) => shown.reduce((all, each) => Math.max(all, of(each)), 0);
		// A row of folded text is many samples.
		const samples = most(({unit, sum, samples: rows}) => unit === "count" ? sum : rows), lost = most((each) => each.lost);
		if (meta.started)
			this.put(1, new Date(meta.started).toLocaleString("sv"));
		this.put(2, meta.host || "");
		this.put(3, meta.command || "");
		this.put(4, span ? duration(span) : "");
		this.put(5, grouped(samples, COUNT));
		this.put(6, lost ? percent(lost, samples + lost) + "%" : "");
		this.element.cells[6].classList.toggle("lost", lost > 0);
	}

	draw() {
		const cell = this.element.cells[7];
		if (!this.cells || !this.cells.columns)
			return cell.replaceChildren();
		const canvas = document.createElement("canvas");
		canvas.setAttribute("role", "img");
		canvas.setAttribute("aria-label", "heat map of " + this.profile.name);
		drawCells(canvas, this.cells, "sqrt", WIDE);
		cell.replaceChildren(canvas);
	}

	// The text that the filter searches.
	text() {
		const {meta = {}} = this.about || {};
		return [this.profile.name, meta.host, meta.command].join(" ").toLowerCase();
	}
}
