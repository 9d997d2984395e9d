# runtimes.bats: what stacks that debuggers and runtimes print are folded to; expected by hand, line by line.
load common

# folds FORMAT NAME [KIND]: NAME.txt folds to NAME.folded, with KIND to NAME.KIND.folded.
folds() {
	expected=$1/$2${3:+.$3} same "$1/$2" ${3:+--kind "$3"}
}

# corpus FOLDER: where inferno's inputs and results of a format are.
corpus() {
	corpus=$corpus/inferno/$1
	[ -d "$corpus" ] || skip "no corpus"
}

# as_inferno RESULT COMMAND...: prints what inferno does, which prints stacks without a value, too.
as_inferno() {
	"${@:2}" | diff <(tr -d '\r' <"$corpus/results/$1" | grep -v ' 0$') -
}

@test "jstack: what runs, what waits, what is blocked" {
	folds jstack states
	folds jstack states waiting
	[ "$("$kiln" fold -q --kind blocked "$golden/jstack/states.txt")" = \
		"contender;java.lang.Thread.run;com.example.Work.spin 1" ]
	said "1 of 86 lines skipped, first at line 85" <"$golden/jstack/states.txt"
}

@test "jstack: threads, times and lines" {
	"$kiln" convert -q -o a.kiln "$golden/jstack/states.txt"
	"$kiln" info a.kiln >info
	grep -E '^time span +10' info
	grep -E '^threads +8 threads' info
	"$kiln" fold -q --lines a.kiln | grep -F 'com.example.Work.spin (Work.java:4) 1'
}

@test "jstack: no sample, no success" {
	printf '2024-05-01 12:00:00\n' | refused "line 1: unexpected end: expected a sample" --format jstack
}

@test "javacore: what runs and what waits" {
	folds javacore threads
	folds javacore threads waiting
	printf '4XESTACKTRACE                at a/B.c(B.java:1)\n' | refused "line 1: expected a method of a thread" --format javacore
}

@test "Java exceptions: causes have the frames of what they caused" {
	folds java-exceptions causes
	said "1 of 23 lines skipped, first at line 23: expected at least that many frames" \
		<"$golden/java-exceptions/causes.txt"
	printf 'at noon (maybe\n' | refused "expected a sample" --format java-exceptions
}

@test "gdb: names with blanks, values with brackets, wrapped lines, several stacks a thread" {
	folds gdb names
	"$kiln" convert -q -o a.kiln "$golden/gdb/names.txt"
	"$kiln" fold -q --lines a.kiln | grep -F 'operator< (loop.cc:20);<signal handler called>;'
	"$kiln" info a.kiln | grep -E '^threads +3 threads'
	printf '#0  0x00 in\n' | refused "line 1: expected a frame" --format gdb
}

@test "eu-stack: modules, sources, return addresses, unnamed frames" {
	folds eu-stack threads
	"$kiln" convert -q -o a.kiln "$golden/eu-stack/threads.txt"
	"$kiln" fold -q --lines a.kiln | grep -F 'spin (b.c:4) 1'
	"$kiln" info a.kiln | grep -E '^threads +3 threads of 2 processes'
	printf 'PID 1 - process\nTID 1:\n' | refused "expected a sample" --format eu-stack
	printf 'TID 1:\n#0  0x0000000000001000 f\n#1  \n#2 main\n' | said "2 of 4 lines skipped, first at line 3" --format eu-stack
}

@test "faulthandler: stacks that it cut are told" {
	folds faulthandler threads
	said "1 of 22 lines skipped, first at line 19: expected a frame" <"$golden/faulthandler/threads.txt"
	said "1 stacks have no outermost frames" <"$golden/faulthandler/threads.txt"
}

