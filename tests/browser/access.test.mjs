// access.test.mjs: kiln view for those who do not see it, or use no pointer: axe-core's rules in both themes, and a
// journey by keys alone.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { equal, folder, kiln, run, test } from "./harness.mjs";
import { LOOKS } from "./looking.mjs";

const require = createRequire(import.meta.url);
let axe;
try {
	axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
} catch {
	console.log("1..0 # skip needs a browser and axe-core: run npm ci in tests/browser");
	process.exit(0);
}

const runs = path.join(folder, "runs");
fs.mkdirSync(runs);
let text = "";
for (let i = 0; i < 600; i++) {
	const leaf = i < 200 ? "parse" : i % 3 ? "write" : "hash";
	text += `main 12/${12 + i % 2} [00${i % 2}] ${(100 + i / 100).toFixed(6)}: 1000 cycles:\n` +
		`\t7f01 ${leaf}+0x1 (/bin/app)\n\t7f02 run+0x2 (/bin/app)\n\t7f03 main+0x3 (/bin/app)\n\n`;
}
const file = path.join(runs, "times.txt");
fs.writeFileSync(file, text);
fs.writeFileSync(path.join(runs, "a.folded"), "main;work 7\nmain;rest 3\n");
fs.writeFileSync(path.join(runs, "damaged.kiln"), Buffer.concat([Buffer.from("\x89KILN\r\n\x1a", "latin1"), Buffer.alloc(100)]));

const server = spawn(kiln, ["view", "-q", "--no-open", "runs"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill());
const url = (await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()).value.trim();

async function until(tab, what, ready) {
	let state = null;
	for (let i = 0; i < LOOKS; i++, await tab.waitForTimeout(50)) {
		state = await tab.evaluate(() => (window.kilnStart || window.kilnView || { state: () => null }).state());
		if (state && !state.waiting && ready(state))
			return state;
	}
	throw new Error("never " + what + ": " + JSON.stringify({ ...state, heatmap: null }));
}
const listed = (tab) => until(tab, "listed", (state) => state.rows && state.rows.length === 2 + 1 &&
	state.rows.every(([name, , , , , samples]) => samples || name.includes("\n")));
const still = (tab) => until(tab, "still", (state) => state.top && (state.tree || state.top.total === 0));

async function check(tab) {
	await tab.evaluate(axe);
	const { violations } = await tab.evaluate(() => window.axe.run());
	const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
	equal(serious.map((each) => [each.id, each.nodes.map((node) => node.html.slice(0, 120) + " | " + node.failureSummary.slice(0, 300))]), []);
}

for (const colorScheme of ["light", "dark"]) {
	const options = { colorScheme, bypassCSP: true, errors: true, viewport: { width: 1400, height: 900 } };

	test(`axe-core finds nothing serious in the list, ${colorScheme}`, options, async (tab) => {
		await tab.goto(url);
		await listed(tab);
		await check(tab);
	});

	for (const view of ["", "&view=sandwich&function=run", "&before=runs%2Ftimes.txt&before-time=..2"])
		test(`axe-core finds nothing serious in the page${view}, ${colorScheme}`, options, async (tab) => {
			await tab.goto(url + "view#profile=runs%2Ftimes.txt&focus=run&search=write&rows=thread" + view);
			await until(tab, "still", (state) => state.top && state.top.rows.length > 0);
			await check(tab);
		});

	test(`axe-core finds nothing serious in menus and keys, ${colorScheme}`, options, async (tab) => {
		await tab.goto(url + "view#profile=runs%2Ftimes.txt");
		await still(tab);
		await tab.keyboard.press("g");
		await tab.keyboard.press("m");
		await check(tab);
		await tab.keyboard.press("Escape");
		await tab.keyboard.press("?");
		await check(tab);
	});
}

const top = (...options) => JSON.parse(execFileSync(kiln, ["top", "-q", "--json", ...options, file], { encoding: "utf8" }));

// No pointer is ever moved or pressed.
test("a journey by keys alone: from the list to a time, a function, a search and a file", {}, async (tab) => {
	const press = async (...keys) => {
		for (const key of keys)
			await tab.keyboard.press(key);
	};
	// Tab until the focus is where it is wanted.
	const reach = async (wanted) => {
		for (let i = 0; i < 60; i++) {
			await press("Tab");
			if (await tab.evaluate((selector) => document.activeElement.matches(selector), wanted))
				return;
		}
		throw new Error("Tab never reached " + wanted);
	};
	fs.rmSync(path.join(runs, "damaged.kiln"));
	await tab.goto(url);
	await until(tab, "listed", (state) => state.rows.length === 2);
	await press("/");
	await tab.keyboard.type("times");
	await reach("#list a");
	await press("Enter");
	await tab.waitForURL(/view#profile/);
	let state = await still(tab);
	equal(state.top.total, top().total);

	await press("t", "ArrowRight", "Shift+ArrowRight"); // a column, then more of them
	state = await until(tab, "selected", (each) => each.query.time !== "");
	state = await until(tab, "shown", (each) => each.top.total < top().total);
	equal(state.top.total, top("--time", state.query.time).total);
	await press("Escape");
	state = await until(tab, "all of it", (each) => each.query.time === "" && each.top.total === top().total);

	await press("g", "ArrowUp", "ArrowUp", "ArrowUp");
	state = await until(tab, "walked", (each) => each.focus !== "");
	const frame = state.focus;
	await press("Enter");
	state = await until(tab, "zoomed", (each) => each.tree.zoom === frame);
	await press("Home", "Enter");
	await until(tab, "not zoomed", (each) => each.tree.zoom === "all");

	await press("g", "ArrowUp", "m"); // the menu of a function
	const items = await tab.getByRole("menuitem").allTextContents();
	const at = items.findIndex((each) => each.startsWith("Exclude"));
	equal(await tab.evaluate(() => document.activeElement.getAttribute("role")), "menuitem");
	await press(...Array(at).fill("ArrowDown"), "Enter");
	state = await until(tab, "excluded", (each) => each.query.transforms.length === 1);
	await press("u");
	await until(tab, "taken back", (each) => each.query.transforms.length === 0);

	await press("/");
	await tab.keyboard.type("^write$");
	state = await until(tab, "found", (each) => each.matched.startsWith("matched"));
	const write = top().functions.find((each) => each.function === "write").total;
	equal(state.matched, "matched " + (100 * write / top().total).toFixed(2) + "%");

	await reach("#top tbody button");
	await press("Enter");
	await reach("#top tbody button");
	await press("Shift+Tab");
	for (let i = 0; i < 60 && !(await tab.evaluate(() => document.activeElement.id === "save")); i++)
		await press("Shift+Tab");
	await press("Enter");
	const [download] = await Promise.all([tab.waitForEvent("download"), (async () => {
		const formats = await tab.getByRole("menuitem").allTextContents();
		await press(...Array(formats.findIndex((each) => each.startsWith("Folded"))).fill("ArrowDown"), "Enter");
	})()]);
	equal(download.suggestedFilename(), "times.folded");
	await reach("#all");
	await Promise.all([tab.waitForURL(/start$/), press("Enter")]);
	await until(tab, "the list", (each) => each.rows && each.rows.length === 2);
});

await run();
server.kill();
