# tracers.bats: what tracers and profilers print is folded to what was worked out by hand, line by line.
load common

@test "bpftrace: every map is a kind, keys are outer frames" {
	for kind in samples bytes named perf size stats; do
		expected=bpftrace/maps.$kind same bpftrace/maps --kind "$kind"
	done
	"$kiln" fold "$golden/bpftrace/maps.txt" 2>&1 >/dev/null | grep -q 'line 32: expected a map'
}

@test "bpftrace: functions at many offsets" {
	for ((i = 0; i < 100; i++)); do
		printf '@[\n    f+%s\n    g+1+%s\n    odd]:+%s\n    12\n, app]: 1\n' "$i" "$i" "$i"
	done >offsets.txt
	diff <("$kiln" fold -q offsets.txt | sort -u | head -2) - <<-'END'
		app;12;odd]:;g+1;f 100
	END
}

@test "bpftrace: an entry without its end, one without a value" {
	printf '@[\n    a+1\n@[\n    b+1\n]: 3\n' | said "1 of 5 lines skipped, first at line 3: expected \`]: \` and a number"
	diff folded <(echo 'b 3')
	printf '@[\n    a+1\n]: x\n@[\n    b+1\n]: 3\n' | said 'first at line 3: expected a number'
	diff folded <(echo 'b 3')
	printf '@[\n    a+1\n' | refused 'line 2: expected'
	printf '@[\n    a+1\n]: 9223372036854775807\n@[\n    a+1\n]: 1\n' | refused 'line 6: the sum of all values exceeds 2^63'
}

# corpus FOLDER [NAME=EXPECTED...]: every input there that has a result folds to it, except for these.
same_as_corpus() {
	local folder=$corpus/inferno/$1 count=0
	shift
	[ -d "$folder" ] || skip "no corpus"
	for result in "$folder"/results/*.txt; do
		name=${result##*/}
		[ -e "$folder/$name" ] && [[ " $* " != *" $name "* ]] || continue
		echo "$name"
		"$kiln" fold -q "$folder/$name" | diff "$result" -
		count=$((count + 1))
	done
	[ "$count" -gt 0 ]
}

@test "DTrace: headings, keys before and behind a stack, what is inlined" {
	same dtrace/keys
}

@test "DTrace: the corpus, with offsets in one case left out, which was made to keep them" {
	same_as_corpus collapse-dtrace flamegraph-bug.txt
	diff <("$kiln" fold -q "$corpus/inferno/collapse-dtrace/flamegraph-bug.txt") \
		<(echo 'unix`0xfffffffffb8001d6;unix`trap;unix`pagefault;genunix`segvn_fault 1')
	"$kiln" fold -q "$corpus/flamegraph/example-dtrace-stacks.txt" |
		cmp "$corpus/inferno/collapse-dtrace/results/dtrace-example.txt" -
}

@test "DTrace: only a heading, no count at the end, a stack without a heading" {
	printf 'CPU     ID                    FUNCTION:NAME\n  8  35077    :tick-60s\n' | refused 'line 2: unexpected end: expected a sample'
	printf '\n unix`a+0x1\n  1\n unix`b+0x1\n' | said '1 of 4 lines skipped, first at line 4: expected a line with the count'
	diff folded <(echo 'unix`a 1')
	diff <(printf ' unix`a+0x1\n unix`b+0x1\n  1\n' | "$kiln" fold -) <(echo 'unix`b;unix`a 1')
	printf '\n unix`a\n  99999999999999999999\n' | refused 'line 3: expected a count below 2^63'
}

@test "SystemTap: addresses, modules, percent signs; symbols alone" {
	same stap/stacks
	same stap/symbols
}

@test "SystemTap: a count that is too large, none at the end" {
	printf ' 0x4 : a+0x1/0x2 [x]\n 9223372036854775808\n 0x4 : a+0x1/0x2 [x]\n' |
		refused 'line 2: expected a count below 2^63'
}

@test "sample: inner lines keep what is theirs; who waits is idle; the sum is the file's own" {
	same sample/threads
	expected=sample/threads.idle same sample/threads --idle
	"$kiln" fold -q --lines "$golden/sample/threads.txt" | grep -q 'busy`main (busy.c:12) 8$'
	"$kiln" fold -q --thread 15758535 "$golden/sample/threads.txt" | grep -c . | grep -qx 3
}

@test "sample: the corpus has no stack less than inferno's, and all samples of its threads" {
	[ -d "$corpus/inferno" ] || skip "no corpus"
	file=$corpus/inferno/collapse-sample/sample.txt
	[ "$("$kiln" fold -q --idle "$file" | awk '{ sum += $NF } END { print sum }')" -eq 2475 ]
	# inferno's count for a stack that is listed twice is the last one's.
	diff <("$kiln" fold -q "$file" | sed 's/ [0-9]*$//') \
		<(sed 's/ [0-9]*$//' "$corpus/inferno/collapse-sample/results/sample-default.txt")
	[ "$("$kiln" fold -q "$file" | awk '{ sum += $NF } END { print sum }')" -eq 1429 ]
}

