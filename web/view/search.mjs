// search.mjs: what is searched for?
//
// A pattern stays the same object while the text is: what was found by it can be kept with it.

export class Search {
	constructor() {
		this.pattern = null; // null: nothing
		this.bad = false; // what was typed is no expression
		this.made = "";
	}

	become({search, ignore}) {
		if (this.made === ignore + search)
			return;
		this.made = ignore + search;
		this.bad = false;
		try {
			this.pattern = patternOf(search, ignore);
		} catch (notAPattern) {
			this.pattern = null;
			this.bad = true;
		}
	}
}

// A regular expression as people type it; throws when it is none.
function patternOf(text, ignore) {
	if (!text)
		return null;
	try {
		return new RegExp(text, ignore ? "iu" : "u");
	} catch (notWithUnicodeRules) {
		return new RegExp(text, ignore ? "i" : "");
	}
}

// An expression that matches this name only, for us and for the server.
export function exactly(name) {
	return "^" + name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";
}
