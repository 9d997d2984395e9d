// view.test.mjs: the page of kiln view in a browser, by real input, its numbers beside those of the commands.
import { execFileSync, execSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { equal, folder, kiln, near, run, source, test } from "./harness.mjs";
import { LOOKS, boxOf, drag, look, menu, middleOf, painted, placeOf, settled, still, until } from "./looking.mjs";
import { patternOf } from "../../web/view/pattern.mjs";

// Two phases one after the other, and a second thread beside both.
const PROGRAM = `
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#define FAR __attribute__((noinline))
static volatile unsigned long sink;
FAR static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
FAR static void spin(int n) { for (int i = 0; i < n; i++) sink += i; }
FAR static void parse_line(void) { spin(30000); sink++; }
FAR static void parse_all(void) { for (int i = 0; i < 20; i++) parse_line(); spin(90000); sink++; }
FAR static unsigned long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
FAR static void write_all(void) { sink += fib(22); spin(20000); sink++; }
FAR static void *help(void *end) {
	pthread_setname_np(pthread_self(), "helper");
	while (now() < *(double *)end) {
		spin(60000);
		nanosleep(&(struct timespec){0, 2000000}, 0);
	}
	return 0;
}
int main(void) {
	double middle = now() + 0.8, end = middle + 0.8;
	pthread_t helper;
	pthread_create(&helper, 0, help, &end);
	while (now() < middle)
		parse_all();
	while (now() < end)
		write_all();
	return pthread_join(helper, 0);
}
`;

function skip(why) {
	console.log("1..0 # skip " + why);
	process.exit(0);
}

const file = path.join(folder, "phases.kiln"), other = path.join(folder, "other.folded"),
	wide = path.join(folder, "wide.folded"), node = path.join(folder, "node.folded"), again = path.join(folder, "again.kiln"),
	two = path.join(folder, "two.folded"), nobody = path.join(folder, "nobody.folded"), long = path.join(folder, "long.folded"), spent = path.join(folder, "spent.txt");
function record() {
	const source = path.join(folder, "phases.c"), program = path.join(folder, "phases");
	fs.writeFileSync(source, PROGRAM);
	execFileSync("cc", ["-O1", "-g", "-pthread", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
		source, "-o", program]);
	try {
		for (const each of [file, again])
			execFileSync(kiln, ["record", "-F", "997", "-o", each, program], { stdio: "pipe" });
	} catch (error) {
		skip("needs perf: " + String(error.stderr).split("\n")[0]);
	}
	fs.writeFileSync(other, "main;work 7\nmain;rest 3\n");
	fs.writeFileSync(node, "node;main;Builtins_JSEntry_[j];work_[j] 7\nnode;main;rest 3\n");
	fs.writeFileSync(nobody, "main;rest 0\n");
	fs.writeFileSync(long, "main;" + "x".repeat(1000000) + " 7\nmain;rest 3\n");
	fs.writeFileSync(spent, [[7, 12300000], [8, 12864000]].map(([at, spent]) =>
		`work ${at} [00${at}] ${at * 5}.0: ${spent} cpu-clock:\n\t401000 work (/bin/work)\n\n`).join(""));
	fs.writeFileSync(two, "main;b 3 5\nmain;c 5 0\nmain;d 0 4\n");
	fs.writeFileSync(wide, "most 1000000000\n" +
		Array.from({ length: 20000 }, (_, i) => `f${i} 1\n`).join(""));
}

const ask = (...words) => JSON.parse(execFileSync(kiln, words, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
const top = (...options) => ask("top", "--json", ...options, file);
const totalOf = (answer, name) => answer.functions.find((each) => each.function === name).total;

async function serve(words, input = "ignore") {
	const server = spawn(kiln, ["view", "--no-open", ...words], { stdio: [input, "pipe", "inherit"] });
	process.on("exit", () => server.kill());
	for await (const line of createInterface({ input: server.stdout }))
		return { server, url: line.trim() };
	throw new Error("kiln view ended without a word");
}

record();
const { server, url } = process.env.KILN_VIEW_URL ? { url: process.env.KILN_VIEW_URL } : await serve([file, other, wide, again, two, node, nobody, long, spent]);

// ---- The page ----

async function open(tab, hash = "") {
	await tab.goto(url + hash);
	return settled(tab);
}

// ---- Whole ----

test("shows the whole: heat map, tree and table have the total of kiln top", {}, async (tab) => {
	const state = await open(tab), whole = top();
	equal(state.tree.total, whole.total, "the tree");
	equal(state.heatmap.total + state.heatmap.untimed, whole.total, "the heat map");
	equal(state.top.total, whole.total, "the table");
	equal(state.whole, whole.total, "the whole");
	equal(state.top.rows.slice(0, 5), whole.functions.slice(0, 5), "rows");
	equal(state.tree.boxes[0].name, "all");
	near(boxOf(state, "parse_all").width / state.tree.boxes[0].width,
		totalOf(whole, "parse_all") / whole.total, 0.01, "the share of the width");
});

// ---- Time ----

const COLUMNS = "#column=100ms"; // so that places do not hang on how many samples there are

test("a dragged range has the numbers of kiln top --time, already while it is dragged", {}, async (tab) => {
	const before = await open(tab, COLUMNS);
	const from = placeOf(before, 3e8, 0.3), to = placeOf(before, 12e8, 0.6);
	await tab.mouse.move(...from);
	await tab.mouse.down();
	await tab.mouse.move(...to, { steps: 10 });
	const live = await until(tab, "live", (state) => still(state) && state.query.time);
	equal(live.tree.total, top("--time", live.query.time).total, "while dragging");
	equal(await tab.evaluate(() => location.hash), COLUMNS, "the address while dragging");
	await tab.mouse.up();
	const state = await settled(tab), range = state.heatmap.range, part = top("--time", state.query.time);
	equal(state.query.time, range.from / 1e9 + ".." + range.to / 1e9);
	const row = before.heatmap.column / before.heatmap.rows;
	equal([range.from, range.to].map((end) => (end - before.heatmap.offset) % row), [0, 0], "whole cells");
	if (!(part.total > 0 && part.total < before.tree.total))
		throw new Error("not a part: " + part.total);
	equal(state.tree.total, part.total);
	equal(state.top.rows.slice(0, 5), part.functions.slice(0, 5));
	equal(state.heatmap.total, before.heatmap.total, "the map stays whole");
	const rest = top("--time", ".." + range.from / 1e9).total + top("--time", range.to / 1e9 + "..").total;
	equal(part.total + rest, before.tree.total, "the parts together");
	equal(await tab.evaluate(() => location.hash), "#time=" + state.query.time + "&column=100ms");
});

for (const width of [1200, 1280])
	test(`what is selected is said whole, ${width} pixels wide`, { viewport: { width, height: 720 } }, async (tab) => {
		// The last one has as many letters as there are: what was recorded has so many on some days.
		for (const time of ["0.4..1.234567", "..", "0.001..0.0012", "0..0.0123&profile=" + encodeURIComponent(spent)]) {
			await tab.goto("about:blank");
			await open(tab, "#time=" + time);
			equal(await tab.locator("#selected").evaluate((text) => text.scrollWidth > text.clientWidth ?
				`${text.textContent}: ${text.scrollWidth} pixels in ${text.clientWidth}` : ""), "", time);
		}
	});

test("looks at most ten times a second while dragging, with two questions each", {}, async (tab) => {
	const before = await open(tab, COLUMNS);
	await tab.mouse.move(...placeOf(before, 1e8, 0.5));
	await tab.mouse.down();
	const begun = Date.now();
	for (let i = 0; i < 60; i++)
		await tab.mouse.move(...placeOf(before, 2e8 + i * 2e7, (i % 10) / 10 + 0.05));
	const now = await look(tab), seconds = (Date.now() - begun) / 1000;
	await tab.mouse.up();
	if (now.requests - before.requests > 2 * 10.6 * seconds + 4)
		throw new Error(`${now.requests - before.requests} in ${seconds} s`);
	const state = await settled(tab);
	equal(state.tree.total, top("--time", state.query.time).total);
});

// Nobody selects what moves away from under the pointer.
for (const width of [420, 800, 1100, 1280, 1920])
	test(`the heat map stays where it is while a time is dragged over it, ${width} pixels wide`,
		{ viewport: { width, height: 900 } }, async (tab) => {
			const { heatmap: { place } } = await open(tab);
			const at = (x, y) => [place.x + place.width * x, place.y + place.height * y];
			await tab.mouse.move(...at(0.3, 0.5));
			await tab.mouse.down();
			await tab.mouse.move(...at(0.6, 0.4), { steps: 4 });
			const dragged = await until(tab, "dragged", (each) => each.query.time && each.top.total < top().total);
			equal(dragged.heatmap.place, place);
			await tab.mouse.up();
			equal((await settled(tab)).heatmap.place, place);
		});

test("Shift-drag extends, Esc clears, arrows move and extend", {}, async (tab) => {
	const before = await open(tab, COLUMNS), step = before.heatmap.column, row = step / before.heatmap.rows;
	await drag(tab, placeOf(before, 4e8, 0.5), placeOf(before, 6e8, 0.5));
	const first = (await settled(tab)).heatmap.range;
	await tab.keyboard.down("Shift");
	await drag(tab, placeOf(before, 7e8, 0.5), placeOf(before, 9e8, 0.5));
	await tab.keyboard.up("Shift");
	const longer = (await settled(tab)).heatmap.range;
	equal(longer.from, first.from, "where it begins");
	if (longer.to <= first.to)
		throw new Error("not extended: " + JSON.stringify([first, longer]));
	await tab.keyboard.press("ArrowRight");
	await tab.keyboard.press("ArrowUp");
	let state = await settled(tab);
	equal(state.heatmap.range, { from: longer.from + step + row, to: longer.to + step + row });
	await tab.keyboard.press("Shift+ArrowLeft");
	state = await settled(tab);
	equal(state.heatmap.range, { from: longer.from + step + row, to: longer.to + row });
	equal(state.tree.total, top("--time", state.query.time).total);
	await tab.keyboard.press("Escape");
	state = await settled(tab);
	equal(state.heatmap.range, null);
	equal(state.tree.total, before.tree.total);
});

test("an end of the selection is dragged by itself, and the other one stays", {}, async (tab) => {
	for (const rows of ["50", "thread"]) {
		let state = await open(tab, COLUMNS + "&time=0.3..0.7&rows=" + rows);
		const { place, columns, column, offset, range } = state.heatmap, wide = place.width / columns;
		const pull = async (end, by) => {
			const into = (end - offset) / column, part = into - Math.floor(into);
			// Of columns the line is beside the one in which the end is, where that is not selected.
			const [x, y] = rows === "thread" ? [into, 0.5] : part > 0.5 ? [Math.floor(into) + 1, 0.98] : [Math.floor(into), 0.02];
			await drag(tab, [place.x + x * wide, place.y + y * place.height], [place.x + (x + by) * wide, place.y + y * place.height]);
			return settled(tab);
		};
		state = await pull(range.to, 2.5);
		equal([state.heatmap.range.from, state.heatmap.range.to > range.to + column], [range.from, true], rows);
		equal(state.top.total, top("--time", state.query.time).total, rows);
		const { to } = state.heatmap.range;
		state = await pull(range.from, -1.5);
		equal([state.heatmap.range.to, state.heatmap.range.from < range.from - column / 2], [to, true], rows);
		const { time } = state.query;
		await pull(state.heatmap.range.from, 0); // held and not moved
		equal((await settled(tab)).query.time, time, rows);
	}
});

test("Esc gives up a drag", {}, async (tab) => {
	const before = await open(tab, COLUMNS);
	await tab.mouse.move(...placeOf(before, 4e8, 0.5));
	await tab.mouse.down();
	await tab.mouse.move(...placeOf(before, 8e8, 0.5), { steps: 4 });
	await tab.keyboard.press("Escape");
	await tab.mouse.up();
	const state = await settled(tab);
	equal(state.query.time, "");
	equal(state.tree.total, before.tree.total);
});

test("keys walk lanes and choose one", {}, async (tab) => {
	await open(tab, COLUMNS + "&rows=thread");
	for (const key of ["t", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown"])
		await tab.keyboard.press(key);
	let state = await settled(tab);
	const [, label] = state.heatmap.labels;
	equal([state.status, state.details.startsWith(label + ", 0 s to "), state.query.time], [label, true, ""]);
	await tab.keyboard.press("Enter");
	state = await until(tab, "chosen", (each) => each.query.thread !== "" && !each.waiting);
	equal(state.tree.total, top("--thread", /\d+$/.exec(label)[0]).total);
	await tab.keyboard.press("ArrowRight");
	await until(tab, "selected", (each) => each.query.time !== "");
});

test("takes exact ends as they are typed", {}, async (tab) => {
	await open(tab, COLUMNS);
	await tab.fill("#from", "250ms");
	await tab.press("#from", "Enter");
	await settled(tab);
	await tab.fill("#to", "0.9001");
	await tab.press("#to", "Tab");
	const state = await settled(tab);
	equal(state.query.time, "250ms..0.9001");
	equal(state.tree.total, top("--time", "250ms..0.9001").total);
	equal(state.heatmap.range, { from: 250000000, to: 900100000 });
});

test("rows are threads or CPUs: each has what the command says is its own, and a label chooses it", {}, async (tab) => {
	await open(tab, COLUMNS);
	const lanes = [["thread", "--thread"], ["cpu", "--cpu"]];
	const several = ask("info", "--json", file).cpu_list.length > 1;
	for (const [by, option] of several ? lanes : lanes.slice(0, 1)) {
		await tab.selectOption("#rows", by);
		const { heatmap, tree } = await settled(tab);
		const sums = heatmap.labels.map((_, row) =>
			heatmap.value.filter((__, i) => i % heatmap.rows === row).reduce((a, b) => a + b));
		equal(sums, heatmap.labels.map((label) => top(option, /\d+$/.exec(label)[0]).total), by);
		const { place } = heatmap, lane = place.height / heatmap.rows;
		await tab.mouse.click(place.x - 20, place.y + lane * 1.5);
		equal((await settled(tab)).tree.total, sums[1], "of the second " + by);
		await tab.goBack();
		equal((await settled(tab)).tree.total, tree.total);
		await drag(tab, [place.x + place.width * 0.2, place.y + lane / 2],
			[place.x + place.width * 0.6, place.y + lane / 2]);
		const part = await settled(tab);
		equal(part.tree.total, top("--time", part.query.time).total, "a range of all lanes");
		equal((part.heatmap.range.to - part.heatmap.range.from) % heatmap.column, 0, "whole columns");
		await tab.goBack();
		await settled(tab);
	}
});

// ---- Zoom and search ----

test("zooms by click, fades the callers, and comes back by Esc and by history", {}, async (tab) => {
	await open(tab);
	await tab.mouse.click(...middleOf(boxOf(await look(tab), "parse_all")));
	let state = await settled(tab);
	equal(state.tree.zoom, "parse_all");
	equal(state.tree.zoomTotal, totalOf(top(), "parse_all"));
	const zoomed = boxOf(state, "parse_all"), all = state.tree.boxes.find((box) => box.name === "all");
	equal([all.faded, zoomed.faded, zoomed.width], [true, false, all.width]);
	equal(state.tree.boxes.some((box) => box.name === "write_all"), false, "what is beside it");
	await tab.keyboard.press("Escape");
	state = await settled(tab);
	equal(state.tree.zoom, "all");
	await tab.goBack();
	equal((await settled(tab)).tree.zoom, "parse_all");
	await tab.reload();
	equal((await settled(tab)).tree.zoom, "parse_all");
});

test("keeps the zoom when the time is narrowed", {}, async (tab) => {
	const before = await open(tab, COLUMNS);
	await tab.mouse.click(...middleOf(boxOf(before, "parse_all")));
	await settled(tab);
	await drag(tab, placeOf(before, 1e8, 0.5), placeOf(before, 5e8, 0.5));
	const state = await settled(tab);
	equal(state.tree.zoom, "parse_all");
	equal(state.tree.zoomTotal, totalOf(top("--time", state.query.time), "parse_all"));
	await menu(tab, "parse_all", /^Focus/);
	equal((await look(tab)).tree.zoom, "all", "where the zoomed frame has gone");
	await tab.keyboard.press("u");
	equal((await settled(tab)).tree.zoom, "parse_all", "where it is back");
});

test("searches: matches lit, counted once, n walks", {}, async (tab) => {
	await open(tab);
	await tab.keyboard.press("/");
	await tab.keyboard.type("^FIB$");
	let state = await settled(tab);
	equal(state.matched, "matched 0.00%");
	await tab.click("#match-case");
	state = await settled(tab);
	const whole = top(), share = 100 * totalOf(whole, "fib") / whole.total;
	near(parseFloat(state.matched.replace("matched ", "")), share, 0.006, "matched");
	equal(state.tree.boxes.every((box) => box.match === (box.name === "fib")), true, "what is lit");
	await tab.locator("#search").blur();
	await tab.keyboard.press("n");
	equal((await look(tab)).focus, "fib");
	await tab.mouse.click(...middleOf(boxOf(await look(tab), "write_all")));
	state = await settled(tab);
	near(parseFloat(state.matched.replace("matched ", "")),
		100 * totalOf(whole, "fib") / totalOf(whole, "write_all"), 0.006, "matched in the view");
	await tab.fill("#search", "(");
	equal((await settled(tab)).matched, "Invalid regular expression");
});

test("turns over and orders by weight", {}, async (tab) => {
	const flame = await open(tab);
	await tab.click("[data-shape=icicle]");
	const icicle = await settled(tab);
	const above = (state) => boxOf(state, "main").y < boxOf(state, "all").y;
	equal([above(flame), above(icicle)], [true, false]);
	await tab.selectOption("#order", "weight");
	const { boxes } = (await settled(tab)).tree;
	const comms = boxes.filter((box) => box.depth === 1);
	equal(comms.map((box) => box.total), comms.map((box) => box.total).sort((a, b) => b - a));
	equal(comms[0].x, boxes[0].x, "the heaviest is on the left");
});

test("tells of what is at the pointer its part of all, of the selection, of the view and of its caller", {},
	async (tab) => {
		const before = await open(tab, "#time=0.1..1.2");
		await tab.mouse.click(...middleOf(boxOf(before, "main")));
		const zoomed = await settled(tab);
		await tab.mouse.move(...middleOf(boxOf(zoomed, "parse_line")));
		const part = top("--time", "0.1..1.2"), line = totalOf(part, "parse_line");
		const { details } = await until(tab, "told", (state) => state.details.startsWith("parse_line "));
		for (const [whole, of] of [[top().total, "all"], [part.total, "the selection"],
			[totalOf(part, "main"), "the view"], [totalOf(part, "parse_all"), "its caller"]]) {
			const said = new RegExp("([\\d.]+)% of " + of + "( |$)").exec(details);
			near(said ? Number(said[1]) : NaN, 100 * line / whole, 0.0051, of + " in " + details);
		}
	});

for (const view of ["flame", "chart"]) test(`outlines what is at the pointer, and leaves nothing of that behind: ${view}`, { deviceScaleFactor: 1.25 }, async (tab) => {
	const { boxes } = view === "chart" ? (await openChart(tab)).chart : (await open(tab)).tree;
	const aside = [5, 5], least = view === "chart" ? 20 : 1; // pixels; a chart has hundreds of boxes
	// As it is on a screen: of pixels that are hardly covered the colour is anything.
	const keep = (name) => tab.evaluate(([name, view]) => {
		const canvas = document.querySelector(`#${view} canvas`);
		const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
		window[name] = data.map((value, i) => i % 4 === 3 ? value : value * data[i | 3] / 255);
	}, [name, view]);
	const differing = (most) => tab.evaluate((most) => window.was.reduce((n, value, i) => n + (Math.abs(value - window.is[i]) > most), 0), most);
	await tab.mouse.move(...aside);
	await painted(tab);
	await keep("was");
	for (const box of boxes.filter(({ width }) => width > least)) {
		await tab.mouse.move(...middleOf(box));
		await painted(tab);
		await keep("is");
		equal(await differing(40) > 20, true, "outlined: " + box.name);
	}
	await tab.mouse.move(...aside);
	await painted(tab);
	await keep("is");
	equal(await differing(4), 0, "pixels that are not as they were");
});

test("scrolls by wheel what is higher than its place", { viewport: { width: 1200, height: 480 } }, async (tab) => {
	const before = await open(tab), root = boxOf(before, "all");
	await tab.mouse.move(root.x + 300, root.y);
	await tab.mouse.wheel(0, -60);
	const after = await until(tab, "scrolled", (state) => !state.tree.boxes.some((box) => box.name === "all"));
	near(boxOf(after, "main").y - boxOf(before, "main").y, 60, 1, "how far");
	await tab.keyboard.press("g");
	equal(boxOf(await settled(tab), "all").y, root.y, "what has the focus is in view");
});

test("draws only what is wide enough to see, of a tree of any size", {}, async (tab) => {
	await tab.goto(url + "#profile=" + encodeURIComponent(wide));
	const state = await until(tab, "there", (each) => each.tree && !each.waiting);
	equal(state.tree.nodes, 20002);
	equal(state.tree.boxes.map((box) => box.name), ["all", "most"]);
	await tab.selectOption("#order", "weight");
	const sorted = await until(tab, "sorted", (each) => each.tree && !each.waiting && each.query.order === "weight");
	equal(sorted.tree.boxes.map((box) => box.name), ["all", "most"]);
});

// ---- Reshape ----

test("focus and drop are chips with the numbers of the command, in order and removable", {}, async (tab) => {
	const before = await open(tab);
	let state = await menu(tab, "parse_all", /^Focus/);
	equal(state.query.transforms, [{ name: "focus", argument: "^parse_all$" }]);
	equal(state.tree.total, top("--focus", "^parse_all$").total);
	equal(state.heatmap.total, state.tree.total, "the heat map follows");
	equal(await tab.locator("#chips li").allInnerTexts(), ["Focus: parse_all\n\u00d7"]);
	state = await menu(tab, "spin", /^Remove this/);
	const both = top("--focus", "^parse_all$", "--drop", "^spin$");
	equal(state.top.rows, both.functions);
	await tab.getByRole("button", { name: "Undo Focus: parse_all" }).click();
	state = await settled(tab);
	equal(state.tree.total, top("--drop", "^spin$").total);
	await tab.goBack();
	equal((await settled(tab)).top.rows, both.functions, "back");
	await tab.goBack();
	await tab.goBack();
	equal((await settled(tab)).tree.total, before.tree.total, "back twice more");
	await tab.goForward();
	equal((await settled(tab)).tree.total, top("--focus", "^parse_all$").total, "forward");
});

test("every way to reshape does what the command's option does", {}, async (tab) => {
	await open(tab);
	for (const [item, frame, ...options] of [[/^Only stacks/, "write_all", "--include", "^write_all$"],
		[/^Exclude/, "write_all", "--exclude", "^write_all$"], [/^Remove this/, "parse_line", "--drop", "^parse_line$"],
		[/^Fold into/, "parse_line", "--charge", "^parse_line$"], [/^Hide callees/, "parse_all", "--hide-below", "^parse_all$"],
		[/^Collapse module/, "parse_all", "--collapse-module", "^phases$"], [/^Reverse/, "main", "--reverse"],
		[/^Collapse recursion/, "main", "--collapse-recursion"]]) {
		const state = await menu(tab, frame, item), wanted = top(...options);
		equal(state.tree.total, wanted.total, options.join(" "));
		equal(state.top.rows.slice(0, 5), wanted.functions.slice(0, 5), options.join(" "));
		const tree = execFileSync(kiln, ["fold", ...options, file], { encoding: "utf8", stdio: "pipe" });
		const roots = new Set(tree.trim().split("\n").map((line) => line.replace(/ \d+$/, "").split(";")[0]));
		equal(state.tree.boxes.filter((box) => box.depth === 1).every((box) => roots.has(box.name)), true);
		await tab.click("#chips button");
		await settled(tab);
	}
});

test("a runtime's own code is taken out where there is some", {}, async (tab) => {
	await open(tab);
	await tab.mouse.click(...middleOf(boxOf(await look(tab), "main")), { button: "right" });
	equal(await tab.getByRole("menuitem", { name: /Node/ }).count(), 0, "of a program without one");
	await tab.goto("about:blank");
	await open(tab, "#profile=" + encodeURIComponent(node));
	const { query, top: table } = await menu(tab, "rest", /Node/);
	equal(query.transforms, [{ name: "clean", argument: "node" }]);
	equal(table.rows, ask("top", "--json", "--clean", "node", node).functions);
	await tab.mouse.click(...middleOf(boxOf(await look(tab), "rest")), { button: "right" });
	equal(await tab.getByRole("menuitem", { name: /Node/ }).count(), 0, "once");
});

test("only one path to a function is left", {}, async (tab) => {
	await open(tab);
	const { query, tree } = await menu(tab, "parse_line", /^Only this path/);
	const [{ name, argument }] = query.transforms;
	equal([name, argument.split(";").slice(-3)], ["path", ["main", "parse_all", "parse_line"]]);
	equal(tree.total, top("--path", argument).total);
	equal(tree.total, totalOf(top(), "parse_line"));
});

test("threads, kinds and profiles are chosen", {}, async (tab) => {
	await open(tab);
	const about = ask("info", "--json", file);
	const helper = about.thread_list.find((each) => each.name === "helper");
	await tab.selectOption("#thread", String(helper.tid));
	let state = await settled(tab);
	equal(state.tree.total, top("--thread", String(helper.tid)).total);
	equal(state.heatmap.total, state.tree.total);
	await tab.selectOption("#kind", "samples");
	state = await settled(tab);
	equal(state.tree.total, top("--kind", "samples", "--thread", String(helper.tid)).total);
	await tab.selectOption("#profile", other);
	state = await settled(tab);
	equal([state.tree.total, state.query.thread, state.heatmap.columns], [10, "", 0]);
	await tab.goBack();
	equal((await settled(tab)).query.thread, String(helper.tid));
});

test("the command that is copied has the numbers of the page", {}, async (tab) => {
	await open(tab, "#time=0.2..1.1&focus=" + encodeURIComponent("^(parse_all|write's)$") + "&drop=%5Espin%24");
	await tab.click("#copy");
	const state = await settled(tab);
	if (!state.status.includes(state.command))
		throw new Error("not said: " + state.status);
	const said = JSON.parse(execSync(state.command.replace(/^kiln/, kiln) + " --json 2>&-", { encoding: "utf8" }));
	equal(state.tree.total, said.total);
	equal(state.top.rows, said.functions);
});

test("saves a picture of the screen", {}, async (tab) => {
	const state = await open(tab, "#column=100ms&search=%5Efib%24");
	await tab.click("#save");
	const [download] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("menuitem", { name: /PNG/ }).click()]);
	equal(download.suggestedFilename(), "phases.png");
	const bytes = fs.readFileSync(await download.path());
	const blank = await tab.context().newPage(); // whose policy lets in images
	const seen = await blank.evaluate(async (text) => {
		const image = new Image();
		image.src = "data:image/png;base64," + text;
		await image.decode();
		const canvas = document.createElement("canvas"), { width, height } = image;
		Object.assign(canvas, { width, height });
		const context = canvas.getContext("2d");
		context.drawImage(image, 0, 0);
		const { data } = context.getImageData(0, 0, width, height), lit = { map: 0, graph: 0 };
		for (let i = 0; i < data.length; i += 4)
			if (data[i] - data[i + 1] > 100 && data[i + 2] - data[i + 1] > 100)
				lit[i / 4 / width < height / 3 ? "map" : "graph"]++;
		return { width, height, lit };
	}, bytes.toString("base64"));
	const fib = state.tree.boxes.filter((box) => box.match).reduce((area, box) => area + (box.width - 1) * 17, 0);
	equal(seen.lit.map > 1000 && seen.lit.graph > fib * 0.9, true, JSON.stringify([seen, fib]));
});

test("the command reads as the page does, standard input, too", {}, async (tab) => {
	const own = await serve(["--lines", "-"], fs.openSync(file));
	await tab.goto(own.url);
	const state = await settled(tab);
	equal(state.command, "kiln top --lines -");
	const said = JSON.parse(execSync(state.command.replace(/^kiln/, kiln) + " --json 2>&-", { encoding: "utf8", stdio: [fs.openSync(file), "pipe", "ignore"] }));
	equal(state.top.rows, said.functions.slice(0, 50));
	equal(state.top.rows.some((row) => row.function.includes("(phases.c:")), true);
	own.server.kill();
});

test("the command sorts as the page does", {}, async (tab) => {
	const state = await open(tab, "#sort=total&time=0.2..1.1");
	const said = JSON.parse(execSync(state.command.replace(/^kiln/, kiln) + " --json 2>&-", { encoding: "utf8" }));
	equal(state.top.rows, said.functions.slice(0, 50));
});

test("saves what is shown in other formats", {}, async (tab) => {
	await open(tab, "#time=0.2..1.1&focus=%5Eparse_all%24&shape=icicle&order=weight");
	const saved = async (item) => {
		await tab.click("#save");
		const [download] = await Promise.all([tab.waitForEvent("download"),
			tab.getByRole("menuitem", { name: item }).click()]);
		return [download.suggestedFilename(), fs.readFileSync(await download.path(), "utf8")];
	};
	const options = ["--time", "0.2..1.1", "--focus", "^parse_all$", file];
	const said = (...words) => execFileSync(kiln, words, { encoding: "utf8", stdio: "pipe" });
	equal(await saved(/Folded/), ["phases.folded", said("fold", ...options)]);
	equal(await saved(/Functions .JSON/), ["phases.json", said("top", "--json", ...options)]);
	const [name, svg] = await saved(/SVG/);
	equal(name, "phases.svg");
	equal(svg, said("draw", "--inverted", "--order", "weight", ...options, "-o", "-"));
	const drawn = path.join(folder, "drawn.html");
	said("draw", ...options, "-o", drawn);
	equal(await saved(/Page in one file/), ["phases.html", fs.readFileSync(drawn, "utf8")]);
	// A function's callers and callees are in the stacks that have it, a flame chart has lanes.
	await open(tab, "#view=sandwich&function=parse_all&time=0.2..1.1");
	equal(await saved(/Folded/), ["phases.folded", said("fold", "--time", "0.2..1.1", "--include", "^parse_all$", file)]);
	await openChart(tab, "&time=0.2..1.1");
	const chart = ["draw", "--flamechart", "--inverted", "--time", "0.2..1.1"];
	equal((await saved(/SVG/))[1], said(...chart, "--by-thread", file, "-o", "-"));
	await tab.selectOption("#lanes", "all");
	await until(tab, "one lane", ({ chart, waiting, query }) => chart && !waiting && query.lanes === "all");
	equal((await saved(/SVG/))[1], said(...chart, file, "-o", "-"));
});

test("says what the server refuses, and keeps what was there", { errors: true }, async (tab) => {
	const before = await open(tab);
	await tab.evaluate(() => {
		location.hash = "#focus=" + encodeURIComponent("(");
	});
	const state = await until(tab, "refused", (each) => each.status !== "");
	if (!/focus|missing|parenthes/i.test(state.status))
		throw new Error(state.status);
	equal(state.tree.total, before.tree.total);
	await tab.click("#chips button");
	const after = await until(tab, "well again", (each) => each.status === "");
	equal(after.tree.total, before.tree.total);
});

// All that can be done with what is not there leaves it as it is.
for (const [what, profile, said] of [["a time without samples", file, /^No samples in this selection/], ["a profile without samples", nobody, /^No samples in this profile/]])
	test(`${what} says so, and goes on`, {}, async (tab) => {
		const hash = "#profile=" + encodeURIComponent(profile) + (profile === file ? "&time=100..101" : "");
		await tab.goto(url + hash);
		let state = await until(tab, "empty", (each) => each.top && each.top.total === 0 && !each.waiting);
		equal(said.test(await tab.textContent("#no-flame")), true, await tab.textContent("#no-flame"));
		for (const key of ["g", "m", "n", "Enter", "ArrowUp", "Home", "i", "o", "2", "3", "4", "1", "/", "m", "Enter", "Escape"]) {
			await tab.keyboard.press(key);
			state = await until(tab, "still", (each) => !each.waiting);
		}
		equal([state.status, await tab.isVisible("#flame")], ["", false]);
		if (profile !== file)
			return;
		await tab.keyboard.press("Escape");
		state = await until(tab, "all of it", (each) => each.query.time === "" && each.tree.total === top().total);
		equal([await tab.isVisible("#no-flame"), await tab.isVisible("#flame")], [false, true]);
	});

test("a name of a million letters is shown, and what cannot be asked of it is said", { errors: true }, async (tab) => {
	let state = await open(tab, "#profile=" + encodeURIComponent(long));
	const box = boxOf(state, "x".repeat(1000000));
	equal([box.total, state.tree.total], [7, 10]);
	await tab.mouse.click(...middleOf(box), { button: "right" });
	await tab.getByRole("menuitem", { name: /^Focus/ }).click();
	state = await until(tab, "said", (each) => each.status !== "");
	equal(state.status, "The request is too long: a name in it has too many characters");
	await tab.goBack();
	await until(tab, "back", (each) => each.query.transforms.length === 0 && each.tree.total === 10);
});

test("a view that is refused from the start can be taken back", { errors: true }, async (tab) => {
	await tab.goto(url + "#focus=(");
	for (let i = 0; i < 200 && !(await tab.textContent("#status")); i++)
		await tab.waitForTimeout(30);
	await tab.click("#chips button");
	const state = await settled(tab);
	equal([state.status, state.tree.total], ["", top().total]);
});

test("colours the heat map by each scale from the palette's one end to the other", {}, async (tab) => {
	await open(tab, "#column=100ms&rows=10");
	const darkest = [];
	for (const scale of ["linear", "sqrt", "log", "rank"]) {
		await tab.selectOption("#scale", scale);
		await settled(tab);
		darkest.push(await tab.evaluate(() => {
			const canvas = document.getElementById("heatmap");
			const { data } = canvas.getContext("2d").getImageData(60, 2, canvas.width - 80, 116);
			let least = 255 * 3;
			for (let i = 0; i < data.length; i += 4)
				least = Math.min(least, data[i] + data[i + 1] + data[i + 2]);
			return least;
		}));
	}
	equal(darkest, [112, 112, 112, 112], "the cell that has most is rgb(0, 34, 78)");
});

test("an expression matches here what it matches in the commands", {}, async () => {
	const read = (pattern, ignore) => {
		try {
			return patternOf(pattern, Boolean(ignore));
		} catch (error) {
			return error instanceof SyntaxError ? null : error;
		}
	};
	const cases = JSON.parse(fs.readFileSync(path.join(source, "tests/support/patterns.json")));
	for (const { pattern, ignore, matches, fails, refused } of cases) {
		const made = read(pattern, ignore);
		equal(made === null, Boolean(refused), `refused: ${pattern}`);
		for (const [names, expected] of made ? [[matches, true], [fails, false]] : [])
			for (const name of names)
				equal(made.test(name), expected, `${pattern} of ${JSON.stringify(name)}`);
	}
});

test("lights on the heat map what is searched for: what --include leaves, cell by cell", {}, async (tab) => {
	const lit = () => tab.evaluate(() => {
		const canvas = document.getElementById("heatmap");
		const { data } = canvas.getContext("2d").getImageData(60, 2, canvas.width - 80, 116);
		let pink = 0;
		for (let i = 0; i < data.length; i += 4)
			pink += data[i] - data[i + 1] > 40 && data[i + 2] - data[i + 1] > 40;
		return pink;
	});
	await open(tab, "#column=100ms&rows=10");
	equal(await lit(), 0, "without a search");
	for (const [search, option] of [["fib|parse_line", "--include=fib|parse_line"], ["^FIB$", "--include=(?i)^FIB$"]]) {
		const state = await open(tab, `#column=100ms&rows=10&search=${encodeURIComponent(search)}${search === "^FIB$" ? "&ignore" : ""}`);
		const { matched, value } = state.heatmap, { total } = top(option);
		equal([matched.total, matched.value.reduce((a, b) => a + b)], [total, total], "of all cells");
		equal(matched.value.every((each, i) => each <= value[i]), true, "part of the cells");
		near(parseFloat(state.matched.replace("matched ", "")), 100 * total / state.tree.total, 0.006, "as in the graph");
		equal(await lit() > 0, true, "lit");
		const all = await open(tab, `#column=100ms&rows=10&include=${encodeURIComponent(option.slice(10))}`);
		equal(all.heatmap.value, matched.value, "cell by cell");
	}
	await open(tab, "#search=(");
	equal((await look(tab)).heatmap.matched, null, "no expression, no light");
});

// ---- Flame chart ----

const charted = (state) => state.chart && state.heatmap && !state.waiting;
async function openChart(tab, hash = "") {
	await tab.goto(url + "#view=chart" + hash);
	return until(tab, "a chart", charted);
}
const chartNow = async (tab) => {
	await until(tab, "a chart", charted);
	await painted(tab);
	return until(tab, "a chart", charted);
};

test("the flame chart has a lane for each thread, and what ran when", {}, async (tab) => {
	const { chart, heatmap, top: table } = await openChart(tab, "&column=100ms");
	const threads = ask("info", "--json", file).thread_list.filter((each) => top("--thread", String(each.tid)).total);
	equal(chart.header.labels.map((label) => /\d+$/.exec(label)[0]).sort(), threads.map((each) => String(each.tid)).sort());
	equal([chart.header.total, table.total], [top().total, top().total]);
	for (const box of chart.boxes)
		if (!(box.x >= chart.place.x - 1 && box.x + box.width <= chart.place.x + chart.place.width + 1))
			throw new Error("out of the pane: " + JSON.stringify(box));
	equal(heatmap.range, null);
});

test("boxes of the flame chart have the samples of their function", {}, async (tab) => {
	for (const [time, name] of [["0.2..0.7", "parse_all"], ["0.9..1.4", "write_all"]]) {
		await tab.goto("about:blank");
		const { chart } = await openChart(tab, "&time=" + time);
		const count = (which) => totalOf(top("--kind", "samples", "--time", time), which);
		// A few short runs of others may be drawn with it.
		near(chart.boxes.filter((box) => box.name === name).reduce((sum, box) => sum + box.samples, 0) / count(name),
			1, 0.05, name);
	}
});

test("wheel, drag and keys in the flame chart choose the time of all panes", {}, async (tab) => {
	const before = await openChart(tab, "&column=100ms"), { place } = before.chart;
	const x = place.x + place.width * 0.25, span = before.chart.range.to;
	await tab.mouse.move(x, place.y + 60);
	await tab.keyboard.down("Control");
	await tab.mouse.wheel(0, -300);
	await tab.keyboard.up("Control");
	await until(tab, "nearer", (state) => charted(state) && state.query.time);
	let state = await chartNow(tab);
	const { from, to } = state.chart.range;
	near(from + (to - from) * 0.25, span * 0.25, span * 0.001, "the time at the pointer stays there");
	if (!(to - from < span / 2))
		throw new Error("not nearer: " + (to - from));
	equal(state.heatmap.range, { from, to }, "the heat map's selection");
	equal(state.top.total, top("--time", state.query.time).total, "the table");
	equal(state.chart.header.total, state.top.total, "the chart");
	await tab.keyboard.down("Shift");
	await tab.mouse.wheel(0, 100);
	await tab.keyboard.up("Shift");
	state = await until(tab, "moved", (each) => charted(each) && each.chart.range.from > from);
	near(state.chart.range.to - state.chart.range.from, to - from, 1, "as wide as before");
	await tab.click("#all-time");
	await until(tab, "the whole", (each) => charted(each) && !each.query.time);
	await drag(tab, [place.x + place.width * 0.5, place.y + 40], [place.x + place.width * 0.75, place.y + 90]);
	state = await until(tab, "dragged", (each) => charted(each) && each.query.time);
	near(state.chart.range.from, span * 0.5, span * 0.005, "from");
	near(state.chart.range.to, span * 0.75, span * 0.005, "to");
	const [box] = state.chart.boxes.filter((each) => each.name === "main").sort((a, b) => b.width - a.width);
	await tab.mouse.move(...middleOf(box));
	const { details, top: part, whole } = await until(tab, "told", (each) => / main |^main /.test(each.details));
	const shares = /([\d.]+)% of all \u00b7 ([\d.]+)% of the selection/.exec(details);
	near(Number(shares[1]) / Number(shares[2]), part.total / whole, 0.01, details);
	await tab.keyboard.press("Escape");
	await until(tab, "the whole again", (each) => charted(each) && !each.query.time);
});

test("keys walk the flame chart, a click shows the time of a box", {}, async (tab) => {
	await openChart(tab);
	await tab.keyboard.press("g");
	equal((await look(tab)).focus, "phases");
	for (const name of ["_start", "__libc_start_main"]) {
		await tab.keyboard.press("ArrowDown");
		equal((await look(tab)).focus, name);
	}
	if (!/__libc_start_main .*sample/.test(await tab.textContent("#walked")))
		throw new Error(await tab.textContent("#walked"));
	await tab.keyboard.press("+");
	let state = await until(tab, "nearer", (each) => charted(each) && each.query.time);
	await tab.keyboard.press("-");
	await until(tab, "farther", (each) => charted(each) && !each.query.time);
	const { chart } = await chartNow(tab);
	const part = chart.boxes.filter((each) => each.width < chart.place.width / 2); // main may be all of it
	const box = part.sort((a, b) => b.width - a.width)[0];
	await tab.mouse.click(...middleOf(box));
	state = await until(tab, "zoomed", (each) => charted(each) && each.query.time);
	near(state.chart.range.from, Math.max(box.from, 0), 2.1e6, "from, to two samples");
	near(state.chart.range.to, box.to, 2.1e6, "to");
	await tab.fill("#search", "^main$");
	const lit = await until(tab, "lit", (each) => charted(each) && each.query.search);
	equal(lit.chart.boxes.every((each) => each.match === (each.name === "main")), true);
	await tab.selectOption("#lanes", "all");
	state = await until(tab, "one lane", (each) => charted(each) && each.chart.header.labels[0] === "all");
	equal(state.chart.header.total, state.top.total);
});

test("says why there is no flame chart where there are no times", {}, async (tab) => {
	await tab.goto(url + "#view=chart&profile=" + encodeURIComponent(other));
	await until(tab, "there", (state) => state.top && !state.waiting);
	equal(await tab.locator("#no-chart").isVisible(), true);
	await tab.keyboard.press("1");
	equal((await settled(tab)).tree.total, 10);
});

// ---- Callers and callees ----

// The folded lines of a command, as {path: value}.
const folded = (...options) => Object.fromEntries(execFileSync(kiln, ["fold", ...options, file],
	{ encoding: "utf8", stdio: "pipe" }).trim().split("\n").map((line) =>
	[line.replace(/ \d+$/, ""), Number(/\d+$/.exec(line)[0])]));
// What stands directly beside the function, by name.
const beside = (boxes) => boxes.filter((box) => box.depth === 1)
	.map((box) => [box.name, box.total]).sort((a, b) => b[1] - a[1]);
function nextTo(lines) {
	const sums = {};
	for (const [path, value] of Object.entries(lines)) {
		const name = path.split(";")[1];
		if (name)
			sums[name] = (sums[name] || 0) + value;
	}
	return Object.entries(sums).sort((a, b) => b[1] - a[1]);
}

test("callers and callees are those of the commands, in the chosen time, too", {}, async (tab) => {
	for (const [hash, ...time] of [["#"], ["#time=0.1..1.5&", "--time", "0.1..1.5"]])
		for (const name of ["spin", "parse_all", "fib"]) {
			await tab.goto("about:blank");
			const { sandwich } = await open(tab, hash + "view=sandwich&order=weight&function=" + name);
			const only = "^" + name + "$", total = totalOf(top(...time), name);
			equal(sandwich.total, [total, total], name);
			const callers = folded(...time, "--include", only, "--hide-below", only, "--reverse");
			equal(beside(sandwich.callers)[0], nextTo(callers)[0], "callers of " + name);
			const [callee] = nextTo(folded(...time, "--focus", only));
			equal(beside(sandwich.callees)[0], callee, "callees of " + name);
		}
});

test("a function is chosen in the table, by its box, by the menu and by keys", {}, async (tab) => {
	await open(tab);
	let state = await menu(tab, "parse_line", /^Callers and callees/);
	equal([state.query.view, state.query.function], ["sandwich", "parse_line"]);
	const [caller] = state.sandwich.callers.filter((box) => box.depth === 1);
	equal(caller.name, "parse_all");
	if (!(caller.y < state.sandwich.callees[0].y))
		throw new Error("callers are not above callees");
	await tab.mouse.click(...middleOf(caller));
	state = await settled(tab);
	equal([state.query.function, state.sandwich.total[0]], ["parse_all", totalOf(top(), "parse_all")]);
	await tab.getByRole("button", { name: "write_all" }).click();
	state = await settled(tab);
	equal([state.query.function, state.query.search], ["write_all", ""]);
	equal(await tab.locator("tr.marked td.name").innerText(), "write_all");
	await tab.keyboard.press("g");
	equal((await look(tab)).focus, "main", "the caller that weighs most");
	await tab.keyboard.press("ArrowDown");
	equal((await look(tab)).focus, "fib", "over the function to its callees");
	await tab.keyboard.press("Enter");
	equal((await settled(tab)).query.function, "fib");
	await tab.goBack();
	equal((await settled(tab)).query.function, "write_all");
	await tab.keyboard.press("1");
	state = await settled(tab);
	equal([state.query.view, state.tree.total], ["flame", top().total]);
});

test("a function that nobody has says so", {}, async (tab) => {
	await tab.goto(url + "#view=sandwich&function=nothing");
	await until(tab, "there", (state) => state.sandwich && !state.waiting);
	equal(await tab.textContent("#chosen"), "nothing has no samples in this selection");
	await tab.goto("about:blank");
	await tab.goto(url + "#view=sandwich");
	await until(tab, "there", (state) => state.top && !state.waiting);
	equal(await tab.textContent("#chosen"), "Choose a function in the table or in a frame's menu");
});

test("tells small frames apart where one looks closer", {}, async (tab) => {
	const whole = await open(tab), main = boxOf(whole, "main");
	const known = new Map(whole.tree.boxes.map((box) => [box.depth + box.name + box.total, box]));
	const asked = [];
	// As if there were millions: what is below a twentieth is small, as it is where fib has called itself often.
	await tab.route("**/nodes?*", (route) => {
		asked.push(new URL(route.request().url()).searchParams.get("open"));
		route.continue({ url: route.request().url() + "&least=0.05" });
	});
	let state = await open(tab, "#order=weight");
	const names = (of) => of.tree.boxes.map((box) => box.name), small = (of) => names(of).filter((name) => /small frames$/.test(name));
	equal(small(state).length > 0 && state.tree.nodes < whole.tree.nodes, true, "small frames");
	equal(state.tree.total, whole.tree.total, "of the same whole");
	const sum = (boxes, box) => boxes.filter((each) => each.depth === box.depth + 1).reduce((all, each) => all + each.total, 0);
	equal(sum(state.tree.boxes, state.tree.boxes[0]), sum(whole.tree.boxes, whole.tree.boxes[0]), "nothing is left out");
	await tab.fill("#search", "small frames|^main$");
	state = await settled(tab);
	equal(state.matched.startsWith("matched at least "), true, state.matched);
	equal(state.tree.boxes.filter((box) => box.match).map((box) => box.name), ["main"], "no names");
	await tab.mouse.click(...middleOf(boxOf(state, "write_all")));
	await until(tab, "its own node open", (each) => still(each) && each.tree.zoom === "write_all" && Number(asked.at(-1)) > 0);
	state = await settled(tab);
	equal(state.tree.zoomTotal, boxOf(whole, "write_all").total, "its total");
	for (const box of state.tree.boxes.filter((each) => !/small frames$/.test(each.name)))
		equal(known.has(box.depth + box.name + box.total), true, box.name);
	const reloaded = await open(tab, new URL(tab.url()).hash);
	equal([reloaded.tree.zoom, names(reloaded)], ["write_all", names(state)], "by its address");
	await tab.locator("#search").fill("");
	await tab.locator("#search").blur();
	await tab.keyboard.press("Escape");
	state = await settled(tab);
	equal([state.tree.zoom, state.query.open], ["all", ""], "back at the root");
});

// ---- Comparing ----

// What the command on the clipboard says, which has to be a kiln diff.
function diffOf(state) {
	equal(state.command.startsWith("kiln diff "), true, state.command);
	const command = state.command.replace("kiln", `'${kiln}'`) + " --to json";
	return JSON.parse(execFileSync("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] }));
}

// The tree's nodes by their paths: a list of [self, total], each before and after, as functions of
// several binaries may have one name (the loader and the program both have a _start).
function pathsOf({ tree, functions }) {
	const paths = [], nodes = {};
	for (const { caller, function: of, label, self, total } of tree) {
		const path = (caller === null ? "" : paths[caller] + ";") + (label === undefined ? functions[of].function : label);
		paths.push(path);
		(nodes[path] ??= []).push([self, total]);
	}
	return nodes;
}

// Boxes and rows have the command's numbers; returns the boxes by their names' paths.
function checkCompared(state) {
	const difference = diffOf(state), expected = pathsOf(difference), open = [], found = {};
	for (const box of state.tree.boxes) { // callers first, but for those that are not drawn
		open.length = box.depth;
		open[box.depth] = box.name;
		const at = open.slice(1).join(";");
		found[at] = box;
		if (!box.depth)
			continue;
		const numbers = [[box.before.self, box.after.self], [box.before.total, box.after.total]];
		const same = (expected[at] ?? []).findIndex((each) => JSON.stringify(each) === JSON.stringify(numbers));
		if (same < 0)
			equal(numbers, expected[at], at);
		expected[at].splice(same, 1);
	}
	equal([state.top.before_total, state.top.total], [difference.before.total, difference.after.total], "sums");
	for (const row of state.top.rows) {
		const { self, total } = difference.functions.find((each) => each.function === row.function &&
			each.module === row.module);
		equal([[row.before_self, row.self], [row.before_total, row.total]], [self, total], row.function);
	}
	return found;
}

test("compares two profiles: boxes, table, command and files have the numbers of kiln diff", {}, async (tab) => {
	await open(tab, "#profile=" + encodeURIComponent(again));
	await tab.keyboard.press("d");
	let state = await settled(tab);
	equal([state.query.profile, state.query.before], [again, file], "what is compared");
	equal(state.command, `kiln diff ${file} ${again}`);
	checkCompared(state);
	await tab.check("#normalise");
	state = await settled(tab);
	equal(state.command, `kiln diff --normalise ${file} ${again}`);
	checkCompared(state);
	await menu(tab, "main", "Focus");
	state = await settled(tab);
	checkCompared(state);
	const download = tab.waitForEvent("download");
	await tab.click("#save");
	await tab.getByRole("menuitem", { name: "JSON" }).click();
	const saved = JSON.parse(fs.readFileSync(await (await download).path()));
	equal(saved.tree, diffOf(state).tree, "the file");
	await tab.keyboard.press("d");
	state = await settled(tab);
	equal([state.command.split(" ")[1], state.tree.boxes.some((box) => box.before)], ["top", false], "it has ended");
	await tab.goBack();
	equal((await settled(tab)).query.before, file, "back");
});

test("a profile compared with itself has not changed", {}, async (tab) => {
	const state = await open(tab, "#before=" + encodeURIComponent(file));
	checkCompared(state);
	equal([...new Set(state.tree.boxes.map((box) => box.colour))], ["rgb(228,228,226)"], "grey");
	equal(state.top.rows.every((row) => row.self === row.before_self && row.total === row.before_total), true, "rows");
	equal(/: 0, 0%$/.test(await tab.textContent("#sums")), true, "the sums");
});

test("Alt-drag chooses the time to compare with: what is gone is a ghost, parts are the whole", {}, async (tab) => {
	let state = await open(tab, "#column=100ms&rows=10");
	const cut = 0.8e9; // where one phase ends and another begins
	await tab.keyboard.down("Alt");
	await drag(tab, placeOf(state, 0, 0.01), placeOf(state, cut - 1, 0.99));
	await tab.keyboard.up("Alt");
	state = await settled(tab);
	const { baseline } = state.heatmap;
	equal([state.query.before, state.query.time, baseline.from], [file, "", null], "the baseline");
	await drag(tab, placeOf(state, baseline.to, 0.01), placeOf(state, 1.5e9, 0.99));
	state = await settled(tab);
	await tab.fill("#to", "");
	await tab.keyboard.press("Enter");
	state = await settled(tab);
	equal([state.heatmap.range.from, state.heatmap.range.to], [baseline.to, null], "after begins where before ends");
	const boxes = checkCompared(state), whole = top();
	equal(state.top.before_total + state.top.total, whole.total, "both parts");
	const parsing = Object.entries(boxes).find(([at]) => at.endsWith("main;parse_all"))[1];
	const writing = Object.entries(boxes).find(([at]) => at.endsWith("main;write_all"))[1];
	equal([parsing.colour, writing.colour], ["rgb(88,144,244)", "rgb(240,92,72)"], "less and more");
	equal(parsing.after.total < parsing.before.total / 4 && parsing.width > 0, true, "it is nearly gone");
	for (const [widths, of] of [["after", "after"], ["before", "before"]]) {
		await tab.selectOption("#widths", widths);
		state = await settled(tab);
		const root = state.tree.boxes.find((box) => !box.depth);
		for (const box of state.tree.boxes)
			near(box.width, root.width * box[of].total / root[of].total, 1, `${box.name}, widths ${widths}`);
		equal(state.tree.boxes.some((box) => box.gone), widths === "before", "what is gone");
	}
	await tab.selectOption("#change", "self");
	state = await settled(tab);
	equal(boxOf(state, "main").colour, "rgb(228,228,226)", "main itself is the same");
	equal(state.query.change, "self");
});

test("before and after by themselves are what kiln top says; keys alone compare two times", {}, async (tab) => {
	await open(tab, "#column=100ms&rows=10");
	await tab.keyboard.press("t");
	for (const key of ["ArrowRight", "Shift+ArrowRight", "b"])
		await tab.keyboard.press(key);
	let state = await settled(tab);
	const baseline = state.query["before-time"];
	equal([state.query.time, state.query.before, baseline !== ""], ["", file, true], "b");
	await tab.keyboard.press("t");
	for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"])
		await tab.keyboard.press(key);
	state = await settled(tab);
	checkCompared(state);
	await tab.keyboard.press("x");
	state = await settled(tab);
	const after = top("--time", state.query.time);
	equal([state.query.side, state.tree.total, state.command], ["after", after.total, `kiln top --time ${state.query.time} ${file}`]);
	await tab.keyboard.press("x");
	state = await settled(tab);
	const before = top("--time", baseline);
	equal([state.query.side, state.tree.total, state.top.total], ["before", before.total, before.total]);
	equal(state.top.rows.map((row) => [row.function, row.self]),
		before.functions.slice(0, 50).map((row) => [row.function, row.self]), "rows");
	await tab.fill("#to", "0.5");
	await tab.keyboard.press("Enter");
	state = await settled(tab);
	equal(state.query["before-time"].split("..")[1], "0.5", "its own time");
	const moved = await open(tab, new URL(tab.url()).hash);
	equal(moved.query, state.query, "the address");
	// A drag that is given up leaves no trace.
	await tab.mouse.move(...placeOf(state, 0, 0.01));
	await tab.keyboard.down("Alt");
	await tab.mouse.down();
	await tab.mouse.move(...placeOf(state, 1e9, 0.99), { steps: 4 });
	await tab.keyboard.up("Alt");
	await tab.keyboard.press("Escape");
	await tab.mouse.up();
	equal((await settled(tab)).query, moved.query, "given up");
});

test("swapped, after is before; what kiln diff wrote is looked at as it is", { errors: true }, async (tab) => {
	const hash = "#before=" + encodeURIComponent(file) + "&before-time=..0.5&time=0.5..1.5&profile=" + encodeURIComponent(again);
	const state = await open(tab, hash);
	equal(state.command, `kiln diff --before-time ..0.5 --after-time 0.5..1.5 ${file} ${again}`);
	await tab.click("#swap");
	const swapped = await settled(tab);
	equal(swapped.command, `kiln diff --before-time 0.5..1.5 --after-time ..0.5 ${again} ${file}`);
	checkCompared(swapped);
	equal([swapped.top.before_total, swapped.top.total], [state.top.total, state.top.before_total], "totals");
	await tab.goto(url + "#profile=" + encodeURIComponent(two));
	const own = await until(tab, "shown", (each) => each.tree && each.tree.boxes.some((box) => box.after) && !each.waiting);
	equal(own.tree.boxes.map((box) => [box.name, box.before.total, box.after.total]).sort(),
		[["all", 8, 9], ["b", 3, 5], ["c", 5, 0], ["d", 0, 4], ["main", 8, 9]], "both columns");
	equal([own.status, await tab.isVisible("#time"), await tab.isVisible("#widths"), await tab.isVisible("#before")],
		["", false, true, false], "what there is to choose");
	equal((await tab.textContent("#sums")).split(":")[0], "8 samples before, 9 samples after", "columns are as they are");
	await tab.check("#normalise");
	const shares = await until(tab, "scaled", (each) => each.query.normalise && still(each));
	equal(shares.command, `kiln diff --normalise ${two}`);
	equal(await tab.textContent("#sums"), "8 samples before, 9 samples after, before scaled by 1.125");
	const { scale, functions } = JSON.parse(execFileSync(kiln, ["diff", "--normalise", two, "--to", "json"]));
	equal([scale, shares.top.rows.filter((row) => row.self || row.before_self).map((row) => row.function)],
		[1.125, functions.filter(({ self }) => self[0] || self[1]).map((each) => each.function)], "as the command has them");
});

test("a comparison is saved as one file that shows it again", {}, async (tab) => {
	const hash = "#before=" + encodeURIComponent(file) + "&before-time=..0.5&time=0.5..1.5&normalise";
	const shown = await open(tab, hash);
	for (const [item, name] of [[/one file/, "saved.html"], [/^pprof/, "saved.pb.gz"], [/^Speedscope/, "saved.speedscope.json"]]) {
		const download = tab.waitForEvent("download");
		await tab.getByRole("button", { name: "Save as" }).click();
		await tab.getByRole("menuitem", { name: item }).click();
		const saved = path.join(folder, name);
		fs.copyFileSync(await (await download).path(), saved);
		const { before, after } = JSON.parse(execFileSync(kiln, ["diff", saved, "--to", "json"]));
		equal([before.total, after.total], [shown.top.before_total, shown.top.total], name);
	}
	await tab.goto("file://" + path.join(folder, "saved.html"));
	const again = await until(tab, "shown again", (state) => state.tree && state.top && !state.waiting);
	equal([again.query.normalise, again.tree.total, again.top.rows], [true, shown.tree.total, shown.top.rows]);
	const boxes = ({ tree }) => tree.boxes.map((box) => JSON.stringify([box.name, box.depth, box.before, box.after, box.colour]));
	const there = new Set(boxes(again)); // more of them: there is no heat map above
	equal(boxes(shown).filter((each) => !there.has(each)), []);
});

test("a comparison that cannot be is said, and can be ended", { errors: true }, async (tab) => {
	await tab.goto(url + `#before=${encodeURIComponent(other)}`);
	await until(tab, "refused", (each) => /its values are in ns, those of the files before it in/.test(each.status));
	await tab.click("#compare");
	equal((await until(tab, "well again", (each) => each.status === "" && still(each))).query.before, "");
});

// ---- Source ----

const sourced = (state) => state.source && state.heatmap && !state.waiting;

test("lines and instructions of a function have its cost", {}, async (tab) => {
	for (const name of ["fib", "spin"]) {
		await tab.goto("about:blank");
		await tab.goto(url + "#view=source&function=" + name);
		const { source: shown } = await until(tab, "its source", sourced);
		const [row] = top().functions.filter((each) => each.function === name);
		equal([shown.self, shown.total], [row.self, row.total], name);
		const sum = (rows) => rows.reduce((all, each) => all + each.self, 0);
		equal(sum(shown.code), row.self, "instructions");
		const text = fs.readFileSync(path.join(folder, "phases.c"), "utf8").split("\n");
		const costly = shown.lines.filter((line) => line.self);
		if (!costly.some((line) => line.text.includes(`${name}(`)))
			throw new Error("not its lines: " + JSON.stringify(costly));
		for (const line of shown.lines)
			equal(line.text, text[line.at - 1], "line " + line.at);
	}
});

test("a line and its instructions are marked together, files of elsewhere are not shown", { errors: true }, async (tab) => {
	await open(tab);
	await tab.mouse.click(...middleOf(boxOf(await look(tab), "write_all")), { button: "right" });
	await tab.getByRole("menuitem", { name: /^Source of/ }).click();
	let { source: shown } = await until(tab, "its source", sourced);
	const line = shown.lines.find((each) => each.text.includes("write_all(void)"));
	await tab.locator("#source-lines").getByRole("button", { name: line.at, exact: true }).click();
	shown = (await look(tab)).source;
	equal(shown.lines.filter((each) => each.marked).map((each) => each.at), [line.at]);
	equal(shown.code.filter((each) => each.marked).length > 0, true, "its instructions");
	await tab.keyboard.press("Escape");
	equal((await look(tab)).source.code.filter((each) => each.marked), []);
	await tab.goto(url + "#view=source&function=work&profile=" + encodeURIComponent(other));
	shown = (await until(tab, "without", (state) => sourced(state) && state.source.total === 7)).source;
	equal(shown.notes, ["No line information for this function (build with -g)", "The profile has no addresses of this function"]);
});

test("callers and callees, lines and instructions of a comparison have before, after and the whole's scale", {}, async (tab) => {
	const sides = "before=" + encodeURIComponent(file) + "&before-time=..0.8&time=0.8..&normalise";
	const hash = (view, name) => `#${sides}&view=${view}&function=${name}`;
	const says = ask("diff", "--normalise", "--before-time", "..0.8", "--after-time", "0.8..", "--to", "json", file, file);
	const costOf = (name) => says.functions.find((each) => each.function === name);
	const scale = says.after.total / says.before.total;
	for (const name of ["spin", "write_all"]) { // of both, and of after alone
		await tab.goto("about:blank");
		await tab.goto(url + hash("sandwich", name));
		const { sandwich } = await until(tab, "both halves", (state) => state.sandwich && !state.waiting);
		const { total: [before, after] } = costOf(name);
		equal(sandwich.sums, [[before, after], [before, after]], name);
		equal(sandwich.scale, [scale, scale], "of all that is compared");
		const callers = sandwich.callers.filter((box) => box.depth === 1).reduce((all, box) =>
			[all[0] + box.before.total, all[1] + box.after.total], [0, 0]);
		equal(callers, [before, after], "its callers");
		equal(sandwich.chosen.includes(", new"), !before, sandwich.chosen);
	}
	for (const name of ["spin", "write_all"]) {
		await tab.goto("about:blank");
		await tab.goto(url + hash("source", name));
		const { source: shown } = await until(tab, "its source", sourced), { self, total } = costOf(name);
		equal([[shown.before.self, shown.self], [shown.before.total, shown.total]], [self, total], name);
		for (const rows of [shown.code, shown.lines])
			equal(rows.reduce((all, row) => [all[0] + (row.before ? row.before.self : 0), all[1] + row.self], [0, 0]), self, "all of it");
		equal(shown.chosen.includes(" before, "), true, shown.chosen);
	}
	await tab.keyboard.press("x"); // after alone
	const { source: after } = await until(tab, "one side", (state) => sourced(state) && !state.source.before);
	equal(after.total, costOf("write_all").total[1]);
});

test("the source of a comparison is that of all functions that are called so there", {}, async (tab) => {
	const before = path.join(folder, "before.folded"), after = path.join(folder, "after.folded");
	fs.writeFileSync(before, "main;work 2\nmain;work.isra.0;leaf 3\n");
	fs.writeFileSync(after, "main;work;work.cold 4\nmain;rest 1\n");
	const own = await serve([before, after]);
	const hash = `#before=${encodeURIComponent(before)}&profile=${encodeURIComponent(after)}&view=source&function=work`;
	await tab.goto(own.url + hash);
	const { source: shown } = await until(tab, "both sides", (state) => state.source && !state.waiting);
	equal([shown.before.self, shown.before.total, shown.self, shown.total], [2, 5, 4, 4]);
	await tab.keyboard.press("x"); // after alone, by its own names
	const { source: alone } = await until(tab, "one side", (state) => state.source && !state.waiting && !state.source.before);
	equal([alone.self, alone.total], [0, 4]);
	own.server.kill();
});

// ---- Table, keys, looks ----

test("the table sorts, and marks in the graph", {}, async (tab) => {
	await open(tab);
	await tab.click("th[data-sort=total] button");
	let state = await settled(tab);
	equal(state.top.rows.slice(0, 8), top("--sort", "total").functions.slice(0, 8));
	equal(await tab.getAttribute("th[data-sort=total]", "aria-sort"), "descending");
	await tab.getByRole("button", { name: "write_all" }).click();
	state = await settled(tab);
	equal(state.tree.boxes.filter((box) => box.match).map((box) => box.name), ["write_all"]);
	equal(await tab.locator("tr.marked").count(), 1);
});

// Rows that are elements: number of the function, its name, and whether it has the focus.
const rowsOf = (tab) => tab.evaluate(() => [...document.querySelectorAll("#top tbody tr")].map((row) => ({
	at: Number(row.getAttribute("aria-rowindex")) - 2, name: row.cells[4].innerText, has: row.contains(document.activeElement) })));

test("every row of a table of 20,001 functions is reached, by wheel and by keys", {}, async (tab) => {
	await open(tab, "#profile=" + encodeURIComponent(wide));
	const all = ask("top", "--json", "-n", "0", wide).functions.map((each) => each.function);
	equal(await tab.textContent("#top-note"), "20,001, in samples");
	equal(await tab.getAttribute("#top table", "aria-rowcount"), "20002");
	// The rows when they are told, from one function to another.
	const told = async (from, to) => {
		let rows = [];
		const inView = ({ at }) => at >= from && at < to;
		for (let i = 0; i < LOOKS; i++, await tab.waitForTimeout(30))
			if ((rows = await rowsOf(tab)).filter(inView).filter((each) => each.name).length === to - from)
				break;
		equal(rows.filter(inView).map((each) => each.name), all.slice(from, to));
		equal(rows.length < 400, true, "elements");
		return rows;
	};
	await told(0, 20);
	await tab.locator("#top .scroll").hover();
	await tab.mouse.wheel(0, 20 * 7000); // pixels of a row
	await told(7000, 7010);
	const name = all[7003];
	await tab.locator("#top tbody button", { hasText: new RegExp(`^${name}$`) }).click();
	equal((await settled(tab)).query.search, `^${name}$`, "what is clicked is what is meant");

	await tab.locator("#top tbody button", { hasText: new RegExp(`^${name}$`) }).focus();
	const focus = async () => (await rowsOf(tab)).filter((each) => each.has).map((each) => each.at);
	await tab.keyboard.press("ArrowDown");
	equal(await focus(), [7004]);
	await tab.keyboard.press("End");
	await told(20001 - 5, 20001);
	equal(await focus(), [20000]);
	await tab.keyboard.press("Tab"); // leaves the table at its end
	equal(await focus(), []);
	await tab.keyboard.press("Shift+Tab");
	equal(await focus(), [20000]);
	await tab.keyboard.press("Home");
	equal(await focus(), [0]);
	for (let i = 0; i < 120; i++)
		await tab.keyboard.press("Tab");
	equal(await focus(), [120], "Tab goes from row to row, whichever are elements");
	const box = await tab.evaluate(() => {
		const { top, bottom } = document.activeElement.getBoundingClientRect();
		const head = document.querySelector("#top thead").getBoundingClientRect().bottom, { bottom: end } = document.querySelector("#top .scroll").getBoundingClientRect();
		return top >= head - 1 && bottom <= end + 1;
	});
	equal(box, true, "what has the focus is in view");
});

test("keys walk the graph, and a tree of elements follows for screen readers", {}, async (tab) => {
	await open(tab);
	await tab.keyboard.press("g");
	for (const name of ["phases", "_start"]) {
		await tab.keyboard.press("ArrowUp");
		equal((await look(tab)).focus, name);
	}
	const item = tab.locator("#mirror [role=treeitem]:focus");
	equal(await item.getAttribute("aria-level"), "3");
	if (!/^_start \(phases, native\): .*% of all/.test(await item.getAttribute("aria-label")))
		throw new Error(await item.getAttribute("aria-label"));
	await tab.keyboard.press("ArrowDown");
	const siblings = await tab.locator("#mirror > [role=treeitem]").evaluateAll((items) =>
		items.map((each) => each.getAttribute("aria-label").split(" ")[0]));
	equal(siblings.sort(), ["helper", "phases"]);
	await tab.keyboard.press("Enter");
	let state = await settled(tab);
	equal([state.tree.zoom, state.focus], ["phases", "phases"]);
	await tab.keyboard.press("Backspace");
	state = await settled(tab);
	equal(state.tree.zoom, "all");
	await tab.keyboard.press("m");
	await tab.keyboard.press("End");
	await tab.keyboard.press("Enter");
	equal((await settled(tab)).query.transforms, [{ name: "reverse", argument: null }]);
	await tab.keyboard.press("u");
	equal((await settled(tab)).query.transforms, []);
	await tab.keyboard.press("?");
	equal(await tab.locator("#help").isVisible(), true);
	await tab.keyboard.press("Escape");
	equal(await tab.locator("#help").isVisible(), false);
});

for (const [colorScheme, width] of [["light", 1600], ["dark", 1600], ["light", 800], ["dark", 800]])
	test(`fits ${width} pixels, ${colorScheme}`, { colorScheme, viewport: { width, height: 900 } }, async (tab) => {
		await open(tab, "#time=0.3..1.1&focus=main&search=fib");
		const fits = await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
		equal(fits, true, "nothing is wider than the window");
		const back = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
		equal(back, colorScheme === "dark" ? "rgb(24, 24, 27)" : "rgb(255, 255, 255)");
		if (process.env.KILN_PICTURES)
			await tab.screenshot({ path: path.join(process.env.KILN_PICTURES, `view-${colorScheme}-${width}.png`) });
		for (const [key, view] of [["2", "chart"], ["3", "sandwich"], ["4", "source"]]) {
			await tab.keyboard.press(key);
			await until(tab, view, (state) => state[view] && !state.waiting);
			equal(await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, view);
			if (process.env.KILN_PICTURES)
				await tab.screenshot({ path: path.join(process.env.KILN_PICTURES, `${view}-${colorScheme}-${width}.png`) });
		}
	});

await run();
if (server)
	server.kill();
