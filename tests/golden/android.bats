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

@test "ART: methods that are entered, left and unwound, in all versions and both forms" {
	(golden=$golden/art-trace made '*.folded')
	for file in cpu-1 wall-2 dual-3 stream; do
		for kind in wall cpu calls; do
			[[ "$kind-$file" != @(wall-cpu-1|cpu-wall-2) ]] || continue
			for tool in cat gzip; do
				$tool <"$golden/art-trace/$file.trace" | "$kiln" fold -q --kind "$kind" - | diff "$golden/art-trace/$kind.folded" -
			done
		done
	done
	"$kiln" fold -q --by-thread "$golden/art-trace/stream.trace" | grep -q '^worker-7/9;'
	said 'methods that were left and not entered, before the trace: 1' <"$golden/art-trace/stream.trace"
	grep -qF 'calls of methods without a name, shown as [unknown]: 1' said
}

@test "ART: damage" {
	head -c 340 "$golden/art-trace/dual-3.trace" | said 'expected a record; what is before it was read'
	head -c 300 "$golden/art-trace/stream.trace" | said 'damaged or truncated at byte'
	head -c 100 "$golden/art-trace/dual-3.trace" | refused 'expected the line `*end`: it is truncated'
	sed 's/clock=dual/clock=none/' "$golden/art-trace/dual-3.trace" | refused 'byte 36 of 385: expected the clock dual, wall or thread-cpu'
	sed 's/^0x4\t/0y4\t/' "$golden/art-trace/dual-3.trace" | refused 'expected a method, such as `0x3f4<TAB>Class<TAB>method`'
	sed 's/^7\tmain/x\tmain/' "$golden/art-trace/dual-3.trace" | refused 'expected a thread, such as `15355<TAB>main`'
	sed 's/overflow=false/overflow=true/' "$golden/art-trace/dual-3.trace" | said 'the buffer of the trace was full: what came then is missing'
	sed 's/SLOW../SLOW\x04\x00/' "$golden/art-trace/dual-3.trace" | refused 'expected a version from 1 to 3'
	printf '*version\n3\n*threads\n*methods\n*end\nSLOW\3\0\40\0\0\0\0\0\0\0\0\0\16\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' | refused 'the trace has no calls of methods'
	printf '*version\n3\nclock=dual\n*end\nSLOW\3\0\40\0\0\0\0\0\0\0\0\0\12\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' | refused 'records of 10 bytes; expected 14 for this clock'
}
