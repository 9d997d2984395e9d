// chart.mjs: the main view of frames over time, in lanes: the flame chart of the selected time.
//
// The visible range is the selected time: zooming and scrolling change the selection, for all panes.
import { askColumns } from "../ask.mjs";
import { Chart, ChartData } from "../chart.mjs";
import { byId, showLanes } from "../controls.mjs";
import { duration, parseRange, seconds } from "../numbers.mjs";
import { chartAddress, timeKey } from "../query.mjs";

const LEAST = 1000; // ns that can be in view
const ZOOM = 1.5, MOVE = 0.25; // by one key: how many times nearer; a part of what is in view
const WHEEL = 0.004; // of one pixel that a wheel is turned

export class ChartView {
	constructor(page) {
		this.name = "chart";
		this.title = "Flame chart";
		this.page = page;
		this.data = null;
		this.found = this.foundBy = null;
		this.chart = new Chart(byId("chart"), {
			point: () => page.describe(),
			zoom: (box) => this.click(box),
			menu: (box, x, y) => this.openMenu(box, x, y),
			select: (range) => this.choose(range, "end"),
			wheel: (event, x) => this.wheel(event, x)
		});
		this.keys = this.makeKeys();
		this.chart.canvas.addEventListener("focus", () => this.walk(this.chart.outlines.focused));
		this.chart.canvas.addEventListener("blur", () => this.focusBox(-1));
	}

	// ---- Asking and showing ----

	hasTimes() {
		const {first_ns: first, span_ns: span} = this.page.shown.about;
		return Boolean(first || span);
	}

	autoLanes() {
		const {thread_list: threads, cpu_list: cpus} = this.page.shown.about;
		return threads && threads.length ? "thread" : cpus && cpus.length ? "cpu" : "all";
	}

	get lanes() {
		return this.page.state.lanes || this.autoLanes();
	}

	// All of the time, or what is chosen of it, {from, to} in ns from the first sample.
	all() {
		return {from: 0, to: Math.max(this.page.shown.about.span_ns + 1, LEAST)};
	}

	range(state) {
		const all = this.all(), time = state[timeKey(state)];
		const chosen = time ? parseRange(time, this.page.first()) : null;
		if (!chosen)
			return all;
		const from = chosen.from === null ? all.from : chosen.from;
		return {from, to: Math.max(chosen.to === null ? all.to : chosen.to, from + 1)};
	}

	// What is thinner than a pixel is asked for together, in powers of two, so that a little more or less
	// room asks for the same.
	address(state) {
		if (!this.hasTimes())
			return "";
		const {from, to} = this.range(state), width = Math.max(this.chart.width(), 300);
		const least = 2 ** Math.max(0, Math.floor(Math.log2((to - from) / width)));
		return chartAddress(state, this.lanes, least);
	}

	async ask(address, state, signal) {
		return address ? new ChartData(await askColumns(address, signal), this.page.first()) : null;
	}

	take(data) {
		this.data = data;
	}

	show() {
		const {page, data, chart} = this, {pattern} = page.search, none = !this.hasTimes();
		showLanes(page.shown.about, this.lanes);
		byId("no-chart").hidden = !none;
		byId("chart").hidden = none;
		byId("no-chart").textContent =
			"The samples of this profile have no timestamps: there is no flame chart.";
		if (none || !data)
			return;
		if (!this.foundBy || this.foundBy.data !== data || this.foundBy.pattern !== pattern)
			this.found = data.frames.matches(pattern);
		this.foundBy = {data, pattern};
		chart.show({data, found: this.found, range: this.range(page.state)});
		page.matched();
		page.describe();
	}

	reset() {}

	themeChanged() {
		this.chart.draw();
	}

	// ---- Details ----

	textOf(i) {
		const {data, page} = this;
		const where = [data.moduleOf(i), data.kindOf(i), data.header.labels[data.lane[i]]].filter((each) => each);
		const parts = [duration(data.to(i) - data.from(i)) + " from " + seconds(data.from(i)) + " s",
			data.samples[i] + (data.samples[i] === 1 ? " sample" : " samples"),
			...page.sharesOf(data.value[i], data.unit)];
		if (data.runs[i] > 1)
			parts.unshift("the longest of " + data.runs[i] + " short runs");
		return data.textOf(i) + " (" + where.join(", ") + "): " + parts.join(" \u00b7 ");
	}

	describe() {
		const {data, chart} = this, {hovered, focused} = chart.outlines, at = hovered >= 0 ? hovered : focused;
		if (!data || at >= data.count)
			return "";
		const {lanes, lanes_left_out: out} = data.header;
		return at >= 0 ? this.textOf(at) : lanes + (lanes === 1 ? " lane" : " lanes") +
			(out ? "; " + out + " smaller " + (out === 1 ? "one is" : "ones are") + " not shown (choose a thread)" : "");
	}

	current() {
		const {focused} = this.chart.outlines;
		return focused >= 0 && this.data ? this.data.textOf(focused) : "";
	}

	// ---- Choosing a time ----

	// phase: "end" of something, or "key" for what goes on step by step.
	choose({from, to}, phase) {
		const all = this.all(), width = Math.max(LEAST, Math.round(to - from));
		const begin = Math.max(0, Math.min(Math.round(from), all.to - width));
		const range = {from: begin > 0 ? begin : null, to: begin + width < all.to ? begin + width : null};
		this.page.time.select(range.from === null && range.to === null ? null : range, phase, "range");
	}

