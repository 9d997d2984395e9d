// comparebar.mjs: what is compared with what, and how is the difference shown? The controls of a comparison.
import { changeOf, changePercent, changeValue, scaleOf } from "./change.mjs";
import { changeColours } from "./colours.mjs";
import { byId, fillSelect, shortName } from "./controls.mjs";
import { human, parseUnit } from "./numbers.mjs";
import { DEFAULTS, hasSides, isCompared, isNormalised, sideOf } from "./query.mjs";

const NONE = {before: "", "before-time": "", normalise: false, side: DEFAULTS.side, zoom: 0};
const SIDES = ["before", "difference", "after"];

export class CompareBar {
	constructor(page) {
		this.page = page;
		byId("compare").addEventListener("click", () => this.toggle());
		byId("swap").addEventListener("click", () => this.swap());
		for (const button of document.querySelectorAll("[data-side]"))
			button.addEventListener("click", () => this.change({side: button.dataset.side}));
		for (const key of ["widths", "change"])
			byId(key).addEventListener("change", ({target}) => this.change({[key]: target.value}));
		byId("before").addEventListener("change", ({target}) =>
			this.change({before: target.value, "before-time": ""}));
		byId("normalise").addEventListener("change", ({target}) => this.change({normalise: target.checked}));
	}

	change(changes) {
		this.page.go(changes, "push");
	}

	// Toggle compare. Of several profiles the first one is the baseline; a single one is compared with itself.
	toggle() {
		const {state, shown} = this.page, [first, second] = shown.profiles.map(({name}) => name);
		if (state.before)
			this.change(NONE);
		else if (second && this.page.profileName() === first)
			this.change({before: first, profile: second, time: ""});
		else
			this.change({before: first});
	}

	swap() {
		const {state, shown} = this.page, after = state.profile || shown.profiles[0].name;
		this.change({before: after, profile: state.before, "before-time": state.time, time: state["before-time"]});
	}

	// Use the selection as baseline; the next selection is compared with it.
	keepSelection() {
		const {state} = this.page;
		this.change({before: this.page.profileName(), "before-time": sideOf(state).time, time: "", side: DEFAULTS.side});
	}

	nextSide() {
		const {state} = this.page, at = SIDES.indexOf(state.side);
		if (state.before)
			this.change({side: SIDES[(at + 1) % SIDES.length]});
	}

	// The state has changed. A profile that has two sides itself is not compared with others.
	show() {
		const {state, shown} = this.page, names = shown.profiles.map(({name}) => name);
		const chosen = state.before !== "", two = hasSides(shown.about);
		byId("compared").hidden = !chosen && !two;
		byId("compare").disabled = two && !chosen;
		byId("compare").setAttribute("aria-pressed", String(chosen));
		for (const element of document.querySelectorAll("#compared .bar > *"))
			element.hidden = ("difference" in element.dataset && !isCompared(state) && !two) ||
				("chosen" in element.dataset && !chosen);
		fillSelect(byId("before"), names.map((name) => [name, shortName(shown.profiles, name)]), state.before);
		for (const button of document.querySelectorAll("[data-side]"))
			button.setAttribute("aria-pressed", String(button.dataset.side === state.side));
		byId("widths").value = state.widths;
		byId("change").value = state.change;
		byId("normalise").checked = state.normalise;
	}

	// Show the totals of the table's answer.
	showSums(top) {
		const {before_total: before, total: after} = top, unit = parseUnit(top.unit);
		if (before === undefined)
			return;
		this.paintLegend();
		const scale = scaleOf(before, after, isNormalised(this.page.state));
		byId("sums").textContent = human(before, unit) + " before, " + human(after, unit) + " after" +
			(scale === 1 ? ": " + changeValue(changeOf(before, after, 1), unit) + ", " + changePercent(before, after, 1) :
				", before scaled by " + Number(scale.toPrecision(4)));
	}

	paintLegend() {
		const canvas = byId("change-legend"), context = canvas.getContext("2d");
		changeColours().forEach((colour, x) => {
			context.fillStyle = colour;
			context.fillRect(x, 0, 1, 1);
		});
	}
}
