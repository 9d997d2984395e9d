// shares.js: three functions that get 60, 30 and 10 percent of the time, as far as the machine lets them;
// prints the milliseconds that each has had.
function spin(ms) {
	const end = process.hrtime.bigint() + BigInt(ms) * 1000000n;
	let turns = 0;
	while (process.hrtime.bigint() < end)
		turns++;
	return turns;
}
function heavy() { return spin(30); }
function light() { return spin(15); }
const had = { heavy: 0, light: 0, anonymous: 0 };
function timed(name, work) {
	const start = performance.now();
	work();
	had[name] += performance.now() - start;
}
for (let turn = 0; turn < 30; turn++) {
	timed("heavy", heavy);
	timed("light", light);
	timed("anonymous", () => spin(5));
}
for (const name in had)
	console.log(name, had[name]);
