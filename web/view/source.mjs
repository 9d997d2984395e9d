// source.mjs: what do the lines and instructions of a function cost?

const CONTEXT_LINES = 12, MAX_LINES = 3000; // around the lines of the function, and in all

const none = {self: 0, total: 0};

// Instructions as {at, text, line, file, self, total}: what was sampled within one is its own. code: the
// server's; places: [address, self, total]s of the profile, those that are elsewhere sum up in `elsewhere`.
// most: what the function costs; no instruction costs more.
export function instructionsOf(code, places, most) {
	let file = "";
	const rows = code.instructions.map(([at, text, line, named]) => {
		file = named || file;
		return {at, text, line, file, ...none};
	});
	const elsewhere = {...none};
	let at = 0;
	for (const [address, self, total] of places) {
		const wanted = address + code.shift;
		while (at + 1 < rows.length && rows[at + 1].at <= wanted)
			at++;
		const inside = rows.length && wanted >= rows[0].at && wanted < code.end;
		const row = inside ? rows[at] : elsewhere;
		row.self += self;
		row.total = Math.min(row.total + total, most);
	}
	return {rows, elsewhere};
}

// The same without disassembly: only the sampled addresses.
export function addressesOf(places) {
	return places.map(([at, self, total]) => ({at, text: "", file: "", line: 0, self, total}));
}

// The cost of each line of each file, {file: {line: {self, total}}}: from the profile's line numbers, or, without
// those, from those of the instructions. No line costs more than the function.
export function linesOf(costs, rows) {
	const files = new Map();
	const add = (file, line, self, total) => {
		if (!file || !line)
			return;
		const lines = files.get(file) || files.set(file, new Map()).get(file);
		const cost = lines.get(line) || {...none};
		lines.set(line, {self: cost.self + self, total: Math.min(cost.total + total, costs.total)});
	};
	for (const {file, lines} of costs.files)
		for (const [line, self, total] of lines)
			add(file, line, self, total);
	if (!files.size)
		for (const {file, line, self, total} of rows)
			add(file, line, self, total);
	return files;
}

// ---- Of two sides: each cost has what it was `before`, beside what it is ----

const joined = (before = none, after = none) => ({...after, before});

export function joinedFiles(before, after) {
	const files = new Map();
	for (const file of new Set([...after.keys(), ...before.keys()])) {
		const [was, is] = [before, after].map((each) => each.get(file) || new Map());
		files.set(file, new Map([...new Set([...was.keys(), ...is.keys()])].map((line) => [line, joined(was.get(line), is.get(line))])));
	}
	return files;
}

// Instructions of one binary.
export function joinedRows(before, after) {
	const was = new Map(before.map((row) => [row.at, row])), is = new Map(after.map((row) => [row.at, row]));
	return [...new Set([...is.keys(), ...was.keys()])].sort((a, b) => a - b).map((at) => {
		const [a, b] = [was.get(at), is.get(at)], cost = ({self, total} = none) => ({self, total});
		return {...(b || a), ...joined(cost(a), cost(b))};
	});
}

// Files, the most expensive one first.
export function filesInOrder(files) {
	const sum = (lines) => [...lines.values()].reduce((all, {self, total, before = none}) =>
		all + self + total + before.self + before.total, 0);
	return [...files].map(([file, lines]) => [file, sum(lines)]).sort((a, b) => b[1] - a[1]).map(([file]) => file);
}

// The rows of a file that are shown: [{line, text, self, total}], those of the function and around them.
export function rowsOf(text, lines) {
	const numbers = [...lines.keys()], texts = text === null ? null : text.split("\n");
	if (!texts)
		return numbers.sort((a, b) => a - b).map((line) => ({line, text: "", ...lines.get(line)}));
	const least = numbers.reduce((a, b) => Math.min(a, b), Infinity), most = Math.max(...numbers.slice(0, 10000));
	const from = Math.max(1, least - CONTEXT_LINES);
	const to = Math.min(texts.length, most + CONTEXT_LINES, from + MAX_LINES - 1);
	const rows = [];
	for (let line = from; line <= to; line++)
		rows.push({line, text: texts[line - 1], ...(lines.get(line) || none)});
	return rows;
}
