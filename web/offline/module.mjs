// module.mjs: where do answers come from? From the module that is in this page, in a thread of its own.
//
// In place of ../view/server.mjs in a page that is one file. The module does one thing at a time: questions
// wait here, and those that nobody waits for any longer are not asked.

const text = (id) => document.getElementById(id).textContent;
const profile = document.getElementById("profile-data");
const ownName = () => {
	const name = location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
	try {
		return decodeURIComponent(name);
	} catch (notEncoded) {
		return name;
	}
};

// What the page shows first, when its address does not say it.
if (profile.dataset.state && !location.hash)
	history.replaceState(null, "", "#" + profile.dataset.state);

const waiting = [];
let current = null, broken = null;

const worker = new Worker(URL.createObjectURL(new Blob([text("worker-code")], {type: "text/javascript"})));
worker.addEventListener("message", ({data}) => settle(data));
worker.addEventListener("error", (event) => {
	broken = "The thread that computes has ended: " + (event.message || "this browser did not let it begin");
	settle({error: broken});
});
worker.postMessage({module: text("module-code"), profile: profile.textContent, size: Number(profile.dataset.size),
	projection: Number(profile.dataset.projection), name: ownName()});

function settle(said) {
	const {resolve, reject} = current || {};
	current = null;
	if (said.error && reject)
		reject(new Error(said.error));
	else if (resolve)
		resolve(said);
	next();
}

function next() {
	while (!current && waiting.length) {
		current = waiting.shift();
		if (current.signal && current.signal.aborted) {
			current.reject(current.signal.reason);
			current = null;
		}
	}
	if (!current || current.asked)
		return;
	current.asked = true;
	if (broken)
		settle({error: broken});
	else
		worker.postMessage({ask: current.address});
}

function ask(address, signal) {
	return new Promise((resolve, reject) => {
		waiting.push({address, signal, resolve, reject});
		next();
	});
}

// The bytes at an address. Throws an Error that says what is wrong.
export async function answer(address, signal) {
	return (await ask(address, signal)).body;
}

export const first = answer; // nothing else is asked then

// Formats that answers may have: it is such a page itself.
export const canWrite = (format) => format !== "html";

// The same as a file.
export async function download(address, name) {
	const {body, type} = await ask(address);
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([body], {type}));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000); // by then it is written
}
