// ask.mjs: how are requests sent, shared and cancelled?
import { parseColumns } from "./columns.mjs";
import { answer, first } from "./server.mjs";

export const counts = {asked: 0, aborted: 0, waiting: 0};

const expected = new Map(); // promises of answers, by their addresses

// Send a request now that will be needed later, once. how: the function of server.mjs that sends it.
export function expect(address, how = answer) {
	const promise = how(address);
	promise.catch(() => {}); // the caller gets the error
	expected.set(address, promise);
}

function take(address) {
	const promise = expected.get(address);
	expected.delete(address);
	return promise;
}

async function ask(address, signal) {
	counts.requests++;
	counts.waiting++;
	try {
		return await (take(address) || answer(address, signal));
	} catch (error) {
		if (signal && signal.aborted)
			counts.aborted++;
		throw error;
	} finally {
		counts.waiting--;
	}
}

// Requests that the page sends before anything else.
export const expectFirst = (address) => expect(address, first);

export async function askColumns(address, signal) {
	return parseColumns(await ask(address, signal));
}

export async function askJson(address, signal) {
	return JSON.parse(new TextDecoder().decode(await ask(address, signal)));
}

export async function askText(address, signal) {
	return new TextDecoder().decode(await ask(address, signal));
}

// Work of which only the latest result counts: a new request cancels the older one. `gap` (ms) is the minimum time
// between two starts; it grows with the time that the work takes, so that a slow server still answers during a drag.
export class Latest {
	constructor(work, gap) {
		this.work = work; // (request, signal) => Promise, which shows the answer
		this.gap = gap;
		this.took = 0;
		this.started = -Infinity;
		this.timer = 0;
		this.control = null;
	}

	// immediate: ignore the gap, as at the end of a drag or on a click.
	submit(request, immediate) {
		const wait = this.started + Math.max(this.gap, 1.1 * this.took) - performance.now();
		clearTimeout(this.timer);
		if (immediate || wait <= 0)
			this.start(request);
		else
			this.timer = setTimeout(() => this.start(request), wait);
	}

	stop() {
		clearTimeout(this.timer);
		if (this.control) {
			this.took = Math.max(this.took, performance.now() - this.started);
			this.control.abort();
		}
		this.control = null;
	}

	async start(request) {
		this.stop();
		const control = this.control = new AbortController();
		this.started = performance.now();
		try {
			await this.work(request, control.signal);
		} finally {
			if (this.control === control) {
				this.control = null;
				this.took = performance.now() - this.started;
			}
		}
	}
}
