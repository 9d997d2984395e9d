// address.mjs: when does the page's address say what is looked at?
//
// To change it takes a browser some ms in which nothing is drawn: the picture comes first.
import { seen } from "./canvas.mjs";
import { hashOf, parseHash } from "./query.mjs";

export class Address {
	// onOther(state): it has become another one by other means than ours.
	constructor(onOther) {
		this.due = null; // {state, how}
		window.addEventListener("pagehide", () => this.settle());
		window.addEventListener("popstate", () => {
			this.due = null;
			onOther(this.state());
		});
	}

	state() {
		this.settle();
		return parseHash(location.hash);
	}

	// how: "push" when "back" is to undo it, or "replace".
	become(state, how) {
		this.settle(); // each is undone by itself
		this.due = {state, how};
		seen().then(() => this.settle());
	}

	settle() {
		if (!this.due)
			return;
		const {state, how} = this.due, hash = hashOf(state);
		this.due = null;
		if (how === "push" || hash !== location.hash)
			history[how + "State"](null, "", hash || location.pathname + location.search);
	}
}
