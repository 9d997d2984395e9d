# classic.bats: kiln classic, and other tools' names.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset NO_COLOR COLUMNS
	export LC_ALL=C.UTF-8
	"$kiln" classic --link classic
	PATH=$PWD/classic:$PATH
	cat >perf.txt <<-'END'
	java 12/13 [000] 1.000001:     10 cycles:
	        ffffffff81000010 do_work+0x10 ([kernel.kallsyms])
	            7f0000000020 La/B;.run(I)V+0x20 (/tmp/perf-12.map)
	            7f0000000030 [unknown] (/usr/lib/libx.so)

	java 12/13 [000] 1.000002:     5 instructions:
	            7f0000000020 La/B;.run(I)V+0x20 (/tmp/perf-12.map)

	java 12/13 [000] 1.000003:     7 cycles:
	            7f0000000020 std::map<int, void (*)(int)>::at(int)+0x20 (/usr/bin/x)
	END
}

@test "without an installation it says how to get the links; with one it tells the folder" {
	run "$kiln" classic
	[ "$status" -eq 1 ]
	[[ $output == "kiln: classic: "*" does not exist: "*"; create a folder of links with: kiln classic --link DIR" ]]
	mkdir -p usr/bin usr/libexec/kiln/classic
	cp "$(readlink -f "$kiln")" usr/bin/kiln
	[ "$(usr/bin/kiln classic)" = "$PWD/usr/libexec/kiln/classic" ]
}

@test "every name of the list is a link, and knows its options" {
	"$kiln" classic --list | while read -r name about; do
		[ -n "$about" ]
		[ "$(readlink -f "classic/$name")" = "$(readlink -f "$kiln")" ]
		"$name" --help </dev/null | grep -q "^usage: $name "
	done
	[ "$(ls classic | wc -l)" = "$("$kiln" classic --list | wc -l)" ]
}

@test "a folder that cannot be made, and operands that nobody wants" {
	run "$kiln" classic --link perf.txt/there
	failed_with 1 "kiln: classic: perf.txt/there: cannot make the folder: Not a directory"
	run "$kiln" classic stackcollapse-perf.pl
	[ "$status" -eq 2 ]
}

@test "stackcollapse-perf.pl: the first event, cut as Perl cuts, a last stack that counts" {
	run -0 --separate-stderr stackcollapse-perf.pl perf.txt
	[ "$output" = $'java;[libx.so];a/B:.run;do_work 10\njava;std::map<int, void  7' ]
	[[ $stderr == *"left out 1 sample of events other than cycles"* ]]
}

@test "stackcollapse-perf.pl: options, cut short, in any case, with one dash or two" {
	run -255 stackcollapse-perf.pl -a perf.txt
	[ "$output" = "kiln: stackcollapse-perf.pl: option a is ambiguous (all, addrs)" ]
	run -0 --separate-stderr stackcollapse-perf.pl -AL -TID --ev=cycles --ad perf.txt
	[ "${lines[0]}" = 'java-12/13;[libx.so <7f0000000030>];a/B:.run_[j];do_work_[k] 10' ]
	run -0 --separate-stderr stackcollapse-perf.pl --event-filter instructions --pid perf.txt
	[ "$output" = 'java-12;a/B:.run 5' ]
	run -0 --separate-stderr stackcollapse-perf.pl --event-filter nothing perf.txt
	[ -z "$output" ]
}

@test "stackcollapse-perf.pl: several files are one; source lines on request" {
	printf 'a 1 1.1: 3 cycles:\n\t 10 f+0x1 (/bin/a)\n  main.c:12\n\t 20 g (/bin/a)\n  a[20]\n' >one.txt
	printf 'b 1 1.1: 4 cycles:\n\t 10 h (/bin/b)\n' >two.txt
	run -0 --separate-stderr stackcollapse-perf.pl --src one.txt two.txt
	[ "$output" = $'a;g:a;f:main.c:12 3\nb;h 4' ]
}

@test "stackcollapse-perf.pl: nothing in, nothing out; a missing file is an error" {
	run -0 --separate-stderr stackcollapse-perf.pl </dev/null
	[ -z "$output" ]
	run stackcollapse-perf.pl nowhere.txt
	failed_with 1 "kiln: nowhere.txt: cannot open: No such file or directory"
}

