// start.test.mjs: the list of a folder's profiles in a browser, beside what kiln info says of them.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { equal, folder, kiln, run, test } from "./harness.mjs";
import { LOOKS } from "./looking.mjs";

const runs = path.join(folder, "runs");
const put = (name, text) => fs.writeFileSync(path.join(runs, name), text);

// Samples of 4 s; the second half has none in the first half of each second.
function samples() {
	let text = "";
	for (let i = 0; i < 400; i++)
		if (i < 200 || i % 100 >= 50)
			text += `main 12/12 [000] ${(100 + i / 100).toFixed(6)}: 1000 cycles:\n\t7f01 work+0x1 (/bin/app)\n\n`;
	return text;
}

fs.mkdirSync(path.join(runs, "old"), { recursive: true });
put("times.txt", samples());
put("old/a.folded", "main;work 7\nmain;rest 3\n");
put("<img src=x onerror=alert(1)>\u202egnp.folded", "a 1\n");
put("damaged.folded", "a;b 1\n");
execFileSync(kiln, ["convert", "-o", path.join(runs, "k.kiln"), path.join(runs, "times.txt")], { stdio: "pipe" });
fs.writeFileSync(path.join(runs, "damaged.kiln"), fs.readFileSync(path.join(runs, "k.kiln")).subarray(0, 100));
fs.rmSync(path.join(runs, "damaged.folded"));
["old/a.folded", "times.txt"].forEach((name, i) =>
	fs.utimesSync(path.join(runs, name), 1e9 + i * 86400, 1e9 + i * 86400));

const server = spawn(kiln, ["view", "-q", "--no-open", "runs"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill());
const [line] = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next().then((each) => [each.value]);
const url = line.trim();

async function until(tab, what, ready) {
	let state = null;
	for (let i = 0; i < LOOKS; i++, await tab.waitForTimeout(50)) {
		state = await tab.evaluate(() => window.kilnStart ? window.kilnStart.state() : null);
		if (state && !state.waiting && ready(state))
			return state;
	}
	throw new Error("never " + what + ": " + JSON.stringify(state));
}

const names = (state) => state.rows.map(([name]) => name.split("\n")[0]);
async function open(tab) {
	await tab.goto(url);
	return until(tab, "listed", (state) => state.rows.length >= 5 &&
		state.rows.every(([name, , , , , samples]) => samples || name.includes("\n")));
}

test("lists profiles, the latest first, with what kiln info says of each", { errors: true }, async (tab) => {
	const state = await open(tab), info = (name) =>
		JSON.parse(execFileSync(kiln, ["info", "--json", name], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }));
	equal(names(state).slice(-2), ["runs/times.txt", "runs/old/a.folded"]);
	equal(state.rows.at(-1).slice(2), ["", "", "", "10", "", ""]);
	const about = info("runs/times.txt"), row = state.rows.at(-2);
	equal(row.slice(4, 7), [(about.span_ns / 1e9).toFixed(2) + " s", String(about.streams[0].samples), ""]);
	equal(await tab.locator("img, iframe").count(), 0, "names are text");
	const damaged = state.rows.find(([name]) => name.startsWith("runs/damaged.kiln"));
	if (!/byte \d+/.test(damaged[0]))
		throw new Error("not said: " + damaged[0]);
});

test("the thumbnail has the heat map's cells", { errors: true }, async (tab) => {
	await open(tab);
	const cells = await tab.locator("tr", { hasText: "runs/times.txt" }).locator("canvas").evaluate((canvas) => {
		const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
		const filled = (x, y) => data[(y * width + x) * 4 + 3] > 0;
		const part = (x0, x1, y0, y1) => {
			let all = 0, some = 0;
			for (let x = Math.floor(x0 * width); x < x1 * width; x++)
				for (let y = Math.floor(y0 * height); y < y1 * height; y++, all++)
					some += filled(x, y);
			return some / all;
		};
		return { height, width, early: part(0, 0.4, 0, 1), late: part(0.6, 0.9, 0, 1) };
	});
	equal(cells.height, 16);
	if (!(cells.early > 0.25 && cells.late < cells.early))
		throw new Error(JSON.stringify(cells));
});

