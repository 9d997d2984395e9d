// svg.test.mjs: a flame graph in a browser, by real input.
import fs from "node:fs";
import path from "node:path";
import { base, draw, equal, folder, near, page, run, test } from "./harness.mjs";

// 100 samples. alpha is on the stack twice in one line: a search must count its value once.
const FOLDED = `main;alpha;beta;alpha 30
main;alpha;gamma 10
main;a_rather_long_name_for_a_function;Read 20
main;a_rather_long_name_for_a_function 20
other;read 15
other;operator-> 5
`;
draw("graph", FOLDED);
draw("icicle", FOLDED, "--inverted");
draw("fixed", FOLDED, "--width", "700");
draw("painted", FOLDED, "--bgcolors", "#ffffee");
draw("classic", FOLDED, "--colors", "hot");
draw("coloured", FOLDED, "--search-color", "#010203", "--uicolor", "#040506");
draw("difference", FOLDED.replace(/ (\d+)$/gm, " 20 $1"));

// The visible state of the page, read in the page itself.
const look = (tab) => tab.evaluate(() => {
	const text = (id) => document.getElementById(id).lastChild.data;
	const shown = (id) => getComputedStyle(document.getElementById(id)).display !== "none";
	const focused = document.activeElement && document.activeElement.querySelector("title");
	const frames = [...document.querySelectorAll("#frames > *")].map((g) => {
		const rect = g.querySelector("rect"), label = g.querySelector("text");
		return {
			name: g.querySelector("title").textContent.replace(/ \([^(]*$/, ""),
			shown: getComputedStyle(g).display !== "none",
			faded: Number(getComputedStyle(g).opacity) < 1,
			match: getComputedStyle(rect).fill === "rgb(238, 75, 238)",
			x: Number(rect.getAttribute("x")), width: Number(rect.getAttribute("width")),
			label: label ? label.textContent : "",
		};
	});
	return {
		frames, details: text("details"), matched: text("matched"), title: text("title"),
		search: text("search"), unzoom: shown("unzoom"),
		focus: focused ? focused.textContent : "",
		query: location.search,
	};
});
const shownNames = (state) => state.frames.filter((f) => f.shown).map((f) => f.name);
const frame = (state, name, nth = 0) => state.frames.filter((f) => f.name === name)[nth];

async function middle(tab, name, nth = 0) {
	return tab.evaluate(([wanted, index]) => {
		const groups = [...document.querySelectorAll("#frames > *")]
			.filter((g) => g.querySelector("title").textContent.startsWith(wanted + " ("));
		const box = groups[index].querySelector("rect").getBoundingClientRect();
		return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
	}, [name, nth]);
}

async function clickFrame(tab, name, nth) {
	const at = await middle(tab, name, nth);
	await tab.mouse.click(at.x, at.y);
}

// Playwright's inputValue() supports only fields of HTML documents.
const typed = (tab) => tab.evaluate(() => document.querySelector("input").value);
const clickText = (tab, id) => tab.click("#" + id);

test("zooms by click: callers faded, the others hidden", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await clickFrame(tab, "beta");
	const now = await look(tab);
	equal(shownNames(now), ["all", "main", "alpha", "beta", "alpha"]);
	equal(now.frames.filter((f) => f.shown && f.faded).map((f) => f.name), ["all", "main", "alpha"]);
	for (const f of now.frames.filter((one) => one.shown)) {
		near(f.x, 10, 0.01, f.name + "'s x");
		near(f.width, 1180, 0.01, f.name + "'s width");
	}
	equal(now.unzoom, true, "reset is offered");
	equal(now.query.replace(/[\d.]+/g, "N"), "?x=N&y=N");
});

test("fits text to its box when zooming", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await tab.setViewportSize({ width: 400, height: 600 });
	await tab.waitForFunction(() => document.querySelector("svg").viewBox.baseVal.width === 400);
	const long = "a_rather_long_name_for_a_function";
	const before = frame(await look(tab), long).label;
	if (!/^a_rather.*\.\.$/.test(before) || before.length >= long.length)
		throw new Error("not cut: " + before);
	await clickFrame(tab, long);
	equal(frame(await look(tab), long).label, long);
	const room = await tab.evaluate(() => [...document.querySelectorAll("#frames > :not(.hide)")]
		.filter((g) => g.querySelector("text") && g.querySelector("text").textContent)
		.every((g) => g.querySelector("text").getComputedTextLength() <=
			Number(g.querySelector("rect").getAttribute("width"))));
	equal(room, true, "texts stay in their boxes");
});

