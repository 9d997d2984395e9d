// page.test.mjs: the page that is one file, from disk, by real input, its numbers beside those of the commands.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { equal, folder, kiln, run, test } from "./harness.mjs";
import { boxOf, drag, look, menu, middleOf, placeOf, settled, until } from "./looking.mjs";

const file = path.join(folder, "times.txt"), page = path.join(folder, "the page & more.html");

// Two phases, and a second thread beside both, for 4 s from 50.5 s on.
function write() {
	const lines = [];
	for (let i = 0; i < 4000; i++) {
		const thread = i % 5 ? "main 7/7" : "helper 7/8", leaf = i < 2000 ? "parse_line" : "write_all";
		lines.push(`${thread} [00${i % 4}] ${(50.5 + i / 1000).toFixed(6)}: 1 cycles:`,
			`\t7f01 ${i % 7 ? leaf : "hash+0"}+0x1 (/bin/app)`, `\t7f02 ${i % 3 ? "work" : "<b>& more"}+0x2 (/bin/app)`,
			"\t7f03 main+0x3 (/bin/app)", "");
	}
	fs.writeFileSync(file, lines.join("\n") + "\n");
	try {
		execFileSync(kiln, ["draw", file, "-o", page], { stdio: "pipe" });
	} catch (error) {
		console.log("1..0 # skip " + String(error.stderr).split("\n")[0]);
		process.exit(0);
	}
}

const ask = (...words) => execFileSync(kiln, words, { stdio: ["ignore", "pipe", "ignore"] });
const top = (...options) => JSON.parse(ask("top", "--json", ...options, file));

write();
const url = pathToFileURL(page).href;

// Everything but the page itself and the thread that it starts is written down.
async function open(tab, hash = "") {
	const asked = [];
	tab.on("request", (request) => /^(blob|data):/.test(request.url()) || asked.push(request.url()));
	await tab.goto(url + hash);
	return { state: await settled(tab), asked };
}

test("shows the whole from disk, and fetches nothing", {}, async (tab) => {
	const { state, asked } = await open(tab), whole = top();
	for (const total of [state.tree.total, state.heatmap.total, state.top.total, state.whole])
		equal(total, whole.total);
	equal(state.top.rows.slice(0, 5), whole.functions.slice(0, 5), "rows");
	equal([state.heatmap.untimed, state.heatmap.first], [0, 50.5e9], "times");
	equal(await tab.title(), "the page & more.html \u2013 Kiln");
	equal(asked, [url]);
});

test("lets nothing else in: no fetch, no other script", { errors: true }, async (tab) => {
	await open(tab);
	equal(await tab.evaluate(async () => {
		const tried = [];
		for (const address of ["http://127.0.0.1:9/", "data:text/plain,x", location.href])
			await fetch(address).catch((error) => tried.push(error.name));
		const script = document.createElement("script");
		script.textContent = "window.entered = true";
		document.body.append(script);
		return [tried, window.entered || null];
	}), [["TypeError", "TypeError", "TypeError"], null]);
});

test("a dragged range has the numbers of kiln top --time, already while it is dragged", {}, async (tab) => {
	const { state: before } = await open(tab, "#column=100ms");
	await tab.mouse.move(...placeOf(before, 5e8, 0.3));
	await tab.mouse.down();
	await tab.mouse.move(...placeOf(before, 26e8, 0.6), { steps: 10 });
	const live = await until(tab, "live", (state) => !state.waiting && state.query.time);
	equal(live.tree.total, top("--time", live.query.time).total, "while dragging");
	await tab.mouse.up();
	const state = await settled(tab), part = top("--time", state.query.time);
	equal(state.tree.total, part.total);
	equal(state.top.rows.slice(0, 5), part.functions.slice(0, 5));
	equal(part.total > 0 && part.total < before.tree.total, true, "a part");
	await tab.goBack();
	equal((await settled(tab)).tree.total, before.tree.total, "and back");
});

test("searches, zooms and reshapes as the commands do; the address brings it back", {}, async (tab) => {
	await open(tab);
	await tab.keyboard.press("/");
	await tab.keyboard.type("^(parse|write)_");
	const sought = await until(tab, "matched", (state) => state.matched && !state.waiting);
	equal(sought.heatmap.matched.total, top("--include", "^(parse|write)_").total, "in the map");
	await tab.keyboard.press("Escape");
	await tab.keyboard.press("Escape");
	await tab.mouse.click(...middleOf(boxOf(await look(tab), "work")));
	equal((await settled(tab)).tree.zoom, "work");
	await tab.keyboard.press("Home");
	await tab.keyboard.press("Enter");
	equal((await settled(tab)).tree.zoom, "all");
	const reshaped = await menu(tab, "<b>& more", /^Remove this function/);
	equal(reshaped.top.rows.slice(0, 5), top("--drop", "^<b>& more$").functions.slice(0, 5));
	equal(reshaped.tree.boxes.some((box) => box.name === "<b>& more"), false);
	const there = await tab.evaluate(() => location.hash);
	await tab.goto("about:blank");
	equal((await open(tab, there)).state.top.rows, reshaped.top.rows);
});

test("saves what it shows, as the commands write it", {}, async (tab) => {
	await open(tab, "#time=1..2&focus=work");
	for (const [item, name, words] of [[/Folded/, "the page & more.folded", ["fold"]],
		[/CSV/, "the page & more.csv", ["convert", "--to", "csv"]]]) {
		const download = tab.waitForEvent("download");
		await tab.getByRole("button", { name: "Save as" }).click();
		await tab.getByRole("menuitem", { name: item }).click();
		const saved = await download;
		equal(saved.suggestedFilename(), name);
		equal(fs.readFileSync(await saved.path(), "utf8"),
			String(ask(...words, "--time", "1..2", "--focus", "work", file)), name);
	}
});

test("says what is wrong with a question, and goes on", {}, async (tab) => {
	await tab.goto(url + "#focus=(");
	await until(tab, "said", (state) => /expected a regular expression, got '\('/.test(state.status));
	equal((await open(tab)).state.tree.total, top().total);
});

test("in the dark, on a narrow screen", { colorScheme: "dark", viewport: { width: 500, height: 600 } }, async (tab) => {
	const { state } = await open(tab, "#column=1s");
	equal(state.heatmap.place.height > 50 && state.tree.boxes.length > 5, true);
	await drag(tab, placeOf(state, 5e8, 0.5), placeOf(state, 20e8, 0.5));
	const after = await settled(tab);
	equal(after.tree.total, top("--time", after.query.time).total);
});

await run();