test("sorts, filters, and opens one by keys alone", { errors: true }, async (tab) => {
	await open(tab);
	await tab.getByRole("button", { name: "Name" }).press("Enter");
	let state = await until(tab, "sorted", () => true);
	equal(names(state), [...names(state)].sort(new Intl.Collator("en", { numeric: true }).compare));
	await tab.keyboard.press("/");
	await tab.keyboard.type("OLD/");
	state = await until(tab, "filtered", (each) => each.rows.length === 1);
	equal(names(state), ["runs/old/a.folded"]);
	for (let i = 0; i < 3; i++)
		await tab.keyboard.press("Tab");
	await tab.keyboard.press("Enter");
	await tab.waitForURL(/view#profile=runs%2Fold%2Fa.folded/);
	for (let i = 0; i < 300 && (await tab.locator("#top tbody tr").count()) < 2; i++)
		await tab.waitForTimeout(30);
	equal(await tab.title(), "a.folded \u2013 Kiln");
	await tab.goBack();
	await until(tab, "back", (each) => each.rows.length > 1);
});

test("what comes, changes and goes is said, and shown without a reload", { errors: true }, async (tab) => {
	await open(tab);
	const said = async (what) => {
		for (let i = 0; i < 300 && !(await tab.textContent("#status")).includes(what); i++)
			await tab.waitForTimeout(30);
		equal((await tab.textContent("#status")).includes(what), true, what);
	};
	put("new.folded", "main 4\n");
	await said("runs/new.folded is new");
	equal(names(await until(tab, "listed", () => true))[0], "runs/new.folded");
	put("new.folded", "main 4\nother 5\nthird 6\n");
	await said("runs/new.folded has changed");
	const state = await until(tab, "read again", (each) => each.rows[0][5] === "15");
	equal(names(state)[0], "runs/new.folded");
	fs.rmSync(path.join(runs, "new.folded"));
	await said("runs/new.folded was deleted");
	equal((await until(tab, "told", () => true)).rows[0][0].includes("deleted"), true);
});

async function drop(tab, ...files) {
	const data = await tab.evaluateHandle((all) => {
		const transfer = new DataTransfer();
		for (const [name, text] of all)
			transfer.items.add(new File([text], name));
		return transfer;
	}, files);
	await tab.dispatchEvent("body", "dragover", { dataTransfer: data });
	equal(await tab.locator("body.dropping").count(), 1);
	await tab.dispatchEvent("body", "drop", { dataTransfer: data });
}

async function total(tab, ready) {
	for (let i = 0; i < 2000; i++, await tab.waitForTimeout(30)) { // it looks every five seconds, and is answered when there is time
		const state = await tab.evaluate(() => window.kilnView ? window.kilnView.state() : null);
		if (state && state.top && !state.waiting && ready(state))
			return state.top.total;
	}
	throw new Error("never");
}

test("files that are dropped are shown, on either page, and what is wrong with one is said", { errors: true }, async (tab) => {
	await open(tab);
	await drop(tab, ["dropped.folded", "main;a 40\nmain;b 2\n"]);
	await tab.waitForURL(/view#profile=dropped.folded/);
	equal(await total(tab, () => true), 42);
	await drop(tab, ["bad.txt", "no profile at all"], ["more.folded", "x 7\n"]);
	equal(await total(tab, (state) => state.query.profile === "more.folded"), 7);
	await drop(tab, ["bad.txt", "no profile at all"]);
	for (let i = 0; i < 300 && !(await tab.textContent("#status.wrong").catch(() => "")); i++)
		await tab.waitForTimeout(30);
	equal((await tab.textContent("#status")).startsWith("bad.txt: unknown format"), true);
	await tab.click("#all");
	const state = await until(tab, "listed", (each) => names(each).includes("dropped.folded"));
	equal(state.rows.find(([name]) => name.startsWith("dropped"))[0], "dropped.folded\nuploaded; in memory only");
	const [chooser] = await Promise.all([tab.waitForEvent("filechooser"), tab.click("#open")]);
	await chooser.setFiles({ name: "chosen.folded", mimeType: "text/plain", buffer: Buffer.from("y 9\n") });
	await tab.waitForURL(/view#profile=chosen.folded/);
	equal(await total(tab, () => true), 9);
});

test("a file that changes while it is shown is shown anew, and says so", { errors: true }, async (tab) => {
	put("changing.folded", "main;a 4\n");
	await tab.goto(url + "view#profile=runs%2Fchanging.folded");
	equal(await total(tab, () => true), 4);
	put("changing.folded", "main;a 4\nmain;other 6\n"); // before the page has looked at it once
	equal(await total(tab, (state) => state.top.total !== 4), 10);
	equal(await tab.textContent("#status"), "The file has changed; showing the new version");
	fs.renameSync(path.join(runs, "changing.folded"), path.join(folder, "away.folded"));
	const gone = tab.getByText("The file was deleted; showing the last version read");
	await gone.waitFor();
	equal(await total(tab, () => true), 10);
	await tab.reload();
	await gone.waitFor();
	fs.renameSync(path.join(folder, "away.folded"), path.join(runs, "changing.folded"));
	await gone.waitFor({ state: "detached" }); // it is the one that was read
	equal(await tab.textContent("#status"), "");
});

test("a file that came after the list was made, before the page, is followed, too", { errors: true }, async (tab) => {
	await open(tab);
	let listed;
	const isListed = new Promise((resolve) => listed = resolve);
	await tab.route(/\/(info|heatmap)\?.*latest/, (route) => isListed.then(() => route.continue()));
	await tab.route(/\/profiles$/, async (route) => {
		const response = await route.fetch(); // within the second in which the server does not look again
		await route.fulfill({ response });
		listed();
	});
	await tab.evaluate(() => fetch("profiles"));
	put("latest.folded", "main;a 4\n");
	await tab.goto(url + "view#profile=runs%2Flatest.folded");
	equal(await total(tab, () => true), 4);
	put("latest.folded", "main;a 4\nmain;other 6\n");
	equal(await total(tab, (state) => state.top.total !== 4), 10);
	fs.rmSync(path.join(runs, "latest.folded"));
});

test("a file that goes while it is asked for is no mistake of the page", { errors: true }, async (tab, errors) => {
	let asked = 0;
	await tab.route(/\/info\?.*going/, (route) => {
		if (!asked++)
			fs.rmSync(path.join(runs, "going.folded"));
		return route.continue();
	});
	put("going.folded", "main;a 4\n");
	await tab.goto(url);
	const state = await until(tab, "asked", () => asked > 0);
	equal(state.rows.filter(([name]) => name.startsWith("runs/going")).map(([name]) => name.split("\n").length <= 2), [true]);
	await until(tab, "gone", (each) => !names(each).includes("runs/going.folded"));
	equal(errors.filter((each) => each.includes("going")), []);
});

for (const [colorScheme, width] of [["light", 1400], ["dark", 1400], ["light", 700]])
	test(`the list fits ${width} pixels, ${colorScheme}`, { errors: true, colorScheme, viewport: { width, height: 700 } }, async (tab) => {
		await open(tab);
		equal(await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
		if (process.env.KILN_PICTURES)
			await tab.screenshot({ path: path.join(process.env.KILN_PICTURES, `start-${colorScheme}-${width}.png`) });
	});

await run();
server.kill();
