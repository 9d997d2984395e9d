// drop.mjs: how are files uploaded, by drag and drop or a file dialog?
import { send } from "./server.mjs";

// Upload the files one after the other; open the last one that could be read.
async function sendAll(files, open, showStatus) {
	let last = null;
	for (const [i, file] of files.entries()) {
		showStatus("Reading " + file.name + (files.length > 1 ? " (" + (i + 1) + " of " + files.length + ")" : ""));
		try {
			last = await send(file);
			showStatus("");
		} catch (error) {
			showStatus(error.message, true);
		}
	}
	if (last !== null)
		open(last);
}

const hasFiles = (event) => event.dataTransfer && event.dataTransfer.types.includes("Files");

// open(name): show that profile; showStatus(text, wrong): show a message; button: opens the file dialog, or null.
export function listenToDrops(open, showStatus, button = null) {
	const lit = (on) => document.body.classList.toggle("dropping", on);
	for (const type of ["dragenter", "dragover", "dragleave", "drop"])
		document.addEventListener(type, (event) => {
			if (!hasFiles(event))
				return;
			event.preventDefault();
			lit(type === "dragenter" || type === "dragover");
			if (type === "drop")
				sendAll([...event.dataTransfer.files], open, showStatus);
		});
	if (!button)
		return;
	const input = document.createElement("input");
	input.type = "file";
	input.multiple = true;
	input.addEventListener("change", () => sendAll([...input.files], open, showStatus));
	button.addEventListener("click", () => input.click());
}
