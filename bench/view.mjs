// view.mjs: the page of kiln view in Chromium: times as somebody sees them, medians of ROUNDS; for bench/view.sh.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";

const here = path.dirname(new URL(import.meta.url).pathname);
const { chromium } = createRequire(path.join(here, "../tests/browser/package.json"))("playwright-core");
const { KILN, WORK, ROUNDS = "5" } = process.env;
const rounds = Number(ROUNDS);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"] });

const sorted = (values) => [...values].sort((a, b) => a - b);
const part = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];
const median = (values) => part(values, 0.5);
const now = () => performance.timeOrigin + performance.now();
const ms = (value) => value.toFixed(value < 10 ? 1 : 0) + " ms";

async function serve(file) {
	const server = spawn(KILN, ["view", "-q", "--no-open", path.join(WORK, file)], { stdio: ["ignore", "pipe", "inherit"] });
	const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
	return { server, url: value.trim() };
}

// Notes in which frame the heat map and all panes are there.
function instrument() {
	window.seen = { map: 0, all: 0 };
	const request = window.requestAnimationFrame.bind(window);
	const look = () => {
		const { waiting, hasMap, hasPanes } = window.kilnView ? window.kilnView.glance() : {};
		const at = performance.timeOrigin + performance.now();
		if (hasMap)
			window.seen.map ||= at;
		if (hasPanes && !waiting)
			window.seen.all = at;
		else
			request(look);
	};
	request(look);
}

// What the page's scripts take from one picture to the next while `act` is done, events and timers included: of each
// picture for which there was something to do (ms).
async function scriptPerFrame(tab, act) {
	await browser.startTracing(tab, { categories: ["devtools.timeline"] });
	await act();
	const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
	const { pid, tid } = traceEvents.find(({ name }) => name === "FireAnimationFrame");
	const events = traceEvents.filter((each) => each.ph === "X" && each.pid === pid && each.tid === tid).sort((a, b) => a.ts - b.ts);
	const frames = [];
	let spent = 0, end = 0; // of the outermost call
	for (const { name, ts, dur, args } of events) {
		if (name === "FunctionCall" && args.data.url.startsWith("http") && ts >= end) { // what Playwright calls has no address
			spent += dur / 1000;
			end = ts + dur;
		} else if (name === "Layerize" && spent) {
			frames.push(spent);
			spent = 0;
		}
	}
	return frames;
}

const ready = ({ top, waiting, heatmap, tree }) => top && !waiting && heatmap && tree;
async function until(tab, wanted = ready) {
	for (;;) {
		const state = await tab.evaluate(() => window.kilnView ? window.kilnView.state() : null);
		if (state && wanted(state))
			return state;
		await tab.waitForTimeout(2);
	}
}

async function newTab() {
	const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
	const tab = await context.newPage();
	await tab.addInitScript(instrument);
	return tab;
}

// When panes were there, from `begin` on.
async function panes(tab, begin) {
	const seen = () => tab.evaluate(() => window.seen);
	while (!(await seen()).all)
		await tab.waitForTimeout(50);
	const { map, all } = await seen();
	return { map: map - begin, all: all - begin };
}

// From the start of kiln view, with the file's pages in memory, to the first heat map and to all panes.
async function first(name, file) {
	const took = [];
	for (let i = 0; i < rounds; i++) {
		const tab = await newTab(), begin = now();
		const { server, url } = await serve(file);
		await tab.goto(url, { waitUntil: "commit" });
		took.push(await panes(tab, begin));
		await tab.context().close();
		server.kill();
	}
	const of = (key) => ms(median(took.map((each) => each[key])));
	console.log(`${name}: first heat map ${of("map")}, all panes ${of("all")}`);
}

