// page.mjs: medians of how long answers take, those of the module in a page and those of kiln view.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createInterface } from "node:readline";
import { openPage } from "../tests/support/page_module.mjs";

const [, , kiln, file, page, rounds] = process.argv;
const QUESTIONS = ["heatmap?column=1s&rows=50", "nodes?order=name", "top?json&rows=300", "nodes?time=1..2", "heatmap?match=f"];
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

async function timed(work) {
	const begun = performance.now();
	const result = await work();
	return [performance.now() - begun, result];
}

const server = spawn(kiln, ["view", "--no-open", file], { stdio: ["ignore", "pipe", "ignore"] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
const url = (await lines.next()).value.trim();

const html = fs.readFileSync(page, "latin1");
const opened = [];
let ask;
for (let i = 0; i < rounds; i++) {
	ask = openPage(html, file);
	opened.push((await timed(() => ask("profiles")))[0]);
}
console.log(`${(fs.statSync(page).size / 1e6).toFixed(1)} MB; opened in ${median(opened).toFixed(0)} ms`);
for (const question of QUESTIONS) {
	const own = [], served = [];
	for (let i = 0; i < rounds; i++) {
		const [time, said] = await timed(() => ask(question));
		const [other, body] = await timed(async () => (await fetch(url + question)).arrayBuffer());
		if (said.error || Buffer.compare(Buffer.from(said.body), Buffer.from(body)))
			throw new Error("another answer to " + question);
		own.push(time);
		served.push(other);
	}
	const ratios = own.map((time, i) => time / served[i]);
	console.log(`${question}: ${median(own).toFixed(1)} ms, kiln view ${median(served).toFixed(1)} ms, ratio ${median(ratios).toFixed(2)}`);
}
server.kill();