test("resets the zoom by its button and by the root", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	const before = await look(tab);
	await clickFrame(tab, "beta");
	await clickText(tab, "unzoom");
	let now = await look(tab);
	equal(now.frames, before.frames);
	equal(now.unzoom, false);
	equal(now.query, "");
	await clickFrame(tab, "gamma");
	await clickFrame(tab, "all");
	now = await look(tab);
	equal(now.frames.map((f) => [f.name, f.x, f.width]),
		before.frames.map((f) => [f.name, f.x, f.width]));
	equal(now.query, "");
});

test("searches in a field and counts no value twice", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await clickText(tab, "search");
	await tab.keyboard.type("alpha");
	let now = await look(tab);
	equal(now.frames.filter((f) => f.match).map((f) => f.name), ["alpha", "alpha"]);
	equal(now.matched, "Matched: 40.0%");
	equal(now.search, "Reset Search");
	equal(now.query, "?s=alpha");
	await tab.keyboard.press("Enter");
	await clickText(tab, "search");
	now = await look(tab);
	equal(now.frames.some((f) => f.match), false);
	equal(now.search, "Search");
	equal(now.query, "");
	equal(await tab.locator("input").count(), 0, "fields");
});

test("searches names, not the numbers after them", {}, async (tab) => {
	await tab.goto(base + "graph.svg?s=samples");
	equal((await look(tab)).matched, "Matched: 0.0%");
	await tab.goto(base + "graph.svg?s=" + encodeURIComponent("^operator->$"));
	equal((await look(tab)).matched, "Matched: 5.0%");
});

test("counts matches within the view, without what is hidden", {}, async (tab) => {
	await tab.goto(base + "graph.svg?s=alpha");
	equal((await look(tab)).matched, "Matched: 40.0%");
	await clickFrame(tab, "beta");
	equal((await look(tab)).matched, "Matched: 100%");
	await clickText(tab, "unzoom");
	await clickFrame(tab, "gamma");
	equal((await look(tab)).matched, "Matched: 0.0%");
});

test("searches a difference as any other picture", {}, async (tab) => {
	await tab.goto(base + "difference.svg?s=" + encodeURIComponent("^alpha$"));
	const now = await look(tab);
	equal(now.frames.filter((f) => f.match).map((f) => f.name), ["alpha", "alpha"]);
	equal(now.matched, "Matched: 40.0%");
});

test("shows the change of a frame in the details and by its colour, light and dark", {}, async (tab) => {
	for (const colorScheme of ["light", "dark"]) {
		await tab.emulateMedia({ colorScheme });
		await tab.goto(base + "difference.svg");
		const at = await middle(tab, "gamma");
		await tab.mouse.move(at.x, at.y);
		equal((await look(tab)).details,
			"Function: gamma (10 samples, 10.00%; -10, -50.0%; self -10, -50.0%)");
		const fills = await tab.evaluate(() => [...document.querySelectorAll("#frames > *")]
			.map((g) => [g.querySelector("title").textContent.split(" ")[0],
				getComputedStyle(g.querySelector("rect")).fill]));
		const blue = "rgb(88, 144, 244)", red = "rgb(240, 92, 72)", grey = "rgb(228, 228, 226)";
		const fill = (name) => fills.find((one) => one[0] === name)[1];
		equal([fill("gamma"), fill("alpha"), fill("beta")], [blue, grey, red], colorScheme);
	}
});

