// server.mjs: where do answers come from? From kiln view, which has served this page.
//
// A page that is one file has ../offline/module.mjs in place of this.

// What is not there may well be so, as a file that has just gone: browsers tell people of every 404.
const MISSING = "Kiln-Missing";
const TOO_LONG = [414, 431]; // the library's own words are a page

// The page at the server's own address comes at once, and behind all else that is in it the answer to this, when
// the profile has been read. As in src/server/told.c.
const TOLD = "heatmap?columns=300&rows=50";
const whole = new Promise((go) => document.addEventListener("DOMContentLoaded", go));

export async function first(address) {
	if (!location.pathname.endsWith("/") || address !== TOLD)
		return answer(address);
	await whole;
	const told = document.querySelector("script[data-answer]");
	if (!told || told.dataset.answer !== address)
		return answer(address);
	told.remove();
	return bytesOf(told.textContent);
}

function bytesOf(base64) {
	const letters = atob(base64), bytes = new Uint8Array(letters.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = letters.charCodeAt(i);
	return bytes.buffer;
}

// The bytes at an address. Throws an Error that says what is wrong.
export function answer(address, signal) {
	return ask(address, {signal, headers: {[MISSING]: "1"}});
}

// Have a file read by the server, which keeps it in its memory alone; what it is called there.
export async function send(file) {
	const bytes = await ask("upload?name=" + encodeURIComponent(file.name), {method: "POST", body: file});
	return JSON.parse(new TextDecoder().decode(bytes)).name;
}

async function ask(address, options) {
	let response;
	try {
		response = await fetch(address, options);
		if (response.ok && !response.headers.has(MISSING))
			return await response.arrayBuffer();
	} catch (error) {
		throw error instanceof TypeError ? new Error("kiln view does not answer") : error;
	}
	throw new Error(TOO_LONG.includes(response.status) ? "What is asked is too long: a name in it has too many letters" :
		(await response.text()).trim() || "The server says " + response.status);
}

// Formats that answers may have.
export const canWrite = () => true;

// The same as a file.
export function download(address, name) {
	const link = document.createElement("a");
	link.href = address;
	link.download = name;
	link.click();
}
