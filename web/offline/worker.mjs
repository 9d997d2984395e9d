// worker.mjs: loads the module of a page and passes requests to it; provides its imports.
//
// The other side of src/page/. It is a web worker, so that the page stays responsive.
import { patternOf } from "../view/pattern.mjs";

const PIECE = 1 << 20; // letters of base64 at a time; a multiple of 4
const decoder = new TextDecoder(), encoder = new TextEncoder();

// ---- Bytes ----

const packed = (text) => {
	let at = 0;
	return new ReadableStream({
		pull(stream) {
			const part = atob(text.slice(at, at += PIECE)), bytes = new Uint8Array(part.length);
			for (let i = 0; i < bytes.length; i++)
				bytes[i] = part.charCodeAt(i);
			stream.enqueue(bytes);
			if (at >= text.length)
				stream.close();
		}
	});
};
const unpacked = (text) => packed(text).pipeThrough(new DecompressionStream("gzip"));
const compress = (body) =>
	new Response(new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();

// ---- What the module calls ----

let called = null; // its functions
let lastWords = ""; // that it wrote before it ended
const bytesAt = (at, length) => new Uint8Array(called.memory.buffer, at, length);
const textAt = (at, length) => decoder.decode(bytesAt(at, length));

function textAtNul(at) {
	const all = new Uint8Array(called.memory.buffer);
	return decoder.decode(all.subarray(at, all.indexOf(0, at)));
}

const patterns = new Map();
let lastPattern = 0;

const browser = {
	pattern(at, length, why, room) {
		const [, ignore, text] = /^(\(\?i\))?([^]*)$/.exec(textAt(at, length));
		try {
			patterns.set(++lastPattern, patternOf(text, Boolean(ignore)) || /(?:)/u);
			return lastPattern;
		} catch (notAPattern) {
			encoder.encodeInto(notAPattern.message, bytesAt(why, room));
			return -1;
		}
	},
	pattern_match: (number, at, length) => patterns.get(number).test(textAt(at, length)) ? 1 : 0,
	pattern_free: (number) => patterns.delete(number)
};

// It has no files; what it writes is why it cannot go on.
const system = {
	fd_write(file, pieces, count, written) {
		const view = new DataView(called.memory.buffer);
		let length = 0;
		for (let i = 0; i < count; i++) {
			const size = view.getUint32(pieces + 8 * i + 4, true);
			lastWords += textAt(view.getUint32(pieces + 8 * i, true), size);
			length += size;
		}
		view.setUint32(written, length, true);
		return 0;
	},
	fd_close: () => 0,
	fd_seek: () => 70 // ESPIPE
};

// ---- The module ----

async function begin({module, profile, size, projection, name}) {
	const code = await new Response(unpacked(module)).arrayBuffer();
	const {instance} = await WebAssembly.instantiate(code, {browser, wasi_snapshot_preview1: system});
	called = instance.exports;
	lastWords = "";
	called._initialize();
	const content = called.page_room(size);
	let at = content;
	for (const reader = unpacked(profile).getReader(); ;) {
		const {done, value} = await reader.read();
		if (done)
			break;
		bytesAt(at, value.length).set(value);
		at += value.length;
	}
	if (!called.page_open(content, size, put(encoder.encode(name + "\0")), projection))
		throw new Error(textAtNul(called.page_why()));
}

function put(bytes) {
	const at = called.page_room(bytes.length);
	bytesAt(at, bytes.length).set(bytes);
	return at;
}

// An address and its words, as a server decodes them.
function words(address) {
	const [name, ...rest] = address.split("?");
	const query = rest.join("?").split("&").filter((word) => word !== "");
	return [name, ...query.map((word) => decodeURIComponent(word.replace(/\+/g, " ")))];
}

function answer(address) {
	const question = encoder.encode(words(address).join("\0") + "\0");
	if (called.page_ask(put(question), question.length))
		throw new Error(textAtNul(called.page_why()));
	const at = called.page_body();
	return {body: called.memory.buffer.slice(at, at + called.page_body_len()), type: textAtNul(called.page_type())};
}

// The module writes pprof files without compression.
async function answerCompressed(address) {
	const result = answer(address);
	if (/^pprof(\?|$)/.test(address))
		result.body = await compress(result.body);
	return result;
}

// ---- Messages ----

let start = null, ready = null; // what it begins with, and whether it has

self.onmessage = async ({data}) => {
	if (!data.ask) {
		start = data;
		ready = begin(start);
		return ready.catch(() => {}); // requests report the error
	}
	try {
		await ready;
		const result = await answerCompressed(data.ask);
		self.postMessage(result, [result.body]);
	} catch (error) {
		const ended = error instanceof WebAssembly.RuntimeError;
		if (ended) // for want of memory, most of all: the next question has a new one
			ready = begin(start);
		self.postMessage({error: ended && lastWords.trim() || error.message});
	}
};
