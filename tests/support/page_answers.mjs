// page_answers.mjs: what the module of a page answers: node page_answers.mjs PAGE NAME
//
// Addresses come as lines; answers go as lines of JSON, {"body": base64, "type"} or {"error"}.
import fs from "node:fs";
import { createInterface } from "node:readline";
import { openPage } from "./page_module.mjs";

const ask = openPage(fs.readFileSync(process.argv[2], "latin1"), process.argv[3]);
for await (const address of createInterface({ input: process.stdin })) {
	const said = await ask(address);
	console.log(JSON.stringify(said.error === undefined ?
		{ body: Buffer.from(said.body).toString("base64"), type: said.type } : said));
}