@test "inferno-collapse-perf: templates stay whole, events without their modifiers" {
	sed -i 's/cycles:/cycles:u:/' perf.txt
	run -0 --separate-stderr inferno-collapse-perf --event-filter cycles --all -q -n 4 perf.txt
	[ "$output" = $'java;[libx.so];a/B:.run_[j];do_work_[k] 10\njava;std::map<int, void (*)(int)>::at 7' ]
	[ -z "$stderr" ]
}

@test "difffolded.pl: sorted, zero for what is missing, -n and -s joined" {
	printf 'b;0x1f 10\na 5\nzero 0\n' >one.folded
	printf 'b;0x2e 4\nnew  3\na 2\n' >two.folded
	run -0 difffolded.pl one.folded two.folded
	[ "$output" = $'a 5 2\nb;0x1f 10 0\nb;0x2e 0 4\nnew  0 3\nzero 0 0' ]
	run -0 difffolded.pl -ns one.folded two.folded
	[ "$output" = $'a 3 2\nb;0x... 6 4\nnew  0 3\nzero 0 0' ]
	run -0 inferno-diff-folded --normalize -s one.folded two.folded
	[ "$output" = $'a 3 2\nb;0x... 6 4\nnew 0 3\nzero 0 0' ]
}

@test "difffolded.pl: decimals, and what is no count" {
	printf 'a 0.5\na 0.25\nb 18446744073709551615\n' >one.folded
	printf 'a 1\nnothing\n' >two.folded
	run -0 --separate-stderr difffolded.pl one.folded two.folded
	[ "$output" = $'a 0.75 1\nb 18446744073709551615 0' ]
	[ "$stderr" = "kiln: two.folded: 1 of 2 lines skipped, first at line 2: expected frames and a number" ]
	printf 'a 2\t\r\n' >blanks.folded
	[ "$(inferno-diff-folded blanks.folded two.folded 2>/dev/null)" = "a 2 1" ]
	run difffolded.pl one.folded
	failed_with 2 "kiln: difffolded.pl: usage: difffolded.pl [-hns] BEFORE.folded AFTER.folded >DIFF.folded"
}

# The boxes of a picture, as a script would take them out: title, x, y, width, fill.
boxes() {
	sed -n 's/.*<title>\(.*\)<\/title><rect x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)".*fill="\([^"]*\)".*/\1|\2|\3|\4|\5/p' "$@"
}

@test "flamegraph.pl: boxes in the order of lines, lengths in tenths, shares of rounded counts" {
	printf 'a;b 50\na;b.part.0 30\na;b;c 40\n' >x.folded
	run -0 --separate-stderr flamegraph.pl <x.folded
	[ -z "$stderr" ]
	diff <(boxes <<<"$output") - <<-'END'
	all (120 samples, 100%)|10|85|1180|rgb(213,39,9)
	a (120 samples, 100.00%)|10|69|1180|rgb(236,146,35)
	b (50 samples, 41.67%)|10|53|491.7|rgb(230,117,28)
	b.part.0 (30 samples, 25.00%)|501.7|53|295|rgb(240,161,38)
	b (40 samples, 33.33%)|796.7|53|393.3|rgb(230,117,28)
	c (40 samples, 33.33%)|796.7|37|393.3|rgb(224,87,20)
	END
	for id in frames details search unzoom matched title ignorecase; do
		[[ $output == *"id=\"$id\""* ]]
	done
	[[ $output == *'>Flame Graph<'* && $output != *'id="legend"'* && $output != *'id="subtitle"'* ]]
}

@test "flamegraph.pl: options as Getopt::Long takes them" {
	printf 'a;b 500\n' >x.folded
	run -0 flamegraph.pl -WID=640 --inv --sub 'x & y' -tit T --enc ISO-8859-1 --col=mem x.folded
	[[ $output == *'width="640"'* && $output == *'>T</text>'* && $output == *'x &amp; y'* ]]
	[[ $output == *'encoding="UTF-8"'* && $output == *'fill="rgb(0,'* ]]
	run flamegraph.pl --c=x x.folded
	[ "$status" -eq 255 ]
	[ "$output" = "kiln: flamegraph.pl: option c is ambiguous (countname, cp, colors)" ]
	run -0 flamegraph.pl --title '' --flamechart x.folded
	[[ $output == *'>Flame Chart</text>'* ]]
}

