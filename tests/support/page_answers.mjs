// page_answers.mjs: what the module of a page answers, by the page's own thread, run here: node page_answers.mjs PAGE NAME
//
// Addresses come as lines; answers go as lines of JSON, {"body": base64, "type"} or {"error"}.
import fs from "node:fs";
import { createInterface } from "node:readline";

const html = fs.readFileSync(process.argv[2], "latin1");
const element = (id) => new RegExp(`<script type="text/plain" id="${id}"([^>]*)>([^<]*)</script>`).exec(html);
const worker = /<script type="text\/plain" id="worker-code">([^]*?)<\/script>/.exec(html)[1];
const [, about, profile] = element("profile-data");
const number = (name) => Number(new RegExp(`data-${name}="(\\d+)"`).exec(about)[1]);

const waiting = [];
const self = { postMessage: (said) => waiting.shift()(said) };
new Function("self", worker)(self);
self.onmessage({ data: { module: element("module-code")[2], profile, size: number("size"),
	projection: number("projection"), name: process.argv[3] } });

for await (const address of createInterface({ input: process.stdin })) {
	const said = await new Promise((resolve) => {
		waiting.push(resolve);
		self.onmessage({ data: { ask: address } });
	});
	console.log(JSON.stringify(said.error === undefined ?
		{ body: Buffer.from(said.body).toString("base64"), type: said.type } : said));
}
