// looking.mjs: what the page of kiln view shows, and a hand on it.

// How often is looked before something never comes. Not a time: a machine may stand still for a while.
export const LOOKS = 1000;

export const look = (tab) => tab.evaluate(() => window.kilnView ? window.kilnView.state() : null);

// The state when it is as `what` says: the page's policy lets nobody evaluate text in it.
export async function until(tab, what, ready) {
	let state = null;
	for (let i = 0; i < LOOKS; i++, await tab.waitForTimeout(30)) {
		state = await look(tab);
		if (state && ready(state))
			return state;
	}
	if (state)
		state = { ...state, tree: null, top: null, chart: null, heatmap: null };
	throw new Error("never " + what + ": " + JSON.stringify(state));
}

export const still = (state) => state.tree && state.heatmap && !state.waiting;
export const painted = (tab) => tab.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
// All answers are there, and drawn.
export async function settled(tab) {
	await until(tab, "still", still);
	await painted(tab);
	return until(tab, "still", still);
}

// Where a time (ns from the first sample) is on the heat map; `up`: how far up its column.
export function placeOf(state, time, up) {
	const { place, columns, column, offset } = state.heatmap;
	const at = Math.floor((time - offset) / column);
	return [place.x + (at + 0.5) * place.width / columns, place.y + place.height * (1 - up)];
}

export async function drag(tab, from, to) {
	await tab.mouse.move(...from);
	await tab.mouse.down();
	await tab.mouse.move(...to, { steps: 8 });
	await tab.mouse.up();
}

export const boxOf = (state, name) => {
	const boxes = state.tree.boxes.filter((box) => box.name === name && !box.faded);
	return boxes.sort((a, b) => b.width - a.width)[0];
};
export const middleOf = (box) => [box.x + box.width / 2, box.y + box.height / 2];

export async function menu(tab, name, item) {
	await tab.mouse.click(...middleOf(boxOf(await look(tab), name)), { button: "right" });
	await tab.getByRole("menuitem", { name: item }).click();
	return settled(tab);
}
