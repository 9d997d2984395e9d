// search.mjs: what is searched for?
//
// The pattern is the same object while the text is the same, so results can be cached with it.
import { forServer, patternOf } from "./pattern.mjs";

export class Search {
	constructor() {
		this.pattern = null; // null: nothing
		this.asked = ""; // the same for the server
		this.bad = ""; // what is wrong with what was typed
		this.made = "";
	}

	become({search, ignore}) {
		if (this.made === ignore + search)
			return;
		this.made = ignore + search;
		this.bad = "";
		try {
			this.pattern = patternOf(search, ignore);
			this.asked = this.pattern ? forServer(search, ignore) : "";
		} catch (notAPattern) {
			this.pattern = null;
			this.asked = "";
			this.bad = notAPattern.message;
		}
	}
}
