// harness.mjs: a browser, a server for the pages, and results as TAP.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";

const here = path.dirname(new URL(import.meta.url).pathname);
export const source = process.env.KILN_SOURCE || path.resolve(here, "../..");
export const kiln = process.env.KILN || path.join(source, "build/kiln");
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kiln-browser-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

async function findPlaywright() {
	try {
		return await import("playwright-core");
	} catch {
		console.log("1..0 # skip needs a browser: run npm ci in tests/browser");
		process.exit(0);
	}
}

const { chromium } = await findPlaywright();

// A picture of folded text, drawn by kiln; returns its path.
export function draw(name, folded, ...options) {
	const input = path.join(folder, name + ".folded"), output = path.join(folder, name + ".svg");
	fs.writeFileSync(input, folded);
	execFileSync(kiln, ["draw", ...options, input, "-o", output], { stdio: "pipe" });
	return output;
}

// Files of `folder`, and pages made of text; headers by path.
const pages = new Map();
export function page(name, body, headers = {}) {
	pages.set("/" + name, { body, headers });
}

const server = http.createServer((request, response) => {
	const name = new URL(request.url, "http://localhost").pathname;
	const made = pages.get(name);
	const type = name.endsWith(".svg") ? "image/svg+xml" : "text/html; charset=utf-8";
	const file = path.join(folder, path.basename(name));
	if (!made && !fs.existsSync(file)) // favicon.ico, which no page asks for but every browser
		return response.writeHead(204).end();
	response.writeHead(200, { "Content-Type": type, ...(made ? made.headers : {}) });
	response.end(made && made.body !== undefined ? made.body : fs.readFileSync(file));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
export const base = `http://127.0.0.1:${server.address().port}/`;

export function equal(given, wanted, what) {
	const a = JSON.stringify(given), b = JSON.stringify(wanted);
	if (a !== b)
		throw new Error(`${what || "value"}: got ${a}, expected ${b}`);
}

export function near(given, wanted, within, what) {
	if (!(Math.abs(given - wanted) <= within))
		throw new Error(`${what}: got ${given}, expected ${wanted} within ${within}`);
}

const tests = [];
// options are those of a browser context: {colorScheme, viewport, javaScriptEnabled, ...}.
export function test(name, options, body) {
	tests.push({ name, options, body });
}

// The browser's word on an answer of 400 and above, which does not say of which address.
const isRefusal = (message) => message.text().startsWith("Failed to load resource: the server responded");

async function runOne(browser, { options, body }) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
	context.setDefaultTimeout(60000);
	const tab = await context.newPage();
	const errors = [];
	tab.on("pageerror", (error) => errors.push(error.message));
	tab.on("console", (message) => message.type() === "error" && !isRefusal(message) && errors.push(message.text()));
	tab.on("response", (response) => response.status() >= 400 && errors.push(`${response.status()} of ${response.url()}`));
	try {
		await body(tab, errors);
		if (!options.errors && errors.length)
			throw new Error("the page said: " + errors.join("; "));
	} finally {
		await context.close();
	}
}

// variables: of the browser's environment, beside this process's.
export async function run(variables = {}) {
	const browser = await chromium.launch({
		env: { ...process.env, ...variables },
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--no-first-run",
			"--disable-background-networking"],
	});
	let failed = 0;
	console.log(`1..${tests.length}`);
	for (const [index, one] of tests.entries()) {
		try {
			await runOne(browser, one);
			console.log(`ok ${index + 1} - ${one.name}`);
		} catch (error) {
			failed++;
			console.log(`not ok ${index + 1} - ${one.name}`);
			console.log(String(error.stack || error).replace(/^/gm, "# "));
		}
	}
	await browser.close();
	server.close();
	process.exitCode = failed ? 1 : 0;
}
