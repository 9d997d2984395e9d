// canvas.mjs: how does a canvas follow the size of its element, the pixel ratio of the screen and the theme?

// Sets the canvas to width x height CSS pixels; returns a context in which one unit is one of them.
export function contextOf(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	const context = canvas.getContext("2d");
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}

// A colour of the style sheet, for the current theme: "--name".
export function styleOf(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function isDark() {
	return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

// Resolves when what was drawn is on the screen, or the page is hidden.
export function seen() {
	return new Promise((go) => {
		requestAnimationFrame(() => setTimeout(go));
		setTimeout(go, 100);
	});
}

// Calls draw() once before the next picture, however often it is called; its now() draws at once if a call is pending.
export function onceAFrame(draw) {
	let frame = 0; // the pending request
	const now = () => {
		if (!frame)
			return;
		cancelAnimationFrame(frame);
		frame = 0;
		draw();
	};
	return Object.assign(() => {
		frame = frame || requestAnimationFrame(now);
	}, {now});
}
