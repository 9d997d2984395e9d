// frames.mjs: which names and colours do frames in the server's tables have?
import { shadeOf, shadesOf } from "./colours.mjs";

// Concatenated strings, decoded on demand.
class Texts {
	constructor(ends, bytes) {
		this.ends = ends;
		this.bytes = bytes;
		this.made = new Array(ends.length);
		this.shades = new Int8Array(ends.length).fill(-1);
		this.decoder = new TextDecoder();
		this.ascii = null; // all of them, where each byte is a letter; null: not decoded yet
	}

	at(id) {
		if (this.made[id] === undefined)
			this.made[id] = this.make(id ? this.ends[id - 1] : 0, this.ends[id]);
		return this.made[id];
	}

	make(from, to) {
		return this.ascii ? this.ascii.slice(from, to) : this.decoder.decode(this.bytes.subarray(from, to));
	}

	// Decode all strings at once, which is ten times as fast as one by one.
	expectAll() {
		if (this.ascii !== null)
			return;
		const all = this.decoder.decode(this.bytes);
		this.ascii = all.length === this.bytes.length ? all : "";
	}

	shade(id) {
		if (this.shades[id] < 0)
			this.shades[id] = shadeOf(this.bytes, id ? this.ends[id - 1] : 0, this.ends[id]);
		return this.shades[id];
	}
}

export class Frames {
	constructor({header, columns}) {
		this.names = columns.frame_name;
		this.modules = columns.frame_module;
		this.kind = columns.frame_kind;
		this.kinds = header.kinds;
		this.families = header.kinds.map(shadesOf);
		this.texts = new Texts(columns.string_end, columns.strings);
	}

	name(frame) {
		return this.texts.at(this.names[frame]);
	}

	module(frame) {
		return this.texts.at(this.modules[frame]);
	}

	kindName(frame) {
		return this.kinds[this.kind[frame]] || "";
	}

	colour(frame) {
		return this.families[this.kind[frame]][this.texts.shade(this.names[frame])];
	}

	// Which frames match; null: no search. Each name is tested once.
	matches(pattern) {
		if (!pattern)
			return null;
		const {names, texts} = this, byName = new Int8Array(texts.made.length).fill(-1);
		texts.expectAll();
		const found = new Uint8Array(names.length);
		for (let frame = 0; frame < found.length; frame++) {
			const name = names[frame];
			if (byName[name] < 0)
				byName[name] = pattern.test(texts.at(name)) ? 1 : 0;
			found[frame] = byName[name];
		}
		return found;
	}
}