@test "go-raw: every value, inlined lines, names with blanks, places without names" {
	folds go-raw heap
	folds go-raw heap alloc_space
	"$kiln" fold -q --kind inuse_space "$golden/go-raw/heap.txt" | grep -Fx "main.main;[libc.so.6] -500"
	said "1 of 23 lines skipped, first at line 12" <"$golden/go-raw/heap.txt"
	said "samples refer to missing locations, 1 times" <"$golden/go-raw/heap.txt"
	"$kiln" fold -q --all "$golden/go-raw/heap.txt" | grep -F 'main.outer;main.(*T).inner_[i];main.Map['
	"$kiln" convert -q -o a.kiln "$golden/go-raw/heap.txt"
	"$kiln" fold -q --lines a.kiln | grep -F 'main.outer (t.go:20);main.(*T).inner (t.go:17);main.Map['
	printf 'Samples:\n\n' | refused "line 2: expected types such as" --format go-raw
	printf 'Samples:\nsamples/count\n 1 2: 3\n' | refused "line 3: expected a sample" --format go-raw
	printf 'Samples:\na/b\n 9223372036854775807: 3\n 1: 3\n' | refused "exceeds 2^63" --format go-raw
}

@test "go-text: heap, block, mutex and goroutine profiles" {
	for profile in heap block goroutine; do
		folds go-text $profile
	done
	# The file's own: "437: 1657904 [630: 1685032]" was of all records, of which six are left.
	[ "$("$kiln" fold -q --kind inuse_objects "$golden/go-text/heap.txt" | awk '{ n += $NF } END { print n }')" -eq 421 ]
	[ "$("$kiln" fold -q --kind contentions "$golden/go-text/block.txt" | awk '{ n += $NF } END { print n }')" -eq 4 ]
	said "the labels of 1 records are left out" <"$golden/go-text/goroutine.txt"
	"$kiln" fold -q --lines "$golden/go-text/heap.txt" | grep -F 'main.quarter (main.go:22);main.leaf (main.go:17) 409600'
	# What was taken for text of perf script.
	"$kiln" fold -q "$corpus/field/goheap.txt" | diff <(printf 'main.main;main.leaf 1024\nmain.main;main.other 3072\n') -
	"$kiln" fold -q --kind alloc_objects "$corpus/field/goheap.txt" | diff <(printf 'main.main;main.leaf 2\nmain.main;main.other 3\n') -
	said "about one in 524288 bytes" <"$corpus/field/goheap.txt"
	"$kiln" fold -q "$corpus/field/gorout.txt" | diff <(printf 'main.main;main.leaf 3\nmain.other 2\n') -
	printf 'heap profile: 1: 2 [3: 4] @ heap/2\n1: 2 3: 4 @ 0x1\n' | refused "line 2: expected a record" --format go-text
	printf -- '--- mutex:\ncycles/second=500000000\nsampling period=5\n100 2 @ 0x1\n#\t0x1\tmain.f+0x0\t/a.go:1\n' |
		"$kiln" fold -q - | diff <(echo 'main.f 1000') -
}

# go_text SAMPLES: that many samples of 997 stacks, some with labels, a bad line, and more behind them.
go_text() {
	awk -v samples="$1" 'BEGIN {
		print "PeriodType: cpu nanoseconds\nSamples:\nsamples/count cpu/nanoseconds"
		for (i = 1; i <= samples; i++) {
			n = i * 7919 % 997
			printf "%11d %10d: %d %d %d %d %d\n", i % 5, n * 1000, n + 1, n % 97 + 1, n % 31 + 1, n % 7 + 1, n % 2 + 1
			if (i % 50 == 0)
				printf "                thread:[%d]  at:[%d]\n", i % 11, i % 3
			if (i == int(samples * 0.9))
				print "          1 1 1"
		}
		print "Locations"
		for (i = 1; i < 997; i++)
			printf "%6d: 0x%x M=1 main.f%d /src/f.go:%d s=0\n", i, 4096 + i, i % 800, i
		print "Mappings\n1: 0x400000/0x4b1000/0x0 /tmp/busy  [FN]"
	}'
}