@test "sample: damaged lines are named, and nothing else is lost" {
	[ -d "$corpus/inferno" ] || skip "no corpus"
	for name in bad-stack-line invalid-samples-field no-four-spaces odd-indentation \
		skipped-indentation stack-line-only-indent-chars end-before-call-graph-end; do
		echo "$name"
		"$kiln" fold --idle "$corpus/inferno/collapse-sample/$name.txt" >folded 2>said
		cat said
		grep -Eq 'lines skipped, first at line (22|23|34): expected' said
		[ "$(awk '{ sum += $NF } END { print sum }' folded)" -eq 825 ]
	done
	run -2 "$kiln" fold "$corpus/inferno/collapse-sample/end-before-call-graph-start.txt"
	[[ "$output" == *"line 18: expected \`Call graph:\` before the end" ]]
}

@test "bcc: profile and offcputime, with their own units" {
	same bcc/profile
	same bcc/offcputime
	"$kiln" fold --kernel -q "$golden/bcc/offcputime.txt" |
		grep -qx 'busy;\[Missed User Stack\];schedule_\[k\];finish_task_switch_\[k\] 1953887'
	"$kiln" info "$golden/bcc/offcputime.txt" | grep -q '^off  *1,953,899 us'
	[ -z "$("$kiln" fold "$golden/bcc/profile.txt" 2>&1 >/dev/null)" ]
}

@test "bcc: a stack without a comm, a comm without a count" {
	printf '    a\n    -    x (1)\n    b\n    -    x (1)\n        2\n' | said '1 of 5 lines skipped, first at line 3: expected a line with the count'
	diff folded <(echo 'x;b 2')
	printf '    a\n    -    x (1)\n' | refused 'line 2: expected' --format bcc
}

@test "xdebug: time of functions, calls that called nothing, an exit that is missing" {
	same xdebug/trace
	expected=xdebug/trace.calls same xdebug/trace --kind calls
	[ "$(awk '{ sum += $NF } END { print sum }' "$golden/xdebug/trace.folded")" -eq 23230 ]
	"$kiln" info "$golden/xdebug/trace.txt" | grep -q '^time span  *2[0-9]'
}

@test "xdebug: a trace without its end, another format, an exit without an entry" {
	head -n 10 "$golden/xdebug/trace.txt" | said '1 of 10 lines skipped, first at line 10: expected `TRACE END`'
	diff folded <(printf '{main} 22571\n{main};ret_ord 26\n{main};ret_ord;ord 20\n{main};str_split 64\n')
	printf 'TRACE START [2026]\n    0.0001     393032   -> {main}() /tmp/x.php:0\n' |
		refused 'line 2: expected level, number, 0 or 1, time and memory, as xdebug.trace_format=1'
	printf 'TRACE START [2026]\n2\t1\t1\t0.01\t1\n1\t0\t0\t0.02\t1\ta\t1\n1\t0\t1\t0.03\t1\nTRACE END\n' |
		said 'first at line 2: expected an entry before an exit'
	diff folded <(echo 'a 10000')
}

@test "perf sched: delays that the kernel tells, or the time between switches" {
	same perf-sched/delays
	"$kiln" info "$golden/perf-sched/delays.txt" | grep -q '^off .*150 ms'
	"$kiln" fold -q --format perf-sched "$golden/perf-sched/switches.perf" | diff "$golden/perf-sched/switches.folded" -
	"$kiln" fold -q "$golden/perf-sched/switches.perf" | grep -qx 'busy;main;nap;__schedule 2'
}

@test "perf sched: a delay without a switch, an event that is none" {
	"$kiln" fold "$golden/perf-sched/delays.txt" 2>&1 >/dev/null |
		grep -q '1 of 22 lines skipped, first at line 11: expected a sched_switch of the thread before its delay'
	# A frame that cannot be read is left out of its stack, and nothing else.
	sed 's/1171 nap/11:71 nap/' "$golden/perf-sched/switches.perf" |
		said '2 of 16 lines skipped, first at line 3: expected a frame such as' --format perf-sched
	diff folded <(echo 'busy;main;__schedule 250100000')
	printf 'a 1/1 2.5: sched:sched_switch: x\n' | refused 'line 1: expected prev_pid= and next_pid=' --format perf-sched
	printf 'what\n\n' | refused 'line 1: expected an event line' --format perf-sched
}

@test "Instruments: minutes to microseconds, lines with and without unit" {
	same instruments/whole
	same instruments/small
	same instruments/old
	same instruments/cycles
	same instruments/xcode16
	"$kiln" info "$golden/instruments/small.txt" | grep -q '^time  *3.000012 ms'
}

@test "Instruments: a line that is none, one too far in" {
	printf 'Weight\tSelf Weight\t\tSymbol Name\n1 ms\t100%%\n1 ms 100%%\t1 ms\t \ta\n1 ms 100%%\t1 ms\t \t  b\n' |
		said '2 of 4 lines skipped, first at line 2: expected a weight, a self weight'
	diff folded <(echo 'a 1')
	printf 'Weight\tSelf Weight\t\tSymbol Name\n' | refused 'line 1: unexpected end: expected a sample'
	printf 'x\n1 min 100%%\t999999999999999 min\t \ta\n' | refused 'line 1: expected' --format instruments
}

