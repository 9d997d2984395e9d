// keys.mjs: when is a key an action of the page?

const FIELDS = "input, select, textarea, dialog, [role=menu]";

// everywhere: actions by the key's name; own(): those that go before them now. None while !isReady().
export function listenToKeys({everywhere, own, isReady}) {
	document.addEventListener("keydown", (event) => {
		if (!isReady() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
			return;
		const field = event.target.closest(FIELDS);
		if (field && event.key !== "Escape")
			return;
		if (field && field.matches("dialog, [role=menu]"))
			return;
		const action = own()[event.key] || everywhere[event.key];
		if (!action)
			return;
		event.preventDefault();
		action(event);
	});
}
