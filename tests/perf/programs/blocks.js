// blocks.js: third keeps a third of its arrays, twoThirds the rest. With the name of a file, it writes a heap snapshot with
// allocation stacks there.
const fs = require("fs");
const inspector = require("inspector");
const session = new inspector.Session();
const kept = [];
function third(count) {
	const own = [];
	for (let i = 0; i < count; i++)
		own.push(new Array(500).fill(i));
	return own;
}
function twoThirds(count) {
	const own = [];
	for (let i = 0; i < 2 * count; i++)
		own.push(new Array(500).fill(i));
	return own;
}
session.connect();
if (process.argv[2])
	session.post("HeapProfiler.startTrackingHeapObjects", { trackAllocations: true });
for (let turn = 0; turn < 50; turn++)
	kept.push(third(20), twoThirds(20));
globalThis.kept = kept;
if (process.argv[2]) {
	const fd = fs.openSync(process.argv[2], "w");
	session.on("HeapProfiler.addHeapSnapshotChunk", message => fs.writeSync(fd, message.params.chunk));
	session.post("HeapProfiler.stopTrackingHeapObjects", { reportProgress: false }, () => fs.closeSync(fd));
}