@test "pmcstat: callers below what they call, what inner lines have more, several events" {
	same pmc/graph
	"$kiln" fold -q --kind BR_MISP_RETIRED "$golden/pmc/graph.txt" | diff - <(echo 'spin 3')
	"$kiln" fold "$golden/pmc/graph.txt" 2>&1 >/dev/null | grep -q 'lost 5 of 30 samples (16.67%): left out by pmcstat 5'
}

@test "pmcstat: damaged lines are named" {
	for i in {1..17}; do printf '@ E%d [1 samples]\n\n100.0%%  [1]  main @ /bin/x\n\n' $i; done | refused 'line 65: more than 16 events' --format pmc
	printf '10.0%%  [4]   a\n  10.0%%  [4]   b\n 10.0%%  [5]   c\n' |
		said '2 of 3 lines skipped, first at line 1: expected callees that sum up to at most their caller'
	printf '10.0%%  [5]   a\n  10.0%%  [4]   b\n 10.0%%  [5]   c\n' |
		said '1 of 3 lines skipped, first at line 2: expected a line indented at most one space more'
	printf '@ X [4 samples]\n\nwhat\n' | refused 'line 3: expected lines such as' --format pmc
}

@test "Lightweight Java Profiler: with and without its last line" {
	same ljp/report
	same ljp/cut
	"$kiln" fold -q --lines "$golden/ljp/report.txt" | grep -q 'my_func_a (prog.java:123);my_func_b (prog.java:455) 42$'
	printf '  99999999999999999999 1  a(b.java:1)\n  1 1  c(b.java:1)\n' | said '1 of 2 lines skipped, first at line 2: expected a count below 2^63'
	diff folded <(echo 'c 1')
	printf '   a(b.java:1)\n' | refused 'line 1: expected `42 3' --format ljp
}

@test "wallClockProfiler: only what is below Full stacks" {
	same wcp/report
	"$kiln" fold -q --lines "$golden/wcp/report.txt" | grep -q '^main (main.nim:6);spin (spin.nim:5) 10$'
	printf 'Full stacks\n50.0%% == (3 samples)\nwhat\n1: a\n' | said '1 of 4 lines skipped, first at line 3: expected `Full stacks`'
	diff folded <(echo 'a 3')
}

@test "AIX procstack: processes and threads, names without arguments" {
	same aix/procstack
	[ "$("$kiln" fold -q --thread 123458 "$golden/aix/procstack.txt")" = 'busy;__fd_select 1' ]
	printf '12: a\n---------- tid# 1 (pthread ID:      1) ----------\nno\n0x1  b(c) + 0x1\n' |
		said '1 of 4 lines skipped, first at line 3: expected'
	diff folded <(echo 'a;b 1')
	printf '0x1  b(c) + 0x1\n' | refused 'line 1: expected `123: command`' --format aix
}

# Terminals, editors and mail programs change blanks into tabs and back, and keep the columns.
@test "tabs and blanks mean the same, where they only separate columns" {
	for format in aix bcc dtrace eu-stack gdb gperftools-text javacore jstack ljp perf-report pmc sample stap threadz wcp; do
		for file in "$golden/$format"/*.txt; do
			"$kiln" fold -q "$file" >plain || continue
			for change in expand unexpand 'unexpand -a'; do
				echo "$change ${file#"$golden"/}"
				$change <"$file" | "$kiln" fold -q - | diff plain -
			done
		done
	done
}

@test "memleak: the last report with stacks, frames in all their forms" {
	# As tools/memleak.py, libbpf-tools/memleak.c and mallocstacks.py of iovisor/bcc print them.
	expected=memleak/reports same memleak/reports
	expected=memleak/reports.objects same memleak/reports --kind inuse_objects
	same memleak/places
	same memleak/malloc --kind alloc_space
	"$kiln" fold -q --lines "$golden/memleak/places.txt" | grep -qx '\[unknown\];run;grow (a.c:12) 4096'
	"$kiln" fold -q --kernel "$golden/memleak/reports.txt" | grep -qx 'entry_SYSCALL_64_fastpath_\[k\];perf_mmap_\[k\] 4096'
	said '2 reports of what was not freed at that time: the last one is read' <"$golden/memleak/reports.txt"
	printf '9223372036854775807 bytes in 1 allocations from stack\n\tf\n1 bytes in 1 allocations from stack\n\tf\n' |
		refused 'exceeds 2^63'
	printf '99999999999999999999 bytes in 1 allocations from stack\n\tf\n' | refused 'line 1: expected bytes and a number below 2^63'
	printf '80 bytes in 1 allocations from stack\n\tf\n80 bytes allocated at:\n\tf\n' | said 'expected stacks of one tool'
}
