// speedscope.mjs FILE...: what Speedscope itself makes of a file. Prints "FILE SECONDS NAME" for every function
// with at least 5 percent of the self time, as its table of functions shows it.
//   speedscope.mjs --schema FILE...: is it what Speedscope's schema says?
import { createRequire } from "node:module";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const here = path.dirname(new URL(import.meta.url).pathname);
const browser = path.resolve(here, "../browser");
const require = createRequire(path.join(browser, "package.json"));
const release = path.join(browser, "node_modules/speedscope/dist/release");
const files = process.argv.slice(2);

function checkSchema() {
	const Ajv = require("ajv");
	const schema = JSON.parse(fs.readFileSync(path.join(release, "file-format-schema.json")));
	const validate = new Ajv({ strict: false }).compile(schema);
	for (const file of files.slice(1))
		if (!validate(JSON.parse(fs.readFileSync(file)))) {
			console.log(file, JSON.stringify(validate.errors));
			process.exitCode = 1;
		}
}

const units = { s: 1, ms: 1e-3, "\u00b5s": 1e-6, ns: 1e-9 };

function seconds(text) {
	const match = /^([\d.,]+)(s|ms|\u00b5s|ns) \((.*)%\)$/.exec(text.trim());
	return match && Number(match[3].replace("<", "")) >= 5 ? Number(match[1].replace(",", "")) * units[match[2]] : 0;
}

// The page takes a file from a script that it is told to load.
async function show(tab, folder, file) {
	const script = path.join(folder, path.basename(file) + ".js");
	const content = fs.readFileSync(file).toString("base64");
	fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, "${content}")`);
	await tab.goto(`file://${release}/index.html#localProfilePath=${script}`);
	await tab.reload();
	await tab.waitForFunction(() => document.body.innerText.includes("Time Order") &&
		!document.body.innerText.includes("Drop"), null, { timeout: 30000 });
	await tab.keyboard.press("3");
	await tab.waitForFunction(() => document.body.innerText.includes("Symbol Name"));
	await tab.waitForTimeout(300);
	const rows = await tab.evaluate(() => [...document.querySelectorAll("tr")].map((row) =>
		[...row.querySelectorAll("td")].map((cell) => cell.innerText.trim())));
	for (const row of rows)
		if (row.length === 3 && seconds(row[1]))
			console.log(path.basename(file), seconds(row[1]).toFixed(4), row[2]);
}

async function showAll() {
	const { chromium } = require("playwright-core");
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kiln-speedscope-"));
	const started = await chromium.launch({
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
			"--allow-file-access-from-files"],
	});
	try {
		for (const file of files) {
			const tab = await started.newPage();
			await show(tab, folder, path.resolve(file));
			await tab.close();
		}
	} finally {
		await started.close();
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

if (files[0] === "--schema")
	checkSchema();
else
	await showAll();
