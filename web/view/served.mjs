// served.mjs: features that need kiln view as the server: the link to all profiles, uploads by drag and drop, and
// following changes of the file.
//
// A page in one file has ../offline/alone.mjs instead.
import { byId } from "./controls.mjs";
import { listenToDrops } from "./drop.mjs";
import { hashOf, START } from "./query.mjs";
import { answer } from "./server.mjs";

const EVERY = 5000; // ms from one look at the file to the next

// Is one of the shown files deleted, or has one changed since the last check?
async function news(page) {
	const {shown, state: {profile, before}} = page, old = shown.profiles;
	shown.profiles = JSON.parse(new TextDecoder().decode(await answer("profiles")));
	const names = [profile || old[0].name, before], of = (list, name) => list.find((each) => each.name === name);
	const pairs = names.map((name) => [of(old, name), of(shown.profiles, name)]).filter(([was, is]) => was && is);
	return {gone: pairs.some(([, is]) => is.gone), changed: pairs.some(([was, is]) => !is.gone && is.version !== was.version)};
}

// Check the files. Returns whether one is deleted; `said`: that was reported already.
async function look(page, said) {
	const {gone, changed} = await news(page);
	if (changed)
		await page.renew("The file has changed; this is the new version");
	else if (gone !== said)
		page.say(gone ? "The file was deleted; this is what was read before" : "");
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
