// ask.mjs: what is asked, how often, and what becomes of answers that nobody waits for?
import { parseColumns } from "./columns.mjs";
import { answer, first } from "./server.mjs";

export const counts = {asked: 0, aborted: 0, waiting: 0};

const expected = new Map(); // promises of answers, by their addresses

// Ask at once for what somebody will ask for, once; how: the server.
export function expect(address, how = answer) {
	const promise = how(address);
	promise.catch(() => {}); // who asks is told
	expected.set(address, promise);
}

function take(address) {
	const promise = expected.get(address);
	expected.delete(address);
	return promise;
}

async function ask(address, signal) {
	counts.asked++;
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

// What a page asks before all else.
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

// Work of which only the latest counts: when more is wanted, the older is aborted. `gap` (ms) is the
// least time from start to start; where work takes longer it is stretched, so that a slow server is
// still heard from while a drag goes on.
export class Latest {
	constructor(work, gap) {
		this.work = work; // (wanted, signal) => Promise, which shows what it got
		this.gap = gap;
		this.took = 0;
		this.started = -Infinity;
		this.timer = 0;
		this.control = null;
	}

	// hurry: do not keep to the gap: this is where a drag has ended, or a click.
	want(wanted, hurry) {
		const wait = this.started + Math.max(this.gap, 1.1 * this.took) - performance.now();
		clearTimeout(this.timer);
		if (hurry || wait <= 0)
			this.start(wanted);
		else
			this.timer = setTimeout(() => this.start(wanted), wait);
	}

	stop() {
		clearTimeout(this.timer);
		if (this.control) {
			this.took = Math.max(this.took, performance.now() - this.started);
			this.control.abort();
		}
		this.control = null;
	}

	async start(wanted) {
		this.stop();
		const control = this.control = new AbortController();
		this.started = performance.now();
		try {
			await this.work(wanted, control.signal);
		} finally {
			if (this.control === control) {
				this.control = null;
				this.took = performance.now() - this.started;
			}
		}
	}
}
