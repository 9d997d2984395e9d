// server.mjs: how are requests sent to kiln view?
//
// A page in one file has ../offline/module.mjs instead.

// A missing profile is expected, as after a file was deleted: with this header the status is 200, since browsers log
// every 404 as an error.
const MISSING = "Kiln-Missing";
const TOO_LONG = [414, 431]; // the library's own message is an HTML page

// The page at the server's URL itself ends with the answer to this request, which arrives when the profile has been
// read. Keep in step with src/server/first_answer.c.
const EMBEDDED = "heatmap?columns=300&rows=50";
const whole = new Promise((go) => document.addEventListener("DOMContentLoaded", go));

export async function first(address) {
	if (!location.pathname.endsWith("/") || address !== EMBEDDED)
		return answer(address);
	await whole;
	const embedded = document.querySelector("script[data-answer]");
	if (!embedded || embedded.dataset.answer !== address)
		return answer(address);
	embedded.remove();
	return bytesOf(embedded.textContent);
}

function bytesOf(base64) {
	const letters = atob(base64), bytes = new Uint8Array(letters.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = letters.charCodeAt(i);
	return bytes.buffer;
}

// The bytes at an address. Throws an Error that says what is wrong, with isLost when the server does not answer, and isMissing
// when there is no such profile or file.
export function answer(address, signal) {
	return ask(address, {signal, headers: {[MISSING]: "1"}});
}

// Upload a file, which the server keeps in memory. Returns its name there.
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
		throw error instanceof TypeError ? Object.assign(new Error("Lost connection to kiln view. Is it still running?"), {isLost: true}) : error;
	}
	throw Object.assign(new Error(TOO_LONG.includes(response.status) ? "The request is too long: a name in it has too many characters" :
		(await response.text()).trim() || "The server answered with status " + response.status), {isMissing: response.headers.has(MISSING)});
}

// Save an answer as a file.
export function download(address, name) {
	const link = document.createElement("a");
	link.href = address;
	link.download = name;
	link.click();
}
