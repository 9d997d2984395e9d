// page.mjs: the start page: the list of profiles, kept up to date.
import { askJson } from "../view/ask.mjs";
import { listenToDrops } from "../view/drop.mjs";
import { hashOf, DEFAULTS } from "../view/query.mjs";
import { List } from "./list.mjs";

const EVERY = 3000; // ms between requests for the list
const byId = (id) => document.getElementById(id);

const list = new List(byId("list"), byId("empty"));
let wrong = "";

function showStatus(text, isWrong) {
	byId("status").textContent = text;
	byId("status").classList.toggle("wrong", Boolean(isWrong));
	wrong = isWrong ? text : "";
}

async function refresh() {
	try {
		const profiles = await askJson("profiles");
		const folders = [...new Set(profiles.map((each) => each.folder).filter((each) => each))];
		byId("folders").textContent = folders.join(", ");
		const changes = list.take(profiles);
		if (changes || wrong)
			showStatus(changes);
	} catch (error) {
		showStatus(error.message, true);
	}
}

byId("filter").addEventListener("input", () => list.filter(byId("filter").value));
document.addEventListener("keydown", (event) => {
	if (event.key === "/" && document.activeElement !== byId("filter")) {
		event.preventDefault();
		byId("filter").focus();
	} else if (event.key === "Escape" && document.activeElement === byId("filter")) {
		byId("filter").value = "";
		list.filter("");
	}
});
listenToDrops((name) => location.assign("view" + hashOf({...DEFAULTS, profile: name})), showStatus, byId("open"));
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => list.themeChanged());
document.addEventListener("visibilitychange", () => document.hidden || refresh());
setInterval(() => document.hidden || refresh(), EVERY);
refresh().then(() => window.kilnStart = {state: () => list.state()});
