// lanes.mjs: how do many threads fit into few rows, and long labels into little room?

export const MAX_LANES = 20; // of threads: the rest is one

// NAME-PID/TID: where there is no room for all of it the name gives way, not which thread it is.
export function fitLane(letters, label, room) {
	const slash = label.lastIndexOf("/"), tail = slash < 0 ? "" : label.slice(slash);
	let used = 0;
	for (const letter of tail)
		used += letters.widthOf(letter);
	return letters.fitStart(slash < 0 ? label : label.slice(0, slash), room - used) + tail;
}

// Of the lanes of many threads the last ones become one.
export function foldLanes(value, {rows, labels, columns_count: columns}) {
	const most = MAX_LANES;
	if (!labels || !labels.length)
		return {value, labels: null};
	if (rows <= most || labels[0].startsWith("CPU "))
		return {value, labels};
	const folded = new Float64Array(columns * most);
	for (let i = 0; i < value.length; i++)
		folded[Math.floor(i / rows) * most + Math.min(i % rows, most - 1)] += value[i];
	return {value: folded, labels: [...labels.slice(0, most - 1), rows - most + 1 + " others"]};
}
