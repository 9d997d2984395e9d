// served.mjs: what has a page only where kiln view serves it? The list of all profiles, files that are dropped on
// it, and the file on disk, which may change.
//
// A page that is one file has ../offline/alone.mjs in place of this.
import { byId } from "./controls.mjs";
import { listenToDrops } from "./drop.mjs";
import { hashOf, START } from "./query.mjs";
import { answer } from "./server.mjs";

const EVERY = 5000; // ms from one look at the file to the next

async function versions(page) {
	const {profile, before} = page.state;
	const profiles = JSON.parse(new TextDecoder().decode(await answer("profiles")));
	const shown = profiles.filter((each, i) => profile || before ? [profile, before].includes(each.name) : i === 0);
	page.shown.profiles = profiles;
	return JSON.stringify(shown.map((each) => [each.name, each.version]));
}

export function follow(page) {
	let seen = null, address = "";
	byId("all").hidden = false;
	listenToDrops((name) => location.hash = hashOf({...START, profile: name}), (...words) => page.say(...words));
	setInterval(async () => {
		if (document.hidden || !page.isReady())
			return;
		try {
			const {profile, before} = page.state, now = await versions(page);
			if (seen !== null && now !== seen && address === profile + "\n" + before) {
				await page.renew("the file has changed: this is what it is now");
			}
			seen = now;
			address = profile + "\n" + before;
		} catch (gone) {
			seen = null; // whoever asks next is told
		}
	}, EVERY);
}
