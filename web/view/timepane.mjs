// timepane.mjs: the heat map and its controls: which time is selected, and how much is in it?
import { isDark } from "./canvas.mjs";
import { byId, showLegend, showMapControls, showTime, typedTime, valueName } from "./controls.mjs";
import { Heatmap } from "./heat/map.mjs";
import { duration, human, isScaled, parseRange, parseUnit, percent, seconds } from "./numbers.mjs";
import { DEFAULTS, parseHash, timeKey } from "./query.mjs";

const MOVE = 1000; // ms between keys that are one step back together

const timeOf = (range) => range ? (range.from === null ? "" : seconds(range.from)) + ".." +
	(range.to === null ? "" : seconds(range.to)) : "";

export class TimePane {
	constructor(page) {
		this.page = page;
		this.unit = parseUnit("");
		this.keyed = -Infinity; // when the selection was last moved by keys (ms)
		this.heatmap = new Heatmap(byId("heatmap"), {
			select: (range, phase, which) => this.select(range, phase, which),
			point: (spot) => this.describe(spot),
			lane: (label) => this.chooseLane(label),
			walked: (label) => page.showStatus(label)
		});
		byId("all-time").addEventListener("click", () => this.clear());
		for (const id of ["from", "to"]) {
			byId(id).addEventListener("input", (event) => event.target.dataset.typed = "1");
			byId(id).addEventListener("change", (event) => this.type(event.target));
		}
	}

	// ---- Showing ----

	// The state has changed.
	show() {
		const {state} = this.page, first = this.page.first();
		this.showControls();
		showTime(state[timeKey(state)], first);
		this.mark(first);
	}

	showControls() {
		const {state, shown} = this.page, {map} = this.heatmap;
		showMapControls(state, shown.about, map ? map.column : 0, shown.capabilities.column_widths);
	}

	// Apply the state to the map. first: ns, the time of the first sample.
	mark(first) {
		const {heatmap, page} = this, {state} = page;
		const time = state[timeKey(state)], own = state.before === page.profileName();
		const rangeOf = (text) => text ? parseRange(text, first) : null;
		heatmap.setScale(state.scale);
		heatmap.setRanges(rangeOf(time), own && timeKey(state) === "time" ? rangeOf(state["before-time"]) : null);
	}

	take(answer) {
		this.unit = parseUnit(answer.header.unit);
		this.mark(answer.header.first);
		this.heatmap.show(answer);
		byId("time").hidden = !answer.header.columns_count;
		byId("map").classList.add("drawn"); // as high as it needs
		this.showLegend();
		this.showSelected();
		if (this.page.shown.about)
			this.showControls();
	}

	hide() {
		byId("time").hidden = true;
	}

	showLegend() {
		if (this.heatmap.map)
			showLegend(isDark(), this.heatmap.map.matched !== null, this.heatmap.map.most, this.unit);
	}

	showSelected() {
		const {state, shown} = this.page, {map} = this.heatmap, time = state[timeKey(state)];
		if (!shown.top)
			return;
		const range = time && map && parseRange(time, this.page.first());
		const ends = range && map.ends(range), {total, unit} = shown.top;
		const value = human(total, parseUnit(unit)), share = percent(total, shown.whole) + "%";
		const name = isScaled(parseUnit(unit)) ? valueName(shown.about, state.kind) : ""; // others have it in the value
		const text = ends ? [duration(ends.to - Math.max(ends.from, 0)), "selected -", value, name, "(" + share + ")"] :
			["Total", name, value, ...(total === shown.whole ? [] : ["(" + share + ")"])];
		byId("selected").textContent = byId("selected").title = text.filter((each) => each).join(" ");
	}

	describe(spot) {
		this.page.describe(spot && (spot.label ? spot.label + ", " : "") + seconds(spot.from || 0) + " s to " +
			seconds(spot.to) + " s: " + human(spot.value, this.unit) + " \u00b7 " +
			percent(spot.value, this.page.shown.whole) + "% of all" +
			(spot.matched === null ? "" : " \u00b7 " + percent(spot.matched, spot.value) + "% of it matches the search"));
	}

	themeChanged() {
		this.heatmap.themeChanged();
		this.showLegend();
	}

	// ---- Choosing ----

	// which: "range" or "baseline".
	select(range, phase, which) {
		const now = performance.now(), more = now - this.keyed < MOVE;
		if (phase === "key")
			this.keyed = now;
		const how = {drag: "", cancel: "", end: "push", key: more ? "replace" : "push"}[phase];
		this.page.go(this.changesOf(range, phase, which), how, phase === "end" || phase === "cancel");
	}

	// The state after a change of the selection. A cancelled drag was never in the address.
	changesOf(range, phase, which) {
		const {page} = this;
		if (phase === "cancel")
			return parseHash(location.hash);
		if (which === "range")
			return {[timeKey(page.state)]: timeOf(range)};
		return {before: page.profileName(), "before-time": timeOf(range), side: DEFAULTS.side};
	}

	// Select that thread or CPU; the row of all others cannot be selected.
	chooseLane(label) {
		const {page} = this, {state} = page, [number] = /\d+$/.exec(label) || [];
		if (number && state.rows === "thread")
			page.go({thread: state.thread === number ? "" : number}, "push");
		else if (number)
			page.reshape("cpu", number);
	}

	clear() {
		this.page.go({[timeKey(this.page.state)]: ""}, "push");
	}

	type(field) {
		delete field.dataset.typed;
		const time = typedTime();
		const key = timeKey(this.page.state);
		if (time !== this.page.state[key])
			this.page.go({[key]: time}, "push");
	}

	// ---- For tests ----

	onScreen() {
		const {heatmap} = this, {map} = heatmap;
		return map && {total: map.total, untimed: map.untimed, most: map.most, rows: map.rows,
			columns: map.columns, column: map.column, labels: map.labels, value: [...map.value],
			matched: map.matched && {total: map.matchedTotal, value: [...map.matched]},
			offset: map.offset, range: heatmap.range, baseline: heatmap.baseline, first: this.page.first(),
			place: heatmap.place.onScreen()};
	}
}