@test "flamegraph.pl: what it says, and what it draws when there is nothing" {
	run -2 --separate-stderr flamegraph.pl --width 500 /dev/null
	[ "$stderr" = $'Stack count is low (0). Did something go wrong?\nERROR: No stack counts found' ]
	[[ $output == *'width="500" height="60"'*'>ERROR: No valid input provided to flamegraph.pl.</text>'* ]]
	printf '# comment\n\nnothing\na;b 2.5\na 1\n' >x.folded
	run -0 --separate-stderr flamegraph.pl --total 2 x.folded
	[ "${stderr_lines[0]}" = "Stack count is low (3.5). Did something go wrong?" ]
	[ "${stderr_lines[1]}" = "Ignored 3 lines with invalid format" ]
	[ "${stderr_lines[2]}" = "Specified --total 2 is less than actual total 3.5, so ignored" ]
	run -0 --separate-stderr flamegraph.pl --countname us --total=7 x.folded
	[ "$stderr" = "Ignored 3 lines with invalid format" ]
	[[ $output == *'<title>all (7 us, 100%)</title>'*'<title>a (4 us, 57.14%)</title>'* ]]
	run -1 --separate-stderr inferno-flamegraph -q /dev/null
	[ -z "$stderr" ]
	[[ $output == *'>ERROR: No valid input provided to flamegraph.</text>'* ]]
}

@test "flamegraph.pl: differences, on the scale of the largest one" {
	printf 'a;b 10 50\na;b;c 60 40\na;d 30\n' >x.folded
	printf 'a;b 10 50\na;b;c 60 40\n' >y.folded
	run -0 flamegraph.pl y.folded
	diff <(boxes <<<"$output" | cut -d'|' -f1,5) - <<-'END'
	all (90 samples, 100%)|rgb(255,255,255)
	a (90 samples, 100.00%; 0.00%)|rgb(255,255,255)
	b (90 samples, 100.00%; +44.44%)|rgb(255,0,0)
	c (40 samples, 44.44%; -22.22%)|rgb(105,105,255)
	END
	printf 'a;b 10 0\na;b;c 0 40\n' | flamegraph.pl --countname us | grep -q '<title>b (40 us, 100.00%; -25.00%)</title>'
	run -0 flamegraph.pl --negate y.folded
	[[ $output == *'b (90 samples, 100.00%; -44.44%)</title>'*'fill="rgb(0,0,255)"'* ]]
	printf 'a;b 10 50\na;c 60 40\na;b 30 0\na;b;d 3 9\n' | flamegraph.pl --flamechart >chart.svg
	diff <(boxes chart.svg | cut -d'|' -f1,5) - <<-'END'
	all (99 samples, 100%)|rgb(255,255,255)
	a (99 samples, 100.00%; 0.00%)|rgb(255,255,255)
	b (50 samples, 50.51%; +40.40%)|rgb(255,0,0)
	c (40 samples, 40.40%; -20.20%)|rgb(105,105,255)
	b (9 samples, 9.09%; -30.30%)|rgb(52,52,255)
	d (9 samples, 9.09%; +6.06%)|rgb(255,178,178)
	END
	run -0 inferno-flamegraph y.folded
	[[ $output == *'a (90 samples, 100.00%; 0.00%)</title>'*'fill="rgb(250,250,250)"'* ]]
}

@test "inferno-flamegraph: stacks from a base, lines in their order" {
	printf 'a;x;y 60\nb 30\nx 10\na;x;y 5\n' >x.folded
	run -0 inferno-flamegraph --base x x.folded
	[ "$(boxes <<<"$output" | cut -d'|' -f1)" = $'all (75 samples, 100%)\nx (75 samples, 100.00%)\ny (65 samples, 86.67%)' ]
	run -0 inferno-flamegraph --no-sort -c java x.folded
	[ "$(boxes <<<"$output" | cut -d'|' -f1 | tr '\n' ' ')" = 'all (105 samples, 100%) a (60 samples, 57.14%) x (60 samples, 57.14%) y (60 samples, 57.14%) b (30 samples, 28.57%) x (10 samples, 9.52%) a (5 samples, 4.76%) x (5 samples, 4.76%) y (5 samples, 4.76%) ' ]
}

