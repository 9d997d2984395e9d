// keys.mjs: which key does what?

const FIELDS = "input, select, textarea, dialog, [role=menu]";

// everywhere and graph: actions by the key's name; the latter's hold while the graph has the focus.
export function listenToKeys({everywhere, graph, isGraph, isReady}) {
	document.addEventListener("keydown", (event) => {
		if (!isReady() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
			return;
		const field = event.target.closest(FIELDS);
		if (field && event.key !== "Escape")
			return;
		if (field && field.matches("dialog, [role=menu]"))
			return;
		const own = isGraph() && graph[event.key];
		const action = own || everywhere[event.key];
		if (!action)
			return;
		event.preventDefault();
		action(event);
	});
}