test("uses the colours that the user chose", {}, async (tab) => {
	for (const colorScheme of ["light", "dark"]) {
		await tab.emulateMedia({ colorScheme });
		await tab.goto(base + "coloured.svg?s=gamma");
		const colours = await tab.evaluate(() => {
			const fill = (selector) => getComputedStyle(document.querySelector(selector)).fill;
			return [fill(".match rect"), fill("#title"), fill("#ignorecase"), fill("#frames text")];
		});
		equal(colours, ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(4, 5, 6)", "rgb(0, 0, 0)"], colorScheme);
	}
});

test("reports an invalid pattern", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await tab.keyboard.press("/");
	await tab.keyboard.type("a(");
	const now = await look(tab);
	equal(now.matched, "Not a regular expression");
	equal(await tab.getAttribute("input", "aria-invalid"), "true");
	equal(now.frames.some((f) => f.match), false);
	await tab.keyboard.type("l)");
	equal((await look(tab)).matched, "Matched: 40.0%");
});

test("ignores case when asked, and keeps that in the address", {}, async (tab) => {
	await tab.goto(base + "graph.svg?s=read");
	equal((await look(tab)).matched, "Matched: 15.0%");
	await clickText(tab, "ignorecase");
	let now = await look(tab);
	equal(now.matched, "Matched: 35.0%");
	equal(now.query, "?s=read&i=1");
	await tab.reload();
	equal((await look(tab)).matched, "Matched: 35.0%");
	await tab.keyboard.press("Control+i");
	now = await look(tab);
	equal(now.matched, "Matched: 15.0%");
	equal(now.query, "?s=read");
});

test("opens the field for Ctrl-F and closes it for Escape", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await tab.keyboard.press("Control+f");
	await tab.keyboard.type("gam");
	equal(await typed(tab), "gam");
	await tab.keyboard.press("Escape");
	equal(await tab.locator("input").count(), 0, "fields");
	equal((await look(tab)).query, "");
});

test("moves by keys: up, down, left, right, in and out", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await tab.keyboard.press("Home");
	const steps = [["ArrowUp", "main (80 "], ["ArrowUp", "a_rather_long_name_for_a_function (40 "],
		["ArrowUp", "Read (20 "], ["ArrowDown", "a_rather"], ["ArrowRight", "alpha (40 "],
		["ArrowRight", "operator-> (5 "], ["ArrowLeft", "alpha (40 "], ["ArrowUp", "beta (30 "],
		["ArrowRight", "gamma (10 "]];
	for (const [key, wanted] of steps) {
		await tab.keyboard.press(key);
		const now = await look(tab);
		if (!now.focus.startsWith(wanted))
			throw new Error(`${key}: on ${now.focus}, expected ${wanted}`);
		equal(now.details.startsWith("Function: " + wanted), true, now.details);
	}
	await tab.keyboard.press("Enter");
	equal(shownNames(await look(tab)), ["all", "main", "alpha", "gamma"]);
	await tab.keyboard.press("Backspace");
	equal(shownNames(await look(tab)), ["all", "main", "alpha", "beta", "alpha", "gamma"]);
	await tab.keyboard.press("Escape");
	equal((await look(tab)).frames.every((f) => f.shown), true);
});

test("moves from match to match", {}, async (tab) => {
	await tab.goto(base + "graph.svg?s=%5E(beta%7Cgamma%7Cread)$");
	await tab.keyboard.press("Home");
	for (const wanted of ["beta", "gamma", "read", "beta"]) {
		await tab.keyboard.press("n");
		equal((await look(tab)).focus.split(" ")[0], wanted);
	}
	await tab.keyboard.press("Shift+N");
	equal((await look(tab)).focus.split(" ")[0], "read");
});

test("reaches everything by Tab", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	const seen = [];
	for (let i = 0; i < 4; i++) {
		await tab.keyboard.press("Tab");
		seen.push(await tab.evaluate(() => document.activeElement.id ||
			document.activeElement.querySelector("title").textContent));
	}
	equal(seen.filter((name) => ["search", "ignorecase"].includes(name)), ["search", "ignorecase"]);
	equal(seen.includes("all (100 samples, 100%)"), true, seen.join());
	await tab.focus("#search");
	await tab.keyboard.press("Enter");
	equal(await tab.locator("input").count(), 1, "fields");
});

test("moves down to callees in icicles", {}, async (tab) => {
	await tab.goto(base + "icicle.svg");
	await tab.keyboard.press("Home");
	await tab.keyboard.press("ArrowDown");
	equal((await look(tab)).focus.split(" ")[0], "main");
	await tab.keyboard.press("ArrowUp");
	equal((await look(tab)).focus.split(" ")[0], "all");
	await clickFrame(tab, "gamma");
	equal(shownNames(await look(tab)), ["all", "main", "alpha", "gamma"]);
});