// From a time that is typed to its flames, and how often the graph follows while one is dragged.
async function ranges(name, file) {
	const { server, url } = await serve(file), tab = await newTab();
	await tab.goto(url);
	const { heatmap } = await until(tab), took = [];
	const whole = heatmap.columns * heatmap.column / 1e9;
	for (let i = 0; i < rounds * 4; i++) {
		const from = (whole * (i % 7) / 10).toFixed(3), to = (whole * (i % 7 + 2 + i % 2) / 10).toFixed(3);
		took.push(await tab.evaluate(async (time) => {
			const begin = performance.now(), field = document.getElementById("from");
			const [a, b] = time.split("..");
			document.getElementById("to").value = b;
			field.value = a;
			field.dispatchEvent(new Event("change", { bubbles: true }));
			const done = () => {
				const { query, waiting } = window.kilnView.glance();
				return query.time === time && !waiting;
			};
			do // what is to be asked is known when the event is over; setTimeout() would wait for 4 ms
				await scheduler.postTask(() => {}, { delay: 1 });
			while (!done());
			await new Promise(requestAnimationFrame); // in which they are drawn
			return performance.now() - begin;
		}, from + ".." + to));
		await tab.waitForTimeout(300); // until that is drawn, the rest of the table, too
	}
	console.log(`${name}: range to flames ${ms(median(took))}, p95 ${ms(part(took, 0.95))}`);
	await tab.keyboard.press("Escape");
	await until(tab);
	let updates = 0;
	tab.on("response", (response) => updates += response.url().includes("/nodes?") && response.status() === 200);
	const { x, y, width, height } = (await until(tab)).heatmap.place, begin = Date.now();
	await tab.mouse.move(x + width / 10, y + height / 2);
	await tab.mouse.down();
	for (let i = 0; Date.now() - begin < 4000; i++) {
		await tab.mouse.move(x + width * (0.1 + 0.8 * ((i % 160) / 160)), y + height / 2);
		await tab.waitForTimeout(8);
	}
	const seconds = (Date.now() - begin) / 1000;
	await tab.mouse.up();
	console.log(`${name}: ${(updates / seconds).toFixed(1)} updates a second while dragging`);
	await tab.context().close();
	server.kill();
}

// Zooming, hovering and searching in a large tree: what scripts take in a frame.
async function frames(name, file) {
	const took = [];
	let tab, server;
	for (let i = 0; i < rounds; i++) {
		if (tab) {
			await tab.context().close();
			server.kill();
		}
		tab = await newTab();
		const begin = now(), served = await serve(file);
		server = served.server;
		await tab.goto(served.url, { waitUntil: "commit" });
		took.push((await panes(tab, begin)).all);
	}
	const state = await until(tab);
	console.log(`${name}: ${state.tree.nodes} nodes, interactive after ${ms(median(took))}`);
	const spent = await scriptPerFrame(tab, async () => {
		for (let i = 0; i < 40; i++) {
			const box = await tab.evaluate(async (i) => {
				while (window.kilnView.glance().waiting)
					await scheduler.postTask(() => {}, { delay: 1 });
				await new Promise(requestAnimationFrame); // or the page would draw for us, now
				const boxes = window.kilnView.state().tree.boxes.filter((each) => each.width > 60 && !each.faded);
				return boxes[i % boxes.length];
			}, i * 7);
			for (let step = 0; step < 5; step++)
				await tab.mouse.move(box.x + box.width * step / 5, box.y + box.height / 2);
			await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
			if (i % 4 === 3) { // nobody clicks and presses a key within one picture
				await tab.evaluate(() => new Promise(requestAnimationFrame));
				await tab.keyboard.press("Escape");
			}
		}
	});
	console.log(`${name}: script per frame median ${ms(median(spent))}, p95 ${ms(part(spent, 0.95))} of ${spent.length} frames`);
	const searches = await tab.evaluate(async () => {
		const field = document.getElementById("search"), took = [];
		for (const text of ["function_1+$", "_(12|34)\\d*", "space.*_7", "function_49..$", "x{3}"]) {
			const start = performance.now();
			field.value = text;
			field.dispatchEvent(new Event("input", { bubbles: true }));
			do
				await scheduler.postTask(() => {}, { delay: 1 });
			while (window.kilnView.glance().query.search !== text || !/^matched/.test(window.kilnView.glance().matched));
			took.push(performance.now() - start);
			await new Promise((turn) => setTimeout(turn, 300));
		}
		return took;
	});
	console.log(`${name}: regular expression typed to graph told ${ms(median(searches))}, at most ${ms(Math.max(...searches))}`);
	await tab.context().close();
	server.kill();
}

