// reuse.js [PARTS [MS]]: functions that are made, run for MS ms of CPU time each, and dropped, so that the
// places of their code are used again. Prints "NAME MS" for each: the time that it really had.
'use strict';
const parts = +process.argv[2] || 12, ms = +process.argv[3] || 150;
for (let k = 0; k < parts; k++) {
	let work = (0, eval)(`(function work${k}(n) {
		let x = ${k};
		for (let i = 0; i < n; i++)
			x += Math.sqrt(i + ${k}) * i % 7;
		return x;
	})`);
	const start = process.cpuUsage();
	let used = 0;
	while (used < ms * 1000) {
		for (let i = 0; i < 20; i++)
			work(2e4);
		const now = process.cpuUsage(start);
		used = now.user + now.system;
	}
	console.log(`work${k} ${Math.round(used / 1000)}`);
	work = null;
	global.gc();
	global.gc();
}
require('fs').rmSync(`/tmp/perf-${process.pid}.map`, { force: true }); // who follows it has it open