test("goes back and forward through zooms and searches", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await clickFrame(tab, "alpha");
	await clickFrame(tab, "beta");
	await tab.keyboard.press("/");
	await tab.keyboard.type("beta");
	await tab.keyboard.press("Enter");
	equal((await look(tab)).matched, "Matched: 100%");
	await tab.goBack();
	let now = await look(tab);
	equal([now.search, shownNames(now).length], ["Search", 5]);
	equal(await tab.locator("input").count(), 0, "fields");
	await tab.goBack();
	equal(shownNames(await look(tab)), ["all", "main", "alpha", "beta", "alpha", "gamma"]);
	await tab.goBack();
	now = await look(tab);
	equal([now.frames.every((f) => f.shown), now.unzoom], [true, false]);
	await tab.goForward();
	await tab.goForward();
	await tab.goForward();
	now = await look(tab);
	equal([now.matched, shownNames(now).length], ["Matched: 100%", 5]);
	equal(await typed(tab), "beta");
});

test("restores the state that an address holds", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await clickFrame(tab, "beta");
	await tab.keyboard.press("/");
	await tab.keyboard.type("ALPHA");
	await tab.keyboard.press("Control+i");
	const before = await look(tab);
	await tab.goto("about:blank");
	await tab.goto(base + "graph.svg" + before.query);
	const after = await look(tab);
	equal(after.frames, before.frames);
	equal(after.matched, "Matched: 100%");
	// An address that matches no frame shows all frames.
	await tab.goto(base + "graph.svg?x=7777&y=1");
	equal((await look(tab)).frames.every((f) => f.shown), true);
});

test("accepts addresses of classic graphs: x rounded to a tenth", {}, async (tab) => {
	await tab.goto(base + "classic.svg");
	const y = await tab.evaluate(() => [...document.querySelectorAll("#frames > *")]
		.find((g) => g.querySelector("title").textContent.startsWith("beta"))
		.querySelector("rect").getAttribute("y"));
	await tab.goto(`${base}classic.svg?x=${(10 + 1180 * 0.4).toFixed(1)}&y=${y}`);
	equal(shownNames(await look(tab)), ["all", "main", "alpha", "beta", "alpha"]);
});

const colours = (tab) => tab.evaluate(() => {
	const style = (selector) => getComputedStyle(document.querySelector(selector));
	return {
		behind: style("#background stop").stopColor, title: style("#title").fill,
		label: style("#frames text").fill, opacity: style("#frames rect").fillOpacity,
	};
});

test("is light where light is preferred", { colorScheme: "light" }, async (tab) => {
	await tab.goto(base + "graph.svg");
	equal(await colours(tab), { behind: "rgb(255, 255, 255)", title: "rgb(0, 0, 0)",
		label: "rgb(0, 0, 0)", opacity: "1" });
});

test("is dark where dark is preferred", { colorScheme: "dark" }, async (tab) => {
	await tab.goto(base + "graph.svg");
	equal(await colours(tab), { behind: "rgb(24, 24, 27)", title: "rgb(220, 220, 220)",
		label: "rgb(0, 0, 0)", opacity: "0.86" });
	await tab.goto(base + "painted.svg");
	equal(await colours(tab), { behind: "rgb(255, 255, 238)", title: "rgb(0, 0, 0)",
		label: "rgb(0, 0, 0)", opacity: "1" });
	await tab.goto(base + "graph.svg");
	await tab.emulateMedia({ media: "print" });
	equal((await colours(tab)).behind, "rgb(255, 255, 255)", "on paper");
});

test("prints without controls", {}, async (tab) => {
	await tab.goto(base + "graph.svg?s=alpha");
	await tab.emulateMedia({ media: "print" });
	equal(await tab.evaluate(() => ["search", "ignorecase", "unzoom"].map((id) =>
		getComputedStyle(document.getElementById(id)).display)), ["none", "none", "none"]);
	equal((await look(tab)).matched, "Matched: 40.0%");
});

