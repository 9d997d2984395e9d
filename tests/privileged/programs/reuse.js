// reuse.js [PARTS [MS]]: functions that are made, run for MS ms of CPU time each, and dropped, so that the
// places of their code are used again. Prints "NAME MS" for each: the time that it really had.
'use strict';
const fs = require('fs');

// ms of CPU time of this thread: V8's other threads compile, collect and sample meanwhile.
const schedstat = fs.openSync('/proc/thread-self/schedstat'), text = Buffer.alloc(64);
function mine() {
	fs.readSync(schedstat, text, 0, 64, 0);
	return parseInt(text.latin1Slice(0, 20)) / 1e6;
}

const parts = +process.argv[2] || 12, ms = +process.argv[3] || 150;
for (let k = 0; k < parts; k++) {
	let work = (0, eval)(`(function work${k}(n) {
		let x = ${k};
		for (let i = 0; i < n; i++)
			x += Math.sqrt(i + ${k}) * i % 7;
		return x;
	})`);
	const start = mine();
	let used = 0;
	while (used < ms) {
		for (let i = 0; i < 20; i++)
			work(2e4);
		used = mine() - start;
	}
	console.log(`work${k} ${Math.round(used)}`);
	work = null;
	global.gc();
	global.gc();
}
fs.rmSync(`/tmp/perf-${process.pid}.map`, { force: true }); // who follows it has it open
