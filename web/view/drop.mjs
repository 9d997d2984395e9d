// drop.mjs: how do files of this machine's desktop get to the server?
import { send } from "./server.mjs";

// The files' names, one after the other; the last one that could be read is opened.
async function sendAll(files, open, say) {
	let last = null;
	for (const [i, file] of files.entries()) {
		say("reading " + file.name + (files.length > 1 ? " (" + (i + 1) + " of " + files.length + ")" : ""));
		try {
			last = await send(file);
			say("");
		} catch (error) {
			say(error.message, true);
		}
	}
	if (last !== null)
		open(last);
}

const hasFiles = (event) => event.dataTransfer && event.dataTransfer.types.includes("Files");

// open(name): show that profile; say(text, wrong); button: opens the desktop's own dialog, or null.
export function listenToDrops(open, say, button = null) {
	const lit = (on) => document.body.classList.toggle("dropping", on);
	for (const type of ["dragenter", "dragover", "dragleave", "drop"])
		document.addEventListener(type, (event) => {
			if (!hasFiles(event))
				return;
			event.preventDefault();
			lit(type === "dragenter" || type === "dragover");
			if (type === "drop")
				sendAll([...event.dataTransfer.files], open, say);
		});
	if (!button)
		return;
	const input = document.createElement("input");
	input.type = "file";
	input.multiple = true;
	input.addEventListener("change", () => sendAll([...input.files], open, say));
	button.addEventListener("click", () => input.click());
}
