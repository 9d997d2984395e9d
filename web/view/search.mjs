// search.mjs: what is searched for?
//
// The pattern is the same object while the text is the same, so results can be cached with it.
import { forServer, patternOf } from "./pattern.mjs";

export class Search {
	constructor() {
		this.pattern = null; // null: nothing
		this.serverPattern = ""; // the same, in the server's syntax
		this.bad = ""; // what is wrong with what was typed
		this.made = "";
	}

	set({search, ignore}) {
		if (this.made === ignore + search)
			return;
		this.made = ignore + search;
		this.bad = "";
		try {
			this.pattern = patternOf(search, ignore);
			this.serverPattern = this.pattern ? forServer(search, ignore) : "";
		} catch (notAPattern) {
			this.pattern = null;
			this.serverPattern = "";
			this.bad = notAPattern.message;
		}
	}
}