test("zooms by tap", { hasTouch: true, viewport: { width: 500, height: 800 } }, async (tab) => {
	await tab.goto(base + "graph.svg");
	const at = await middle(tab, "beta");
	await tab.touchscreen.tap(at.x, at.y);
	const now = await look(tab);
	equal(shownNames(now), ["all", "main", "alpha", "beta", "alpha"]);
	equal(now.details, "Function: beta (30 samples, 30.00%)");
});

test("is as wide as its window, unless a width was given", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	for (const width of [600, 1500]) {
		await tab.setViewportSize({ width, height: 700 });
		await tab.waitForFunction((w) =>
			document.querySelector("svg").viewBox.baseVal.width === w, width);
		near(frame(await look(tab), "all").width, width - 20, 0.01, "the root");
		near(frame(await look(tab), "gamma").width, (width - 20) / 10, 0.02, "gamma");
		equal(await tab.evaluate((w) => document.getElementById("ignorecase")
			.getBoundingClientRect().right <= w, width), true, "controls are in the window");
	}
	await tab.goto(base + "fixed.svg");
	near(frame(await look(tab), "all").width, 680, 0.01, "the fixed root");
});

test("stays zoomed when resized", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await clickFrame(tab, "beta");
	await tab.setViewportSize({ width: 800, height: 700 });
	await tab.waitForFunction(() => document.querySelector("svg").viewBox.baseVal.width === 800);
	const now = await look(tab);
	equal(shownNames(now), ["all", "main", "alpha", "beta", "alpha"]);
	near(frame(now, "beta").width, 780, 0.01, "beta");
});

test("describes the frame under the pointer", {}, async (tab) => {
	await tab.goto(base + "graph.svg");
	await clickFrame(tab, "alpha");
	const at = await middle(tab, "gamma");
	await tab.mouse.move(at.x, at.y);
	equal((await look(tab)).details, "Function: gamma (10 samples, 10.00%), 25.0% of the view");
	await tab.mouse.move(5, 5);
	equal((await look(tab)).details, "Function: alpha (40 samples, 40.00%)");
});

const policy = (text) => /Content Security Policy: (.*?) -->/.exec(text)[1];

test("runs under a policy that allows its hashes and nothing else", {}, async (tab) => {
	const text = fs.readFileSync(path.join(folder, "graph.svg"), "utf8");
	page("strict.svg", text, { "Content-Security-Policy": "default-src 'none'; " + policy(text) });
	await tab.goto(base + "strict.svg?s=alpha");
	equal((await look(tab)).matched, "Matched: 40.0%");
	await clickFrame(tab, "beta");
	equal(shownNames(await look(tab)), ["all", "main", "alpha", "beta", "alpha"]);
});

test("stays readable under a policy that forbids the script", { errors: true }, async (tab, errors) => {
	const text = fs.readFileSync(path.join(folder, "graph.svg"), "utf8");
	page("stricter.svg", text, { "Content-Security-Policy":
		"default-src 'none'; " + policy(text).replace(/script-src [^;]*/, "script-src 'none'") });
	await tab.goto(base + "stricter.svg?s=alpha");
	equal(errors.length, 1, "refused scripts");
	const now = await look(tab);
	equal(now.matched, " ");
	equal(now.frames.length, 11);
});

test("is complete without a script", { javaScriptEnabled: false }, async (tab) => {
	await tab.goto(base + "graph.svg");
	// evaluate() belongs to the test, not to the page, so it works without scripts.
	const now = await look(tab);
	equal(now.title, "Flame Graph");
	equal(now.frames.every((f) => f.shown), true);
	equal(frame(now, "a_rather_long_name_for_a_function").label, "a_rather_long_name_for_a_function");
	equal(await tab.evaluate(() => ["search", "ignorecase", "unzoom"].map((id) =>
		getComputedStyle(document.getElementById(id)).display)), ["none", "none", "none"]);
});

// Names of all letters and of wide and narrow ones, in boxes of all widths.
const WORDS = ["_M_realloc_insert_move", "mmmmmmmmmmmmWWWWWWWW", "illllliiiiiittttttffff", "std::vector<Item>::at(size_t)",
	"THE_QUICK_BROWN_FOX_JUMPS", "packet_0123456789_abcdef", "/var/lib/data/blk00012.dat"];
