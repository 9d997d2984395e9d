// served.mjs: features that need kiln view as the server: the link to all profiles, uploads by drag and drop, and
// following changes of the file.
//
// A page in one file has ../offline/alone.mjs instead.
import { byId } from "./controls.mjs";
import { listenToDrops } from "./drop.mjs";
import { hashOf, DEFAULTS } from "./query.mjs";
import { answer } from "./server.mjs";

const EVERY = 5000; // ms between checks of the file

// Is one of the shown files deleted, or has one changed since the last check?
async function changesOf(page) {
	const {shown, state: {profile, before}} = page, old = shown.profiles;
	shown.profiles = JSON.parse(new TextDecoder().decode(await answer("profiles")));
	const names = [profile || old[0].name, before], of = (list, name) => list.find((each) => each.name === name);
	const pairs = names.map((name) => [of(old, name), of(shown.profiles, name)]).filter(([was, is]) => was && is);
	return {gone: pairs.some(([, is]) => is.gone), changed: pairs.some(([was, is]) => !is.gone && is.version !== was.version)};
}

// Check the files. Returns whether one is deleted; `reported`: the last result.
async function check(page, reported) {
	const {gone, changed} = await changesOf(page);
	if (changed)
		await page.renew("The file has changed; showing the new version");
	else if (gone !== reported)
		page.showStatus(gone ? "The file was deleted; showing the last version read" : "");
	return gone;
}

export function follow(page) {
	byId("all").hidden = false;
	listenToDrops((name) => location.hash = hashOf({...DEFAULTS, profile: name}), (...words) => page.showStatus(...words));
	let gone = false;
	setInterval(() => {
		if (!document.hidden && page.isReady())
			check(page, gone).then((is) => gone = is, () => {}); // the next request reports the error
	}, EVERY);
}
