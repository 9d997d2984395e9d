// screens.mjs: the page of kiln view as it looks, from a page that is one file: screens.mjs PAGE FOLDER
//
// The browser, and what drives it, are those of the tests (tests/browser).
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";
import { until } from "../../tests/browser/looking.mjs";

const require = createRequire(new URL("../../tests/browser/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [page, folder] = process.argv.slice(2);
const own = encodeURIComponent(path.basename(page));

// What each picture is of, as the page's address has it.
const screens = [
	["view-heat-map", "light", "column=100ms&search=Perl_pp_match"],
	["view-compare", "light", `column=100ms&time=3..4.2&before=${own}&before-time=0..0.7&normalise`],
	["view-callers", "dark", "column=100ms&view=sandwich&function=Perl_pp_match"],
	["view-chart", "dark", "column=100ms&view=chart&time=0..0.7"],
];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const [name, colorScheme, state] of screens) {
	const tab = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme });
	await tab.goto(`${pathToFileURL(page)}#${state}`);
	await until(tab, "drawn", (is) => is.heatmap && (is.tree || is.chart) && !is.waiting);
	await tab.waitForTimeout(500); // until the browser has painted, too
	await tab.screenshot({ path: path.join(folder, name + ".png") });
	await tab.close();
}
await browser.close();