@test "range-perf.pl: seconds from the first event, raw, or from its whole second" {
	for s in 5.5 6.0 7.25 9; do printf 'a 1 [000] %s00000: 1 cycles:\n\t1 f (/x)\n\n' "$s"; done >perf.txt
	sed -i 's/ 900000/ 9.000000/' perf.txt
	run -0 range-perf.pl 0.5 2 <perf.txt
	[ "$(grep -c cycles <<<"$output")" -eq 2 ]
	[ "${lines[0]}" = "a 1 [000] 6.000000: 1 cycles:" ]
	run -0 range-perf.pl --timeraw 7 8 <perf.txt
	[ "${lines[0]}" = "a 1 [000] 7.2500000: 1 cycles:" ]
	run -0 range-perf.pl -timez 0.75 1 perf.txt
	[ "${lines[0]}" = "a 1 [000] 6.000000: 1 cycles:" ]
	run range-perf.pl 1
	[ "$status" -eq 255 ]
}

@test "pkgsplit-perf.pl: packages are frames, numbers are one" {
	cat >perf.txt <<-'END'
	     java 13905 [000]  8048.096572: cpu-clock:      7fd781ac3053 Ljava/util/Arrays$1;::toArray (/tmp/perf-1.map)
	 my program 7/8 [050] 13527.392454:  99 cycles:u:      7fa8 Dictionary::find(int, Thread*) (/usr/lib/libjvm.so)
	  swapper     0 [000]  8048.096572: cpu-clock:  ffffffff native_safe_halt ([kernel])
	END
	run -0 pkgsplit-perf.pl perf.txt
	[ "$output" = $'java;java;util;Arrays$X;::toArray 1\nmy_program;Dictionary::find(int, Thread*) 1' ]
}

@test "files.pl: sizes by folders" {
	mkdir -p 'tree/a b'
	printf 12345 >'tree/a b/x+y.txt'
	run -0 files.pl tree
	[[ $output == *$'\ntree;a_b;x_y.txt 5' ]]
	run -0 files.pl --xdev "$PWD/tree"
	[[ ${lines[0]} == "$(sed 's/^\///; s/[^A-Za-z0-9.-]/;/g' <<<"$PWD" | tr -s ';')"* || ${lines[0]} == tmp* ]]
	run files.pl
	[ "$status" -eq 255 ]
}

@test "stackcollapse-recursive.pl, and of inferno: frames on equal ones are one" {
	printf 'a;a;b;b;a 2\na;b;a 1\n' >x.folded
	for tool in stackcollapse-recursive.pl inferno-collapse-recursive; do
		[ "$("$tool" x.folded)" = "a;b;a 3" ]
	done
}

@test "stackcollapse-recursive.pl, and of inferno: lines without a count are said" {
	printf 'a;a 2\na;b\n\nb 0\n' >x.folded
	for tool in stackcollapse-recursive.pl inferno-collapse-recursive; do
		run -0 --separate-stderr "$tool" x.folded
		[ "$output" = "a 2" ]
		[[ $stderr = *"1 of 4 lines skipped, first at line 2: expected frames and a number"* ]]
		run -0 --separate-stderr "$tool" <<<"no count"
		[ -z "$output" ]
		[[ $stderr = *"1 of 1 lines skipped, first at line 1: "* ]]
	done
}

