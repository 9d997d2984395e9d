// numbers.mjs: how are values, percentages and times formatted, and times parsed?

const SCALES = {
	ns: [[3600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]],
	bytes: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]]
};

// A unit as the server names it, {name, decimals}: "count/100" has values of which 675 means 6.75.
export function parseUnit(text, decimals) {
	const parts = /^(.*)\/1(0*)$/.exec(text);
	return {name: parts ? parts[1] : text, decimals: decimals || (parts ? parts[2].length : 0)};
}

// Are values written with a scaled unit, as "1.2 ms"?
export const isScaled = (unit) => unit.name in SCALES;

// value: how many of it, for the singular.
export const unitName = (unit, value = 0) => unit.name !== "count" ? unit.name : value === 10 ** unit.decimals ? "sample" : "samples";

// Like toLocaleString("en-US"), whose first call takes a browser 20 ms.
export function grouped(value, unit) {
	const [whole, rest = ""] = (value / 10 ** unit.decimals).toFixed(unit.decimals).split(".");
	const said = rest.replace(/0+$/, "");
	return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (said && "." + said);
}

// Three significant digits where the unit is scaled, all digits in groups where it is not.
export function human(value, unit) {
	if (!value)
		return "0";
	if (!isScaled(unit))
		return grouped(value, unit) + " " + unitName(unit, value);
	const scales = SCALES[unit.name], one = 10 ** unit.decimals;
	const magnitude = Math.abs(value / one);
	const [size, name] = scales.find(([each]) => magnitude >= each) || scales[scales.length - 1];
	const scaled = value / one / size;
	const digits = size === 1 || Math.abs(scaled) >= 100 ? 0 : Math.abs(scaled) < 10 ? 2 : 1;
	return scaled.toFixed(digits) + " " + name;
}

// Without "%". Shares below the whole never read "100", and shares above nothing never read "0.00".
export function percent(part, whole, digits = 2) {
	if (!whole || !part)
		return (0).toFixed(digits);
	const share = 100 * part / whole, least = 10 ** -digits;
	if (share > 0 && share < least)
		return "<" + least.toFixed(digits);
	if (share < 100 && share > 100 - least)
		return (100 - least).toFixed(digits);
	return share.toFixed(share === 100 ? 0 : digits);
}

// Nanoseconds as seconds without trailing zeros: 2500000000 is "2.5".
export function seconds(ns) {
	const whole = Math.floor(Math.abs(ns) / 1e9);
	const rest = String(Math.abs(ns) - whole * 1e9).padStart(9, "0").replace(/0+$/, "");
	return (ns < 0 ? "-" : "") + whole + (rest ? "." + rest : "");
}

export function duration(ns) {
	return human(ns, {name: "ns", decimals: 0});
}

// The smallest round step of which at most `most` fit into a span.
export function roundStep(span, most) {
	for (let power = 1; ; power *= 10)
		for (const digit of [1, 2, 5])
			if (span / (digit * power) <= Math.max(most, 1))
				return digit * power;
}

const UNITS = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9, "": 1e9};

// Parse a time as the commands do ("2.5", "300ms", "@1234.5" on the samples' clock): ns from the first sample, which
// is at `first` (ns) on that clock. NaN: invalid.
export function parseTime(text, first) {
	const parts = /^(@?)(\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(ns|us|ms|s|m|h|)$/i.exec(text.trim());
	if (!parts)
		return NaN;
	return Math.round(Number(parts[2]) * UNITS[parts[3]]) - (parts[1] ? first : 0);
}

// Parse "FROM..TO": {from, to} in ns from the first sample; open ends are null. Returns null if it is invalid.
export function parseRange(text, first) {
	const dots = text.indexOf("..");
	if (dots < 0)
		return null;
	const end = (part) => part.trim() ? parseTime(part, first) : null;
	const from = end(text.slice(0, dots)), to = end(text.slice(dots + 2));
	if (Number.isNaN(from) || Number.isNaN(to))
		return null;
	return {from, to};
}
