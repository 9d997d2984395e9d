# android.bats: what Android's tools write, folded to what was worked out by hand.
load common
suffix=trace


@test "simpleperf: threads, events, kinds of code, and what is missing" {
	(golden=$golden/simpleperf made '*.folded')
	same simpleperf/threads
	"$kiln" fold -q --kind sched:sched_switch "$golden/simpleperf/threads.trace" |
		diff <(echo 'Binder:1;__start_thread;[kernel.kallsyms] 1') -
	"$kiln" fold -q --jit --kernel "$golden/simpleperf/threads.trace" | grep -qx '.*com.example.Main.loop;com.example.View.draw_\[j\] 500000'
	"$kiln" fold -q --by-thread "$golden/simpleperf/threads.trace" | grep -q '^Binder:1-12/13;'
	said 'lost 3 of 8 samples' <"$golden/simpleperf/threads.trace"
	grep -qF '6 of the 7 samples of the recording are in the report' said
	grep -qF 'stacks that simpleperf could not unwind to their end: 1' said
	grep -qF 'frames in files that are not in the report, shown as [unknown]: 1' said
}

@test "simpleperf: damage" {
	head -c 300 "$golden/simpleperf/threads.trace" | said 'damaged or truncated at byte '
	printf 'SIMPLEPERF\2\0\0\0\0\0' | refused 'byte 10: expected version 1, not 2'
	printf 'SIMPLEPERF\1\0\0\0\0\0' | refused 'the report has no samples'
	printf 'SIMPLEPERF' | refused 'byte 0: expected the bytes SIMPLEPERF, a version, and records'
	printf 'SIMPLEPERF\1\0\3\0\0\0\012\1\177\0\0\0\0' | refused 'the report has no samples that can be read'
	# A count beyond 2^63, and an event that does not exist.
	printf 'SIMPLEPERF\1\0\015\0\0\0\012\013\040\377\377\377\377\377\377\377\377\377\1\4\0\0\0\012\2\050\1\4\0\0\0\012\2\040\5\0\0\0\0' |
		said '2 records skipped, first at byte 16: expected a time and a count below 2^63'
	diff folded <(echo '[no stack] 5')
}
