// screens.test.mjs: do the pages of kiln view look as they are to look? Every view in both themes, beside pictures that
// are kept in screens/; `make screens` makes them anew.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { equal, folder, kiln, run, source, test } from "./harness.mjs";
import { painted, until } from "./looking.mjs";
import { difference, small } from "./pictures.mjs";

const kept = path.join(source, "tests/browser/screens"), runs = path.join(folder, "runs");
const seen = path.join(process.env.KILN_BUILD || path.join(source, "build"), "screens"); // what did not pass

// The list says when files were written: long ago.
fs.mkdirSync(runs);
fs.copyFileSync(path.join(kept, "shop.txt"), path.join(runs, "shop.txt"));
fs.writeFileSync(path.join(runs, "sums.folded"), "main;work 7\nmain;rest 3\n");
fs.writeFileSync(path.join(runs, "damaged.kiln"), Buffer.concat([Buffer.from("\x89KILN\r\n\x1a", "latin1"), Buffer.alloc(100)]));
for (const [name, time] of [["shop.txt", 1.5e9], ["sums.folded", 1.4e9], ["damaged.kiln", 1.3e9]])
	fs.utimesSync(path.join(runs, name), time, time);

const server = spawn(kiln, ["view", "-q", "--no-open", "runs"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill());
const url = (await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()).value.trim();

async function openList(tab) {
	await tab.goto(url);
	for (let i = 0; i < 300; i++, await tab.waitForTimeout(30)) {
		const state = await tab.evaluate(() => window.kilnStart ? window.kilnStart.state() : null);
		if (state && !state.waiting && state.rows.length === 3 && await tab.locator("#list canvas").count() === 1 &&
			await tab.locator("#list .wrong").count() === 1)
			return;
	}
	throw new Error("never listed");
}

const SHOP = "profile=runs%2Fshop.txt&column=100ms&rows=10";
const openView = (state) => async (tab) => {
	await tab.goto(`${url}view#${SHOP}&${state}`);
	await until(tab, "drawn", (is) => is.heatmap && is.top && (is.tree || is.chart || is.sandwich) && !is.waiting);
};

const screens = {
	"list": openList,
	"heat-map": openView("time=0.4..2.5"),
	"search": openView("rows=thread&search=price|render&shape=icicle&order=weight&scale=log"),
	"compare": openView("before=runs%2Fshop.txt&before-time=0..1&time=1..2.2&normalise"),
	"chart": openView("view=chart&time=0.7..1.7"),
	"callers": openView("view=sandwich&function=price"),
};

async function shoot(tab, open) {
	await open(tab);
	await tab.evaluate(() => document.fonts.ready);
	await painted(tab);
	return tab.screenshot({ animations: "disabled", caret: "hide" });
}

async function check(tab, name, shot) {
	const wrong = await difference(tab, fs.readFileSync(path.join(kept, name)), shot);
	if (!wrong)
		return;
	fs.mkdirSync(seen, { recursive: true });
	fs.writeFileSync(path.join(seen, name), shot);
	throw new Error(`${wrong}: see ${path.join(seen, name)} beside ${path.join(kept, name)}; if it is to look so: make screens`);
}

const there = { errors: true, viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1, timezoneId: "UTC", locale: "en-US" };
for (const colorScheme of ["light", "dark"]) {
	const options = { ...there, colorScheme };
	for (const [screen, open] of Object.entries(screens))
		test(`${screen} looks as it is to look, ${colorScheme}`, options, async (tab) => {
			const name = `${screen}-${colorScheme}.png`, shot = await shoot(tab, open);
			if (process.env.KILN_SCREENS === "make")
				fs.writeFileSync(path.join(kept, name), await small(tab, shot));
			else
				await check(tab, name, shot);
		});
}

// What people see is a difference, how letters are smoothed is none.
const changes = [["#time", "display", "none", true], ["#copy", "visibility", "hidden", true], ["main", "marginTop", "3px", true],
	["html", "filter", "invert(4%)", true], ["#heatmap", "filter", "hue-rotate(90deg)", true], ["html", "filter", "blur(0.4px)", false]];
for (const [selector, property, value, seen] of changes)
	test(`${selector} with ${property} ${value} ${seen ? "is another" : "is the same"} picture`, there, async (tab) => {
		const before = await shoot(tab, screens["heat-map"]);
		await tab.evaluate(([at, name, to]) => document.querySelector(at).style[name] = to, [selector, property, value]);
		const wrong = await difference(tab, before, await shoot(tab, () => {}));
		equal(wrong !== "", seen, wrong);
	});

await run({ FONTCONFIG_FILE: path.join(kept, "fonts.conf") });
server.kill();
