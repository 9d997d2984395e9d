// letters.mjs: how much of a name fits into a box?

// Widths of letters in the context's font, measured once each.
export class Letters {
	constructor(context) {
		this.context = context;
		this.advance = new Map();
		this.least = 3 * this.widthOf("x"); // less has no room for a part of a name
	}

	widthOf(letter) {
		let wide = this.advance.get(letter);
		if (wide === undefined) {
			wide = this.context.measureText(letter).width;
			this.advance.set(letter, wide);
		}
		return wide;
	}

	// `text`; if it does not fit, its start and ".."; "" if there is no room for that. Paths are shortened at the
	// start, at a slash if possible: the file name matters most.
	fit(text, room) {
		return text[0] === "/" ? this.fitEnd(text, room) : this.fitStart(text, room);
	}

	fitStart(text, room) {
		const dots = 2 * this.widthOf(".");
		let used = 0, at = 0, keep = 0;
		for (const letter of text) {
			used += this.widthOf(letter);
			if (used > room)
				return keep && room >= this.least ? text.slice(0, keep) + ".." : "";
			at += letter.length;
			if (used + dots <= room)
				keep = at;
		}
		return text;
	}

	fitEnd(path, room) {
		let used = 0, at = 0;
		for (const letter of path)
			used += this.widthOf(letter);
		if (used <= room)
			return path;
		if (room < this.least)
			return "";
		used += this.widthOf("\u2026");
		for (const letter of path) {
			if (used <= room)
				break;
			used -= this.widthOf(letter);
			at += letter.length;
		}
		const slash = path.indexOf("/", at);
		return at < path.length ? "\u2026" + path.slice(slash < 0 ? at : slash) : "";
	}
}