@test "tracers and runtimes: each name reads its format" {
	golden=$BATS_TEST_DIRNAME/../golden
	[ "$(stackcollapse-bpftrace.pl "$golden/bpftrace/maps.txt" 2>&1 | head -1)" = 'busy;main+34;three_quarters()+9;spin+17 75' ]
	[ "$(stackcollapse-stap.pl "$golden/stap/symbols.txt" | wc -l)" -eq 2 ]
	stackcollapse-elfutils.pl --tid --pid "$golden/eu-stack/threads.txt" | grep -q '^PID=31648;TID=31648;'
	stackcollapse-jstack.pl --no-include-tname -short "$golden/jstack/states.txt" 2>&1 | grep -q '^c.e.Main.main;'
	stackcollapse-java-exceptions.pl --no-pkgs "$golden/java-exceptions/causes.txt" | grep -q '^Work.outer'
	stackcollapse-ibmjava.pl --include-tid "$golden/javacore/threads.txt" | grep -q '^Finalizer thread-0x315A;'
	stackcollapse-sample.awk -v MODULES=0 "$golden/sample/threads.txt" | grep -q '`start;'
	stackcollapse-sample.awk MODULES=0 "$golden/sample/threads.txt" | grep -q '^Thread_15758523.DispatchQueue_1:;start;'
	stackcollapse-perf-sched.awk "$golden/perf-sched/switches.perf" | grep -q ' 250100$'
	[ "$(stackcollapse-xdebug.php -c "$golden/xdebug/trace.txt" 2>&1 | sort)" = "$(sort "$golden/xdebug/trace.calls.folded")" ]
	inferno-collapse-guess "$golden/jstack/states.txt" 2>&1 | grep -q 'com.example.Main.main'
}

@test "inferno-collapse-perf --skip-after: stacks begin at a function, others stay" {
	run -0 --separate-stderr inferno-collapse-perf --skip-after a/B:.run --skip-after nothing perf.txt
	[ "$output" = $'a/B:.run;do_work 10\njava;std::map<int, void (*)(int)>::at 7' ]
}

