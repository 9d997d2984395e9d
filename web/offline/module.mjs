// module.mjs: how are requests answered in a page in one file? By the WebAssembly module in it, in a worker.
//
// Stands for ../view/server.mjs. The module answers one request at a time: requests wait here, and cancelled ones are
// dropped.

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

// The initial state, unless the address has one.
if (profile.dataset.state && !location.hash)
	history.replaceState(null, "", "#" + profile.dataset.state);

const waiting = [];
let current = null, broken = null;

const worker = new Worker(URL.createObjectURL(new Blob([text("worker-code")], {type: "text/javascript"})));
worker.addEventListener("message", ({data}) => settle(data));
worker.addEventListener("error", (event) => {
	broken = "The worker thread has stopped: " + (event.message || "the browser did not start it");
	settle({error: broken});
});
worker.postMessage({module: text("module-code"), profile: profile.textContent, size: Number(profile.dataset.size),
	projection: Number(profile.dataset.projection), name: ownName()});

function settle(reply) {
	const {resolve, reject} = current || {};
	current = null;
	if (reply.error && reject)
		reject(new Error(reply.error));
	else if (resolve)
		resolve(reply);
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
	if (!current || current.sent)
		return;
	current.sent = true;
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

export const first = answer;

// The same as a file.
export async function download(address, name) {
	const {body, type} = await ask(address);
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([body], {type}));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000); // by then it is written
}
