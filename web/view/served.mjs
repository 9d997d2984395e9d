// served.mjs: what has a page only where kiln view serves it? The list of all profiles, files that are dropped on
// it, and the file on disk, which may change.
//
// A page that is one file has ../offline/alone.mjs in place of this.
import { byId } from "./controls.mjs";
import { listenToDrops } from "./drop.mjs";
import { hashOf, START } from "./query.mjs";
import { answer } from "./server.mjs";

const EVERY = 5000; // ms from one look at the file to the next

// Of the files that are shown: is one gone, and has one changed since they were listed last?
async function news(page) {
	const {shown, state: {profile, before}} = page, old = shown.profiles;
	shown.profiles = JSON.parse(new TextDecoder().decode(await answer("profiles")));
	const names = [profile || old[0].name, before], of = (list, name) => list.find((each) => each.name === name);
	const pairs = names.map((name) => [of(old, name), of(shown.profiles, name)]).filter(([was, is]) => was && is);
	return {gone: pairs.some(([, is]) => is.gone), changed: pairs.some(([was, is]) => !is.gone && is.version !== was.version)};
}

// Returns whether one is gone, as `said` has it of the last look.
async function look(page, said) {
	const {gone, changed} = await news(page);
	if (changed)
		await page.renew("the file has changed: this is what it is now");
	else if (gone !== said)
		page.say(gone ? "the file is gone: this is what was read of it" : "");
	return gone;
}

export function follow(page) {
	byId("all").hidden = false;
	listenToDrops((name) => location.hash = hashOf({...START, profile: name}), (...words) => page.say(...words));
	let gone = false;
	setInterval(() => {
		if (!document.hidden && page.isReady())
			look(page, gone).then((is) => gone = is, () => {}); // whoever asks next is told
	}, EVERY);
}
