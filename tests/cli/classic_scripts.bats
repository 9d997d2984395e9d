# classic_scripts.bats: scripts that use other tools as people do run on Kiln, and with the same results.
#
# The tools themselves run beside it when KILN_PEERS names a folder that has them.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset NO_COLOR COLUMNS
	export LC_ALL=C.UTF-8
	scripts=$BATS_TEST_DIRNAME/classic_scripts
	"$kiln" classic --link classic
	mkdir ours theirs
}

# Run a script with Kiln's names in front, then with the tools themselves.
run_script() {
	(cd ours && PATH=$BATS_TEST_TMPDIR/classic:$PATH "$scripts/$@")
	[ -n "$(ls ours)" ]
	peers=$(find -L "${KILN_PEERS:-/nowhere}" -maxdepth 3 -name flamegraph.pl -perm -u+x 2>/dev/null | head -1)
	[ -n "$peers" ] || return 0
	(cd theirs && PATH=$(dirname "$peers"):$PATH "$scripts/$@")
	for file in theirs/*; do
		case $file in
		*.folded | *.map | *messages) cmp "$file" "ours/${file#theirs/}" ;;
		*.svg) python3 "$BATS_TEST_DIRNAME/../golden/svg_compare.py" -c "ours/${file#theirs/}" "$file" ;;
		esac || { echo "$file differs"; return 1; }
	done
}

# Two runs of a program that calls work, io and, only later, log.
perf_text() {
	for i in $(seq 1 40); do
		printf 'app %d/%d [00%d] %d.000100:     250000 cycles:u: \n' 7 $((7 + i % 3)) $((i % 2)) "$i"
		[ $((i % 4)) = 0 ] && printf '\tffffffff81000%03d do_io+0x1%d ([kernel.kallsyms])\n' "$i" "$i"
		[ $((i % $1)) = 0 ] && printf '\t    55d0000010%02d log(char const*)+0x2 (/usr/bin/app)\n' "$i"
		printf '\t    55d0000011%02d Work::step(int)+0x%d (/usr/bin/app)\n' "$i" "$i"
		[ $((i % 5)) = 0 ] && printf '\t    7f0000001100 [unknown] (/tmp/perf-7.map)\n'
		printf '\t    55d000001200 main+0x20 (/usr/bin/app)\n\n'
	done
}

@test "a CPU profile" {
	perf_text 41 >perf.txt
	run_script cpu-profile.sh "$PWD/perf.txt"
	grep -q '^app;main;Work::step;do_io_\[k\] 2000000$' ours/all.folded
	grep -q '>CPU: web-1<' ours/all.svg
	grep -q '^app-7/8->rgb(' ours/palette.map
}

@test "a CPU profile: perf's text of the corpus" {
	needs_corpus
	gzip -dc "$corpus/flamegraph/example-perf-stacks.txt.gz" >perf.txt
	run_script cpu-profile.sh "$PWD/perf.txt"
	diff ours/all.folded <(sort ours/all.folded)
}

@test "before and after" {
	perf_text 41 >before.txt
	perf_text 3 >after.txt
	run_script before-after.sh "$PWD/before.txt" "$PWD/after.txt"
	grep -q '^app;main;Work::step;log 0 ' ours/diff2.folded
	grep -q '<title>log ([0-9,]* samples, [0-9.]*%; +[0-9.]*%)</title>' ours/diff2.svg
	run ! grep -q '<title>log ' ours/diff1.svg
}

@test "before and after: perf's text of the corpus" {
	needs_corpus
	for n in 1 2; do # Perl does not count a last stack without an empty line behind it
		{ cat "$corpus/flamegraph/perf/perf-java-stacks-0$n.txt"; echo; } >"java$n.txt"
	done
	run_script before-after.sh "$PWD/java1.txt" "$PWD/java2.txt"
}

@test "time off the CPU" {
	cat >map.txt <<-'END'
	Attaching 2 probes...

	@[
	    finish_task_switch+1
	    schedule+46
	    do_nanosleep+112
	,
	    __nanosleep+20
	    main+33
	, sleepy]: 90123456
	@[
	    finish_task_switch+1
	    schedule+46
	    futex_wait+8
	, pool]: 12000000
	END
	sed -i '/^,$/d' map.txt
	run_script off-cpu.sh "$PWD/map.txt"
	grep -qx 'sleepy;main+33;__nanosleep+20;do_nanosleep+112;schedule+46;finish_task_switch+1 90123456' ours/stacks.folded
	grep -q '<title>all (102,123 us, 100%)</title>' ours/off-cpu.svg
}
