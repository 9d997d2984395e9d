// change.mjs: how is a change of a value written? As in `kiln diff`.
import { human } from "./numbers.mjs";

export const changeOf = (before, after, scale) =>
	after - (scale === 1 ? before : Math.round(before * scale));

// "+12.3%", "new", "gone", "0%".
export function changePercent(before, after, scale) {
	if (!before || !after)
		return after ? "new" : before ? "gone" : "0%";
	const from = before * scale, percent = (after - from) / Math.abs(from) * 100, size = Math.abs(percent);
	if (size < 0.05)
		return "0%";
	return (percent > 0 ? "+" : "") + percent.toFixed(size < 99.95 ? 1 : 0) + "%";
}

// "+190 ms", "-15", "0".
export function changeValue(change, unit, write = human) {
	return (change > 0 ? "+" : "") + write(change, unit);
}

// The factor that scales before's values for the comparison: after's total by before's if they are normalized.
export const scaleOf = (before, after, normalise) =>
	normalise && before > 0 && after > 0 ? after / before : 1;