draw("words", WORDS.flatMap((word, i) => [30, 60, 110, 190].map((wide, k) =>
	`${word}_${k};${word}${k} ${wide + i}`)).join("\n"), "--width", "2800");
draw("words-mono", WORDS.flatMap((word, i) => [30, 60, 110, 190].map((wide, k) =>
	`${word}_${k};${word}${k} ${wide + i}`)).join("\n"), "--fonttype", "DejaVu Sans Mono", "--width", "2800");

// The most by which a text exceeds the room after its left margin, and how many texts are cut.
const overflow = (tab, family) => tab.evaluate((font) => {
	if (font)
		document.documentElement.setAttribute("font-family", font);
	const labels = [...document.querySelectorAll("#frames text")];
	return {
		most: Math.max(...labels.map((label) => label.getComputedTextLength() -
			Number(label.parentNode.querySelector("rect").getAttribute("width")) + 3)),
		cut: labels.filter((label) => /\.\.$|^\u2026/.test(label.textContent)).length,
		labels: labels.map((label) => label.textContent),
	};
}, family);

test("keeps names inside their boxes in common fonts, without a script", { javaScriptEnabled: false },
	async (tab) => {
		for (const [name, fonts] of [["words", ["", "DejaVu Sans", "Liberation Sans", "sans-serif"]],
			["words-mono", ["", "DejaVu Sans Mono", "Liberation Mono", "monospace"]]]) {
			await tab.goto(base + name + ".svg");
			for (const font of fonts) {
				const now = await overflow(tab, font);
				equal(now.most <= 0, true, `${name} in ${font || "its own font"}, beyond by ${now.most}`);
				equal(now.cut > 10 && now.labels.length > 40, true, "labels, some of them cut");
			}
		}
	});

test("cuts paths at their start, so that the file's name remains", {}, async (tab) => {
	await tab.goto(base + "words.svg");
	const paths = (await overflow(tab, "")).labels.filter((label) => /blk|dat/.test(label));
	equal(paths.includes("\u2026/blk00012.dat2") && paths.includes("\u202612.dat1"), true,
		paths.join(" "));
	equal(paths.filter((label) => label.endsWith("..")), []);
});

test("works from a file", {}, async (tab) => {
	await tab.goto("file://" + path.join(folder, "graph.svg"));
	await clickFrame(tab, "beta");
	equal((await look(tab)).query.startsWith("?x="), true);
	await tab.goBack();
	equal((await look(tab)).frames.every((f) => f.shown), true);
});

test("works inside a page and leaves the page's keys alone", {}, async (tab) => {
	const text = fs.readFileSync(path.join(folder, "graph.svg"), "utf8").replace(/^<\?xml[^>]*>/, "");
	page("page.html", `<!doctype html><body style="margin:0"><input id="mine">
		<div style="width:640px">${text}</div></body>`);
	await tab.goto(base + "page.html");
	near(frame(await look(tab), "all").width, 620, 0.01, "the root");
	await tab.focus("#mine");
	await tab.keyboard.type("/n");
	equal(await tab.inputValue("#mine"), "/n");
	await clickFrame(tab, "beta");
	equal(shownNames(await look(tab)), ["all", "main", "alpha", "beta", "alpha"]);
	await tab.keyboard.press("Escape");
	equal((await look(tab)).frames.every((f) => f.shown), true);
});

test("works in an <object>, a frame without an address of its own", {}, async (tab) => {
	const text = fs.readFileSync(path.join(folder, "graph.svg"), "utf8");
	const url = "data:image/svg+xml;base64," + Buffer.from(text).toString("base64");
	page("framed.html", `<!doctype html><iframe width="900" height="500" src="${url}"></iframe>`);
	await tab.goto(base + "framed.html");
	const inside = tab.frames()[1];
	await inside.waitForFunction(() => document.querySelector("#search:not(.hide)"));
	await inside.evaluate(() => [...document.querySelectorAll("#frames > *")]
		.find((g) => g.querySelector("title").textContent.startsWith("beta"))
		.dispatchEvent(new MouseEvent("click", { bubbles: true })));
	equal(shownNames(await look(inside)), ["all", "main", "alpha", "beta", "alpha"]);
});

await run();