	// Nearer (above 1) or farther, while a time stays where it is.
	zoom(times, around) {
		const {from, to} = this.range(this.page.state);
		this.choose({from: around - (around - from) / times, to: around + (to - around) / times}, "key");
	}

	pan(part) {
		const {from, to} = this.range(this.page.state), by = (to - from) * part;
		this.choose({from: from + by, to: to + by}, "key");
	}

	wheel(event, x) {
		const by = event.deltaY || event.deltaX;
		if (event.ctrlKey || event.metaKey)
			this.zoom(Math.exp(-event.deltaY * WHEEL), this.chart.timeAt(x));
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.pan((event.shiftKey ? by : event.deltaX) / this.chart.width());
		else
			return;
		event.preventDefault();
	}

	zoomTo(box) {
		this.choose({from: this.data.from(box), to: this.data.to(box)}, "end");
	}

	click(box) {
		this.chart.canvas.focus();
		this.zoomTo(box);
	}

	openMenu(box, x, y) {
		this.page.openFrameMenu({name: this.data.textOf(box), module: this.data.moduleOf(box),
			zoom: () => this.zoomTo(box)}, x, y);
	}

	menuAtFocus() {
		const at = this.chart.placeOf(this.chart.outlines.focused);
		if (at)
			this.openMenu(this.chart.outlines.focused, at.x + Math.min(at.width / 2, 40), at.y + at.height);
	}

	// ---- Walking from box to box ----

	hasFocus() {
		return document.activeElement === this.chart.canvas;
	}

	focus() {
		this.chart.canvas.focus();
	}

	focusBox(box) {
		this.chart.outlines.move("focused", box);
		this.page.describe();
	}

	// To a box, or to the first one in view.
	walk(box) {
		const {data, chart} = this;
		const to = box >= 0 ? box : chart.boxes.length ? chart.boxes[0].i : -1;
		if (!data || to < 0 || to >= data.count)
			return;
		this.focusBox(to);
		chart.scrollTo(to);
		byId("walked").textContent = this.textOf(to);
	}

	beside(step) {
		const {focused} = this.chart.outlines, next = focused + step, {data} = this;
		if (focused < 0 || next < 0 || next >= data.count || data.rowOf[next] !== data.rowOf[focused])
			return;
		this.walk(next);
		const {from, to} = this.range(this.page.state);
		if (data.from(next) >= to || data.to(next) <= from)
			this.pan(step * MOVE);
	}

	// The box in the next row (or the one before) that lasts longest of those at the same time; where there
	// is none the row behind it.
	beyond(step) {
		const {data, chart} = this, {focused} = chart.outlines, {from, to} = this.range(this.page.state);
		for (let row = data.rowOf[focused] + step; focused >= 0 && data.rows[row]; row += step) {
			const near = data.rows[row + (step < 0 ? 1 : 0)].label ? [from, to] : [data.from(focused), data.to(focused)];
			let best = -1;
			for (let i = data.after(data.rows[row], near[0]); i < data.rows[row].end && data.from(i) < near[1]; i++)
				if (best < 0 || data.to(i) - data.from(i) > data.to(best) - data.from(best))
					best = i;
			if (best >= 0)
				return this.walk(best);
		}
	}

	match(step) {
		const {data, found, chart} = this, {from, to} = this.range(this.page.state);
		for (let n = 1; found && n <= data.count; n++) {
			const i = ((Math.max(chart.outlines.focused, 0) + n * step) % data.count + data.count) % data.count;
			if (found[data.frame[i]] && data.to(i) > from && data.from(i) < to) {
				chart.canvas.focus();
				return this.walk(i);
			}
		}
	}

	makeKeys() {
		const middle = () => {
			const {from, to} = this.range(this.page.state), {focused} = this.chart.outlines;
			const at = focused >= 0 ? (this.data.from(focused) + this.data.to(focused)) / 2 : NaN;
			return at >= from && at < to ? at : (from + to) / 2;
		};
		const zoomTo = () => this.chart.outlines.focused >= 0 && this.zoomTo(this.chart.outlines.focused);
		return {
			ArrowLeft: () => this.beside(-1),
			ArrowRight: () => this.beside(1),
			ArrowUp: () => this.beyond(-1),
			ArrowDown: () => this.beyond(1),
			Enter: zoomTo,
			" ": zoomTo,
			"+": () => this.zoom(ZOOM, middle()),
			"=": () => this.zoom(ZOOM, middle()),
			"-": () => this.zoom(1 / ZOOM, middle()),
			",": () => this.pan(-MOVE),
			".": () => this.pan(MOVE),
			m: () => this.menuAtFocus()
		};
	}

	escape() {
		return this.chart.cancel();
	}

	// ---- For tests ----

	onScreen() {
		const {data, chart} = this, place = chart.canvas.getBoundingClientRect();
		return {focus: this.current(), chart: data && {
			header: data.header, count: data.count, range: chart.range, place: {x: place.x, y: place.y, width: place.width},
			boxes: chart.boxes.map(({i, row, x, width, label}) => ({name: data.textOf(i), lane: data.header.labels[data.lane[i]],
				depth: data.depth[i], from: data.from(i), to: data.to(i), samples: data.samples[i], runs: data.runs[i],
				match: Boolean(this.found && this.found[data.frame[i]]), label,
				x: place.x + x, y: place.y + chart.yOf(row), width, height: 16}))}};
	}
}