@test "go-raw: two threads read what one reads" {
	go_text 200000 >go.txt
	cat go.txt | "$kiln" convert -q -o one.kiln -
	"$kiln" convert -q -o two.kiln go.txt
	cmp one.kiln two.kiln
	"$kiln" fold -q go.txt | awk '{ sum += $NF } END { exit sum != 400000 }'
	said "1 of 205,003 lines skipped, first at line 183604: expected a sample" <go.txt
}

@test "go-raw: what is wrong in the rear half is told as one thread tells it" {
	go_text 200000 | sed '150000s/^ *[0-9]*/ 9223372036854775807/' >go.txt
	refused "line 150000: the sum of all values exceeds 2^63" --format go-raw <go.txt
	run ! "$kiln" fold go.txt
	[[ $output == *"go.txt: line 150000: the sum of all values exceeds 2^63"* ]]
	go_text 1000 >go.txt # the middle lies behind the samples
	awk 'BEGIN { for (i = 0; i < 200000; i++) print "5 7: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15" }' >>go.txt
	cat go.txt | "$kiln" convert -q -o one.kiln -
	"$kiln" convert -q -o two.kiln go.txt
	cmp one.kiln two.kiln
}

@test "go-raw: stacks that inlined functions make too deep lose their middle, and that is told" {
	awk 'BEGIN {
		print "PeriodType: cpu nanoseconds\nSamples:\nsamples/count\n 1: 1 1 1 1 1 1 1 1 1\n 2: 1 1\nLocations"
		print "1: 0x10 M=1 f /a.go:1 s=0"
		for (i = 0; i < 1000; i++)
				print "   g" i " /a.go:1 s=0"
	}' >deep.txt
	[ "$("$kiln" fold -q deep.txt | wc -l)" -eq 2 ]
	[ "$("$kiln" fold -q deep.txt | awk '{ n += $NF } END { print n }')" -eq 3 ]
	said "1 stack has more than 8,192 frames, up to 9,009" <deep.txt
}

@test "go-raw: stacks that come again, with and without labels, and as callers of others" {
	{
		printf 'PeriodType: cpu nanoseconds\nSamples:\ncpu/nanoseconds\n'
		for ((i = 0; i < 100; i++)); do
			printf ' 1: 1 2 3 4 5\n 2: 4 5\n 4: 1 2 3 4 5\n     k:[v]\n 8: 6 1 2 3 4 5\n 16: 1 x 3 4 5\n'
		done
		printf 'Locations\n'
		for i in 1 2 3 4 5 6; do
			printf '     %s: 0x%s f%s /a.go:1 s=0\n' "$i" "$i" "$i"
		done
	} >again.txt
	diff <("$kiln" fold -q again.txt) - <<-'END'
		f5;f4 200
		f5;f4;f3;f2;f1 500
		f5;f4;f3;f2;f1;f6 800
	END
	said "100 of 610 lines skipped, first at line 9" <again.txt
}

@test "xctrace: references, weights, rows without a backtrace" {
	folds xctrace rows
	folds xctrace rows samples
	said "first at line 9: expected a reference to an earlier id" <"$golden/xctrace/rows.txt"
	said "no backtrace 2" --kind samples <"$golden/xctrace/rows.txt"
	"$kiln" convert -q -o a.kiln "$golden/xctrace/rows.txt"
	"$kiln" info a.kiln >info
	grep -E '^threads +1 thread of 1 process' info
	grep -E '^time span +200 ms' info
	"$kiln" fold -q --lines a.kiln | grep -F 'at(unsigned long) const (a&b.cc:7) 1000000'
	[ "$("$kiln" fold -q <<<'<trace-query-result><row><weight id="7">5</weight><backtrace id="1"><frame ref="7"/></backtrace></row></trace-query-result>')" = \
		"[no stack] 5" ]
	printf '<?xml version="1.0"?>\n<trace-query-result' | refused "line 2: unexpected end inside a tag" --format xctrace
	printf '<trace-query-result>' | refused "expected </trace-query-result>" --format xctrace
	printf '<trace-query-result>\n<row%s/>\n' "$(printf ' a%d=\"1\"' {1..65})" | refused "line 2: a tag with more than 64 attributes" --format xctrace
}

