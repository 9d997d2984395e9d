// texts.mjs: what are the names in the server's tables, and in which shade are they drawn?
import { shadeOf } from "./colours.mjs";

// Strings one behind another, decoded when they are asked for.
export class Texts {
	constructor(ends, bytes) {
		this.ends = ends;
		this.bytes = bytes;
		this.count = ends.length;
		this.made = new Array(ends.length);
		this.shades = new Int8Array(ends.length).fill(-1);
		this.decoder = new TextDecoder();
	}

	at(id) {
		if (this.made[id] === undefined)
			this.made[id] = this.decoder.decode(
				this.bytes.subarray(id ? this.ends[id - 1] : 0, this.ends[id]));
		return this.made[id];
	}

	shade(id) {
		if (this.shades[id] < 0)
			this.shades[id] = shadeOf(this.at(id));
		return this.shades[id];
	}

	// Which match, or null when there is nothing to search for.
	matches(pattern) {
		if (!pattern)
			return null;
		const found = new Uint8Array(this.count);
		for (let id = 0; id < found.length; id++)
			found[id] = pattern.test(this.at(id)) ? 1 : 0;
		return found;
	}
}