// The bytes of all names in a profile's tree.
async function namesOf(url) {
	const tree = await (await fetch(url + "nodes")).arrayBuffer(), length = new DataView(tree).getUint32(0, true);
	const { columns } = JSON.parse(new TextDecoder().decode(new Uint8Array(tree, 4, length)));
	return columns.find(({ name }) => name === "strings").count;
}

// What the server keeps of a profile, over what it takes with an empty one.
async function memory(name, file) {
	const anonymous = async (of) => {
		const { server, url } = await serve(of);
		const about = await (await fetch(url + "info?json")).json();
		await new Promise((turn) => setTimeout(turn, 1500)); // at rest it gives back what only reading and answering took
		const text = fs.readFileSync(`/proc/${server.pid}/status`, "utf8"), names = await namesOf(url);
		server.kill();
		return { bytes: Number(/RssAnon:\s+(\d+)/.exec(text)[1]) * 1024, about, names };
	};
	const empty = await anonymous("one.folded"), { bytes, about, names } = await anonymous(file);
	const samples = about.streams[0].samples, rows = samples * 32 + about.tree_nodes * 24, mib = (size) => (size / 2 ** 20).toFixed(1);
	console.log(`${name}: ${mib(bytes - empty.bytes)} MiB for ${samples} samples and ${about.tree_nodes} nodes; ` +
		`32 and 24 bytes each and ${mib(names)} MiB of names are ${mib(rows + names)} MiB`);
}

// From the choice of a file to the picture.
async function speedscope(name, file) {
	const home = path.join(here, "../tests/browser/node_modules/speedscope/dist/release/index.html");
	if (!fs.existsSync(home))
		return console.log("speedscope: not measured (npm ci in tests/browser)");
	const took = [];
	for (let i = 0; i < Math.min(rounds, 3); i++) {
		const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } }), tab = await context.newPage();
		await tab.goto("file://" + home);
		const begin = performance.now();
		await tab.setInputFiles("input[type=file]", path.join(WORK, file));
		await tab.getByText("Left Heavy").waitFor({ timeout: 240000 });
		took.push(performance.now() - begin);
		await context.close();
	}
	console.log(`speedscope, ${name}: first picture ${ms(median(took))}`);
}

async function page() {
	const { server, url } = await serve("one.folded"), tab = await newTab();
	let bytes = 0, packed = 0, wait = [];
	tab.on("response", (response) => {
		if (response.url() === url)
			wait.push(response.body().then((body) => {
				bytes += body.length;
				packed += gzipSync(body).length;
			}));
	});
	await tab.goto(url);
	await tab.waitForTimeout(1000);
	await Promise.all(wait);
	console.log(`the page: ${(bytes / 1024).toFixed(0)} KiB of HTML, style and script, ${(packed / 1024).toFixed(1)} KiB as gzip`);
	await tab.context().close();
	server.kill();
}

fs.writeFileSync(path.join(WORK, "one.folded"), "a;b 1\n");
await page();
await first("perf script, 200 MB", "view.txt");
await first("the same as perf.data", "view.perf.data");
await first("the same as .kiln", "view.kiln");
await ranges("250,000 samples", "view.kiln");
await ranges("10 M samples", "samples10.kiln");
await frames("1 M nodes", "nodes1.kiln");
await frames("3 M nodes", "nodes3.kiln");
for (const [name, file] of [["perf script", "view.txt"], ["its .kiln", "view.kiln"], ["10 M samples", "samples10.kiln"], ["3 M nodes", "nodes3.kiln"]])
	await memory("memory, " + name, file);
await speedscope("perf script, 200 MB", "view.txt");
console.log("Firefox profiler: not measured (it is not on this machine)");
await browser.close();