# What a program whose parts lie at fixed addresses, or anywhere ($2), was doing in its function.
inlined_program() {
	cat >app.cc <<-'END'
	#include <stdlib.h>
	namespace ns {
	inline __attribute__((always_inline)) int inner(volatile int *p, int x)
	{
	        return *p += x;
	}
	__attribute__((noinline)) int work(volatile int *p, int n)
	{
	        return inner(p, n) * 2;
	}
	}
	int main(int argc, char **argv)
	{
	        volatile int a = 0;
	        return ns::work(&a, argc);
	}
	END
	g++ -O2 -g "$1" app.cc -o app
	read -r start size _ < <(nm -S app | grep ' _ZN2ns4work' | sed 's/^0*//')
	for i in $(seq 0 $((16#$size - 1))); do
		printf 'app 12 1.1: 1 cycles:\n\t%16x _ZN2ns4workEPVii+0x%x (%s/app)\n' \
			$((16#$start + i + $2)) "$i" "$PWD"
		printf '\t%16x main+0x1 (%s/elsewhere)\n\t%16x f ([vdso])\n\n' 1 "$PWD" 2
	done >inlined.txt
}

@test "stackcollapse-perf.pl --inline: functions by the binaries, inlined ones and lines too" {
	for way in "-no-pie 0" "-pie $((16#555555554000))"; do
		inlined_program $way
		run -0 --separate-stderr stackcollapse-perf.pl --inline inlined.txt
		[[ $output == *'app;f;main;ns::work(int volatile*, int);ns::inner(int volatile*, int) '* ]]
		[[ $output == *'app;f;main;ns::work(int volatile*, int) '* ]]
		[ "${#lines[@]}" -eq 2 ]
		run -0 --separate-stderr stackcollapse-perf.pl -context --inl inlined.txt
		[[ $output == *'app;f;main;ns::work(int volatile*, int):app.cc:9;ns::inner(int volatile*, int):app.cc:5 '* ]]
		peer=$(find -L "${KILN_PEERS:-/nowhere}" -maxdepth 2 -name stackcollapse-perf.pl 2>/dev/null | head -1)
		[ -z "$peer" ] || for options in --inline "--inline --context" "--inline --all --tid"; do
			diff <("$peer" $options inlined.txt 2>/dev/null) <(stackcollapse-perf.pl $options inlined.txt)
		done
	done
	run -0 --separate-stderr stackcollapse-perf.pl --context perf.txt
	[ "${lines[0]}" = 'java;[libx.so];a/B:.run;do_work 10' ]
}

@test "stackcollapse-perf-sched.awk: who woke whom, by awk's variables" {
	wakers=$BATS_TEST_DIRNAME/../conformance/inputs/perf-sched-wakers.txt
	run -0 stackcollapse-perf-sched.awk -v record_tid=1 "$wakers"
	[ "${lines[0]}" = 'busy-9563;__schedule+0x12 7000' ]
	run -0 stackcollapse-perf-sched.awk -v record_wake_stack=1 "$wakers"
	[ "${lines[0]}" = 'busy;__schedule+0x12;try_to_wake_up+0x1;other 7000' ]
	for way in "-v recurse=1 -v" "-vrecurse=1 -vrecord_tid=0" recurse=1; do
		[ "$way" = "-v recurse=1 -v" ] && way="-v recurse=1 -v foo=1"
		run -0 stackcollapse-perf-sched.awk $way "$wakers"
		[ "${lines[0]}" = 'busy;__schedule+0x12;try_to_wake_up+0x1;other;-;omain+0x1;__schedule+0x12;try_to_wake_up+0x1;busy;-;main+0x1;__schedule+0x12;;swapper 7000' ]
	done
	# Where perf prints processes and threads, too.
	sed 's/^\(busy\|other\|third\|swapper\)  *\([0-9]*\) /\1 \2\/\2 /' "$wakers" >both.txt
	run -0 stackcollapse-perf-sched.awk -v recurse=1 -v record_tid=1 both.txt
	[[ ${lines[0]} == 'busy-9563;__schedule+0x12;try_to_wake_up+0x1;other-77/77;-;omain+0x1;'* ]]
	run stackcollapse-perf-sched.awk -v recurse "$wakers"
	[ "$status" -eq 2 ]
}

@test "files that are not there are told and passed over, as by Perl" {
	printf 'a;b 300\n' >x.folded
	run -1 --separate-stderr stackcollapse-recursive.pl nowhere x.folded
	[ "$output" = 'a;b 300' ]
	[ "$stderr" = "kiln: nowhere: cannot open: No such file or directory" ]
	run -0 --separate-stderr flamegraph.pl x.folded nowhere
	[[ $output == *'<title>b (300 samples, 100.00%)</title>'* ]]
	[ "$stderr" = "kiln: nowhere: cannot open: No such file or directory" ]
	run -2 --separate-stderr flamegraph.pl nowhere
	[[ $output == *'>ERROR: No valid input provided to flamegraph.pl.</text>'* ]]
	[ "${#stderr_lines[@]}" -eq 3 ]
}

@test "flamegraph.pl: what it takes, and what is a mistake" {
	printf 'a;b 300\n' >x.folded
	run -0 flamegraph.pl +inv --colors=mauve --width 60 x.folded
	[ "$(boxes <<<"$output" | cut -d'|' -f1,4,5 | tail -1)" = 'b (300 samples, 100.00%)|40|rgb(0,0,0)' ]
	[[ $output == *'>Icicle Graph<'*'stop-color="rgb(238,238,176)"'* || $output == *'stop-color="rgb(238,238,176)"'*'>Icicle Graph<'* ]]
	for mistake in --title= --minwidth=1e-3 '--notes=a<b' --bgcolors=mauve --factor=0 --width=20; do
		run -255 --separate-stderr flamegraph.pl "$mistake" x.folded
		[ -z "$output" ]
	done
	[ "$stderr" = "kiln: flamegraph.pl: --width: expected 21 to 100000 pixels" ]
}

@test "flamegraph.pl: a comment is as it was typed, but for dashes that would end it" {
	run -0 --separate-stderr flamegraph.pl --notes 'grün & y--z-' <<<'a 100'
	[[ $output == *"<!-- NOTES: grün & y- -z- -->"* ]]
}

@test "flamegraph.pl: a total beside which everything is too narrow leaves the root" {
	for chart in "" --flamechart; do
		# shellcheck disable=SC2086 # none or one option
		run -0 --separate-stderr flamegraph.pl $chart --total 10000000 <<<'a;b 100'
		[ "$(grep -o '<title>all ([^<]*' <<<"$output")" = "<title>all (10,000,000 samples, 100%)" ]
		[[ $output != *"<title>a ("* ]]
	done
}

@test "tools that know no comments: a name may start with #" {
	printf '#private;a;a 200\n# 12 lines\nb 100\n' >x.folded
	for tool in stackcollapse-recursive.pl inferno-collapse-recursive; do
		[ "$("$tool" x.folded 2>/dev/null)" = "$(printf '#private;a 200\nb 100')" ]
	done
	for tool in flamegraph.pl inferno-flamegraph; do
		run -0 --separate-stderr "$tool" x.folded
		[ "$(boxes <<<"$output" | cut -d'|' -f1 | grep -c '^#private (200 samples, 66.67%)')" -eq 1 ]
		[ "$stderr" = "Ignored 1 lines with invalid format" ]
	done
}

@test "flamegraph.pl: what is gone takes no frame away" {
	printf 'a;b 10 100\nc;b 50 0\n' >x.folded
	run -0 --separate-stderr flamegraph.pl x.folded
	[ "$(boxes <<<"$output" | cut -d'|' -f1,4 | tail -n +2)" = "$(printf '%s\n' 'a (100 samples, 100.00%; 0.00%)|1180' \
		'b (100 samples, 100.00%; +90.00%)|1180')" ] || { boxes <<<"$output"; return 1; }
}

@test "flamegraph.pl, inferno-flamegraph: attributes that cannot be read are a mistake, and no picture" {
	printf 'a;b 100\n' >x.folded
	printf 'a\ttitle=A\nb\n' >names
	for tool in flamegraph.pl inferno-flamegraph; do
		run -2 --separate-stderr "$tool" --nameattr names x.folded
		[ -z "$output" ]
		[[ $stderr = "kiln: names: line 2: expected a name, a tab and attributes"* ]]
		run "$tool" --nameattr nowhere x.folded
		failed_with 1 "kiln: nowhere: cannot open: No such file or directory"
	done
}

@test "flamegraph.pl --colors=chain: a separator on every stack" {
	printf 'a;b 100\na;b;--;w;x 50\n' >x.folded
	run -0 --separate-stderr flamegraph.pl --colors chain x.folded
	[ "$(boxes <<<"$output" | cut -d'|' -f1,5 | tail -n +2)" = "$(printf '%s\n' \
		'a (150 samples, 100.00%)|rgb(118,118,236)' 'b (150 samples, 100.00%)|rgb(110,110,230)' \
		'-- (150 samples, 100.00%)|rgb(160,160,160)' 'w (50 samples, 33.33%)|rgb(72,185,185)' \
		'x (50 samples, 33.33%)|rgb(64,178,178)')" ] || { boxes <<<"$output"; return 1; }
	# Turned round, it stands on what was the root, where the script puts it.
	run -0 --separate-stderr flamegraph.pl --colors chain --reverse x.folded
	[ "$(boxes <<<"$output" | cut -d'|' -f1,5 | tail -n +2 | sort)" = "$(printf '%s\n' \
		'-- (100 samples, 66.67%)|rgb(160,160,160)' '-- (50 samples, 33.33%)|rgb(160,160,160)' \
		'a (100 samples, 66.67%)|rgb(118,118,236)' 'a (50 samples, 33.33%)|rgb(63,176,176)' \
		'b (100 samples, 66.67%)|rgb(110,110,230)' 'b (50 samples, 33.33%)|rgb(55,169,169)' \
		'w (50 samples, 33.33%)|rgb(127,127,244)' 'x (50 samples, 33.33%)|rgb(120,120,238)')" ] ||
		{ boxes <<<"$output"; return 1; }
}

@test "inferno-collapse-ghcprof: a column that is not there is a mistake" {
	printf '%s\n' 'COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc' '' 'main Main a.hs:1:1 1 1 40.0 10.0 40.0 10.0' >shares.prof
	run -0 --separate-stderr inferno-collapse-ghcprof --time shares.prof
	[ "$output" = "Main.main 400" ]
	run -2 --separate-stderr inferno-collapse-ghcprof --ticks shares.prof
	[ "$output" = "" ]
	[[ $stderr == *"no kind 'ticks'"* ]]
}

@test "tables: GHC, VTune, Visual Studio" {
	needs_corpus
	for bytes in "" --bytes; do
		[ -n "$(inferno-collapse-ghcprof $bytes "$corpus/inferno/collapse-ghcprof/ticks.prof")" ]
	done
	inferno-collapse-vtune --no-modules "$corpus/inferno/collapse-vtune/vtune.csv" | grep -q '^Total;RtlUserThreadStart;'
	stackcollapse-vsprof.pl "$corpus/inferno/collapse-vsprof/CallTreeSummary.csv" | grep -q '^Raytracer.OpenTkApp.Main();'
}
