// served.mjs: what has a page only where kiln view serves it? The list of all profiles, files that are dropped on
// it, and the file on disk, which may change.
//
// A page that is one file has ../offline/alone.mjs in place of this.
import { byId } from "./controls.mjs";
import { listenToDrops } from "./drop.mjs";
import { hashOf, START } from "./query.mjs";
import { answer } from "./server.mjs";

const EVERY = 5000; // ms from one look at the file to the next

// What has become of the files that are shown since they were listed last: "" is nothing.
async function news(page) {
	const {shown, state: {profile, before}} = page, old = shown.profiles;
	shown.profiles = JSON.parse(new TextDecoder().decode(await answer("profiles")));
	const names = [profile || old[0].name, before], of = (list, name) => list.find((each) => each.name === name);
	const pairs = names.map((name) => [of(old, name), of(shown.profiles, name)]).filter(([was, is]) => was && is);
	return pairs.some(([was, is]) => is.gone && !was.gone) ? "gone" :
		pairs.some(([was, is]) => !is.gone && is.version !== was.version) ? "changed" : "";
}

async function look(page) {
	const what = await news(page);
	if (what === "changed")
		await page.renew("the file has changed: this is what it is now");
	else if (what === "gone")
		page.say("the file is gone: this is what was read of it");
}

export function follow(page) {
	byId("all").hidden = false;
	listenToDrops((name) => location.hash = hashOf({...START, profile: name}), (...words) => page.say(...words));
	setInterval(() => {
		if (!document.hidden && page.isReady())
			look(page).catch(() => {}); // whoever asks next is told
	}, EVERY);
}
