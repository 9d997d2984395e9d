// menu.mjs: how is a menu opened and used by pointer and keys?

export class Menu {
	constructor(list) {
		this.list = list;
		this.back = null; // what had the focus
		list.addEventListener("keydown", (event) => this.key(event));
		list.addEventListener("click", (event) => {
			const item = event.target.closest("[role=menuitem]");
			if (item)
				this.choose(item);
		});
		document.addEventListener("pointerdown", (event) => {
			if (!list.hidden && !list.contains(event.target))
				this.close();
		});
	}

	// items: [{text, act}]; null is a separator.
	open(heading, items, x, y) {
		this.back = document.activeElement;
		this.acts = new Map();
		this.list.replaceChildren(...items.map((item) => this.element(item)));
		this.list.setAttribute("aria-label", heading);
		this.list.hidden = false;
		const place = this.list.getBoundingClientRect();
		const fit = (at, size, room) => Math.max(4, Math.min(at, room - size - 4));
		this.list.style.left = fit(x, place.width, window.innerWidth) + "px";
		this.list.style.top = fit(y, place.height, window.innerHeight) + "px";
		this.items()[0].focus();
	}

	element(item) {
		const element = document.createElement("li");
		element.setAttribute("role", item ? "menuitem" : "separator");
		if (item) {
			element.tabIndex = -1;
			element.textContent = item.text;
			this.acts.set(element, item.act);
		}
		return element;
	}

	items() {
		return [...this.list.querySelectorAll("[role=menuitem]")];
	}

	isOpen() {
		return !this.list.hidden;
	}

	close() {
		if (this.list.hidden)
			return;
		this.list.hidden = true;
		if (this.back && this.back.isConnected)
			this.back.focus({preventScroll: true});
	}

	choose(item) {
		this.close();
		this.acts.get(item)();
	}

	key(event) {
		const items = this.items(), at = items.indexOf(document.activeElement);
		const step = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1}[event.key];
		if (step !== undefined)
			items[(step + items.length) % items.length].focus();
		else if (event.key === "Enter" || event.key === " ")
			this.choose(document.activeElement);
		else if (event.key === "Escape" || event.key === "Tab")
			this.close();
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}
}
