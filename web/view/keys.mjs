// keys.mjs: when does a key trigger an action of the page?

const FIELDS = "input, select, textarea, dialog, [role=menu]";

// everywhere: actions by key; own(): those of the focused pane, which come first. No actions while !isReady().
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