@test "xctrace: the corpus as inferno folds it" {
	corpus collapse-xctrace
	"$kiln" fold -q --kind samples "$corpus/basic.xml" | diff "$corpus/results/basic.folded" -
	[ "$("$kiln" fold -q "$corpus/basic.xml" | awk '{ sum += $NF } END { printf "%.0f", sum }')" = 9581000000 ]
}

@test "ghc: every column, indentation, damaged lines" {
	folds ghc table
	folds ghc table bytes
	said "3 of 25 lines skipped, first at line 21: expected a line above that is indented one space less" \
		<"$golden/ghc/table.txt"
	"$kiln" convert -q -o a.kiln "$golden/ghc/table.txt"
	"$kiln" fold -q --lines a.kiln | grep -F 'Main.main (My Main.hs:6);Main.work (Main.hs:14) 749'
	[ "$("$kiln" info a.kiln | grep -cE '^(time|alloc|ticks|bytes) ')" -eq 4 ]
	printf 'COST CENTRE MODULE SRC %%time %%alloc\n' | refused "expected a table that starts with" --format ghc
}

@test "ghc: the corpus as inferno folds it" {
	corpus collapse-ghcprof
	as_inferno percent.txt "$kiln" fold -q "$corpus/percent.prof"
	as_inferno ticks.txt "$kiln" fold -q "$corpus/ticks.prof"
	as_inferno ticks_ticks.txt "$kiln" fold -q --kind ticks "$corpus/ticks.prof"
	as_inferno ticks_bytes.txt "$kiln" fold -q --kind bytes "$corpus/ticks.prof"
	as_inferno utf8.txt "$kiln" fold -q "$corpus/utf8.prof"
	as_inferno utf8_ticks.txt "$kiln" fold -q --kind ticks "$corpus/utf8.prof"
	as_inferno utf8_bytes.txt "$kiln" fold -q --kind bytes "$corpus/utf8.prof"
	# What the report states: 19827 ticks, 90,486,853,312 bytes less what the profiler took itself.
	[ "$("$kiln" fold -q --kind ticks "$corpus/utf8.prof" | awk '{ sum += $NF } END { print sum }')" = 19827 ]
}

@test "vtune: hotspots, skipped levels, quotes, rounding" {
	folds vtune hotspots
	said "3 of 11 lines skipped, first at line 8: expected a line above that is indented one space less" \
		<"$golden/vtune/hotspots.txt"
	said "times are rounded to ms, line by line: 2263.6 ms became 2263 ms" <"$golden/vtune/hotspots.txt"
	printf 'war:Column filter is ON.\n' | refused "expected a line that starts with \`Function Stack\`" --format vtune
	printf 'Function Stack,Module\n' | refused "line 1: expected a column such as" --format vtune
}

