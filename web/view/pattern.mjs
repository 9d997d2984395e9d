// pattern.mjs: which names does a regular expression match, here as in the commands?
//
// Commands match by PCRE2. What is written here is what it and JavaScript both have, with PCRE2's meaning;
// the rest is refused, so that no expression finds one thing here and another one there. Cases that both
// are held to: tests/support/patterns.json.

// \s as PCRE2 has it, without Unicode's blanks, for the inside of a class.
const BLANKS = "\\t-\\r ";
const SHARED = {d: "\\d", D: "\\D", w: "\\w", W: "\\W", b: "\\b", B: "\\B", n: "\\n", r: "\\r", t: "\\t",
	f: "\\f", s: "[" + BLANKS + "]", S: "[^" + BLANKS + "]"};
const IN_CLASS = {...SHARED, s: BLANKS, b: null, B: null, S: null};

// What follows a backslash, at the start of `text`: [how much of the text it is, what it becomes].
function escape(text, shared) {
	const letter = String.fromCodePoint(text.codePointAt(0) || 0);
	const hex = /^x[0-9A-Fa-f]{2}/.exec(text);
	if (hex)
		return [hex[0].length, "\\" + hex[0]];
	if (/[0-9A-Za-z]/.test(letter) || !text) {
		if (!shared[letter])
			throw new SyntaxError("\\" + text.slice(0, 1) + " is not supported");
		return [1, shared[letter]];
	}
	return [letter.length, /[\^$\\.*+?()[\]{}|/-]/.test(letter) ? plain(letter) : letter];
}

const plain = (letter) => letter === "-" ? "\\x2d" : "\\" + letter;

// The class that begins `text`.
function readClass(text) {
	const open = text.startsWith("[^") ? "[^" : "[";
	let made = open;
	if (text[open.length] === "]")
		throw new SyntaxError("write ] at the start of a class as \\]");
	for (let at = open.length; at < text.length;) {
		if (text[at] === "]")
			return [at + 1, made + "]"];
		if (/^\[[:.=]/.test(text.slice(at)))
			throw new SyntaxError(text.slice(at, at + 2) + " is not supported");
		const [length, part] = text[at] === "\\" ? escape(text.slice(at + 1), IN_CLASS) : [0, text[at]];
		made += part;
		at += 1 + length;
	}
	throw new SyntaxError("missing ]");
}

// What begins `text`, as escape answers.
function readPart(text) {
	const count = /^\{\d+(?:,\d*)?\}/.exec(text), group = /^\((?:\?(?:[:=!]|$)|(?!\?))/.exec(text);
	if (count)
		return [count[0].length, count[0]];
	switch (text[0]) {
	case "\\": {
		const [length, part] = escape(text.slice(1), SHARED);
		return [length + 1, part];
	}
	case "[": return readClass(text);
	case ".": return [1, "[^\\n]"];
	case "]": case "}": return [1, "\\" + text[0]];
	case "{":
		if (/^\{\s*[\d,]/.test(text))
			throw new SyntaxError("write { before a number as \\{");
		return [1, "\\{"];
	case "(":
		if (!group)
			throw new SyntaxError(text.slice(0, 3) + " is not supported");
		return [group[0].length, group[0]];
	default: return [1, text[0]];
	}
}

// A regular expression as people type it, or null for none. Throws a SyntaxError when it is none of those
// that are shared.
export function patternOf(text, ignore) {
	let made = "";
	for (let at = 0; at < text.length;) {
		const [length, part] = readPart(text.slice(at));
		made += part;
		at += length;
	}
	return text ? new RegExp(made, ignore ? "iu" : "u") : null;
}

// The same for the server.
export const forServer = (text, ignore) => (ignore ? "(?i)" : "") + text;

// An expression that matches this name only, for us and for the server.
export function exactly(name) {
	return "^" + name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";
}

// The name that an expression of exactly() matches; any other expression as it is.
export function nameOf(expression) {
	const name = expression.slice(1, -1).replace(/\\([\\^$.*+?()[\]{}|])/g, "$1");
	return expression === exactly(name) ? name : expression;
}