@test "vtune: lines that come again, and functions that are called as lines are" {
	{
		printf 'Function Stack,CPU Time:Self,Module\nTotal,0.0,\n'
		for ((i = 0; i < 100; i++)); do
			printf ' a,0.5,m\n "a,0.5,m",0.25,m\n  b,0,m\n   a,0.5,m\n    "a,0.5,m",0.25,m\n'
		done
	} >again.txt
	diff <("$kiln" fold -q again.txt) - <<-'END'
		Total;m`a 50000
		Total;m`a,0.5,m 25000
		Total;m`a,0.5,m;m`b;m`a 50000
		Total;m`a,0.5,m;m`b;m`a;m`a,0.5,m 25000
	END
}

@test "vtune: memory consumption, numbers and sizes" {
	folds vtune memory
	folds vtune memory alloc
	"$kiln" fold -q --kind dealloc "$golden/vtune/memory.txt" | grep -Fx 'Total;a.exe`main;a.exe`make 64'
}

@test "vtune: the corpus as inferno folds it" {
	corpus collapse-vtune
	as_inferno vtune-default.txt "$kiln" fold -q "$corpus/vtune.csv"
	for damaged in bad-stack-line:7 end-before-header:1 invalid-time-field:2 skipped-indentation:7; do
		run "$kiln" fold --format vtune "$corpus/${damaged%:*}.csv"
		[ "$status" -eq 2 ]
		[[ "$output" == *"line ${damaged#*:}: "* ]]
	done
}

@test "vsprof: calls less those of the last callee, the time's own shares, samples" {
	folds vsprof calls
	folds vsprof calls time
	folds vsprof samples
	said "2 of 8 lines skipped, first at line 6: expected a level at most one deeper" \
		<"$golden/vsprof/calls.txt"
	printf 'Level,Function Name\n' | refused "line 1: expected columns such as" --format vsprof
}

@test "vsprof: the corpus as inferno folds it, equal stacks added up" {
	corpus collapse-vsprof
	"$kiln" fold -q "$corpus/CallTreeSummary.csv" >folded
	# inferno keeps the last of several lines with one stack; these have several.
	[ "$(tr -d '\r' <"$corpus/results/vsprof-default.txt" | diff - folded | grep -c '^>')" -eq 5 ]
	[ "$(wc -l <folded)" -eq "$(wc -l <"$corpus/results/vsprof-default.txt")" ]
	for damaged in incorrect-header:1 invalid-depth:3 invalid-function-name:3 \
		invalid-number-of-calls:3 missing-function-name:2; do
		run "$kiln" fold --format vsprof "$corpus/${damaged%:*}.csv"
		[ "$status" -eq 2 ]
		[[ "$output" == *"line ${damaged#*:}: "* ]]
	done
}

@test "austin: every metric of every version" {
	folds austin full
	folds austin full cpu
	folds austin full free
	folds austin old
	folds austin old free
	folds austin first
	said "3 of 17 lines skipped, first at line 12: expected the metrics of Austin's mode" <"$golden/austin/full.txt"
}

# Austin 3.7.0 at work on tests/perf/programs/shares.py, one sample in 15 ms. No package has it: Debian's
# 1.0 knows no Python of today. What it calls idle is no CPU time.
@test "austin: time, idle time and memory of a program of known shares, as summed by hand" {
	"$kiln" fold -q --kind cpu "$golden/austin/shares.txt" >cpu
	awk '{ all += $NF } /;three_quarters;spin/ { three += $NF } END { print three / all; exit !(three / all > 0.67 && three / all < 0.83) }' cpu
	run ! grep waiter cpu
	awk '!/^#/ && NF { split($NF, m, ","); wall += m[1]; cpu += m[2] ? 0 : m[1]
			alloc += m[3] > 0 ? m[3] : 0; free -= m[3] < 0 ? m[3] : 0 }
		END { printf "wall %d\ncpu %d\nalloc %d\nfree %d\n", wall, cpu, alloc, free }' "$golden/austin/shares.txt" >own
	cat own
	while read -r kind total; do
		[ "$("$kiln" fold -q --kind "$kind" "$golden/austin/shares.txt" | awk '{ sum += $NF } END { print sum + 0 }')" -eq "$total" ]
	done <own
	"$kiln" fold -q --lines "$golden/austin/shares.txt" | grep -q ';three_quarters (shares.py:13);spin (shares.py:'
	"$kiln" info "$golden/austin/shares.txt" | grep -E '^threads +2 threads'
}

@test "austin: threads, lines, and when each sample was" {
	"$kiln" convert -q -o a.kiln "$golden/austin/full.txt"
	"$kiln" info a.kiln >info
	grep -E '^recorder +austin 3.7.0$' info
	grep -E '^time span +2.11 ms' info
	grep -E '^threads +3 threads of 1 process' info
	"$kiln" fold -q --lines a.kiln | grep -F ';main (app.py:8);:GC: 1100'
	"$kiln" fold -q --time 2ms.. a.kiln | diff - <(printf '%s\n' \
		'process-12;thread-12 900' 'process-12;thread-12;:INVALID: 10')
}

@test "austin: no sample, no success" {
	refused "line 1: unexpected end: expected a sample" <<<'# austin: 3.7.0'
	refused 'line 1: expected a thread, frames and metrics' --format austin <<<'P12;T0:12;a.py:main:7'
	refused 'line 1: expected a thread, frames and metrics' --format austin <<<'main;a 7'
	refused 'line 3: the sum of all values exceeds 2^63' --format austin <<-'END'
		# mode: memory
		P1;T1 9223372036854775807
		P1;T1;a:b:1 1
	END
}

@test "stackprof: stacks of samples, and a call graph where there are none" {
	# As stackprof --stackcollapse prints the first, added up.
	suffix=json same stackprof/raw --kind samples
	suffix=json same stackprof/graph --kind samples
	[ "$("$kiln" fold -q "$golden/stackprof/raw.json" | awk '{ n += $NF } END { print n }')" -eq \
		$((4000000 * $("$kiln" fold -q --kind samples "$golden/stackprof/raw.json" | awk '{ n += $NF } END { print n }'))) ]
	"$kiln" fold -q --lines "$golden/stackprof/raw.json" | grep -qF 'Object#two_thirds (app.rb:4);Object#leaf (app.rb:2);Integer#times'
	"$kiln" info "$golden/stackprof/raw.json" | grep -E '^time span'
	local start='{"version":1.2,"mode":"cpu","interval":1000,"missed_samples":3,"frames":{"7":{"name":"f","file":"a.rb"}},'
	said 'frames that do not exist, shown as [unknown]: 1' <<<"$start\"raw\":[2,7,8,5]}"
	"$kiln" fold -q input | diff - <(echo 'f;[unknown] 5000000')
	"$kiln" info input | grep -F 'expected 8, delivered 5, lost 3'
	refused 'item 3 of `raw`: expected the number of frames, as many ids, and a number of samples' <<<"$start\"raw\":[1,7,5,9,7]}"
	refused 'item 0 of `raw`: expected' <<<"$start\"raw\":[-1,7,5]}"
	refused 'the sum of all values exceeds 2^63' <<<"$start\"raw\":[1,7,9223372036854775807]}"
	refused 'expected an `interval` from 1' <<<'{"mode":"cpu","interval":0,"missed_samples":0,"frames":{},"raw":[]}'
	refused 'expected the id of a frame' <<<'{"mode":"cpu","interval":1,"missed_samples":0,"frames":{"x":{}}}'
	refused 'expected a sample' <<<"$start\"raw\":[]}"
}

@test "jfr print: samples, allocations and durations" {
	same jfr-print/events
	expected=jfr-print/events.alloc same jfr-print/events --kind ObjectAllocationSample
	said '2 stacks have no outermost frames ([truncated:depth]): print the recording with --stack-depth 64' <"$golden/jfr-print/events.txt"
	"$kiln" convert -q -o a.kiln "$golden/jfr-print/events.txt"
	"$kiln" info a.kiln | grep -E '^threads +1 thread'
	cat >events <<-'END'
		jdk.ThreadPark {
		  startTime = 23:59:59.500 (2024-05-01)
		  duration = 1,5 s
		  eventThread = "a "b"" (javaThreadId = 7)
		  stackTrace = [
		    A.lambda$go$0() line: 12
		    java.lang.Thread.run()
		  ]
		}
		jdk.GCPhase {
		  startTime = 23:59:59.600
		}
		jdk.ThreadPark {
		  startTime = 23:59:59.700
		  duration = soon
		  stackTrace = [
		    A.go() line: 1
		  ]
		}
		lost
	END
	said '2 of 20 lines skipped, first at line 15: expected an amount such as' <events
	"$kiln" fold -q --lines events | diff - <(echo 'java.lang.Thread.run;A.lambda$go$0 1500000000')
	"$kiln" fold -q --by-thread events | grep -q '^a "b"'
	printf 'jdk.ExecutionSample {\n  startTime = 1:2:3\n}\n' | refused 'expected a sample'
}
