# script_fields.bats: perf script's text with any fields, in any order: the same stacks, the same weights.
bats_require_minimum_version 1.5.0
load common

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	[ -z "$(missing)" ] || return 0
	cat >work.cc <<-'CC'
		template <typename T> __attribute__((noinline)) T spin(T x)
		{
			for (int i = 0; i < 100000; i++)
				x = x * T(1.0001) + T(i % 7);
			return x;
		}
		int main()
		{
			volatile double x = 1;
			for (int i = 0; i < 1500; i++)
				x = spin(x) / 1e9;
		}
	CC
	g++ -O1 -g -fno-omit-frame-pointer work.cc -o "my work"
	perf record -q -F 999 -e cpu-clock -g --sample-cpu -o perf.data -- "./my work"
	perf script -i perf.data >default.txt
}

setup() {
	[ -z "$(missing)" ] || skip "$(missing)"
	cd "$BATS_FILE_TMPDIR" || return
	export HOME=$BATS_FILE_TMPDIR
}

# folds OPTIONS...: what becomes of the text that perf script prints with them.
folds() {
	perf script -i perf.data "$@" | "$kiln" fold -q -
}

@test "fields that say more, or in another order, change nothing" {
	"$kiln" fold -q default.txt >expected
	grep -q '^my_work;.*main;spin<double> [0-9]*$' expected
	while read -r options; do
		# shellcheck disable=SC2086 # several options a line
		folds $options | diff expected - || { echo "with $options"; false; }
	done <<-'OPTIONS'
		-F comm,pid,tid,cpu,time,event,ip,sym,dso,period
		-F comm,tid,time,event,ip,sym,dso,period
		-F comm,pid,time,period,event,ip,sym,dso,symoff
		-F time,event,comm,pid,period,ip,sym,dso
		-F comm,event,ip,sym,dso,period
		-F comm,cpu,event,ip,sym,dso,period
		-F comm,time,event,ip,sym,dso,period
		-F +srcline
		-F +misc
		-F +insn
		--full-source-path -F +srcline,+srccode
		--no-demangle
		--header
		--ns
		--reltime
		--deltatime
		--show-task-events
		--show-mmap-events
	OPTIONS
}

@test "without periods and events samples are counted" {
	"$kiln" fold -q --kind samples default.txt >expected
	while read -r fields; do
		folds -F "$fields" | diff expected - || { echo "with -F $fields"; false; }
	done <<-'FIELDS'
		comm,tid,ip,sym,dso
		comm,pid,tid,ip,sym,dso
		comm,cpu,time,ip,sym,dso
		comm,time,ip,sym,dso
		comm,tid,event,ip,sym,dso
		comm,ip,sym,dso
		comm,ip,sym
		comm,ip,sym,symoff,dso
		comm,event,ip,sym
		comm,misc,ip,sym,dso
	FIELDS
}

# root_off: folded lines without their first frame, which nobody told, summed.
root_off() {
	sed 's/^[^;]*;//' | awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (s in sum) print s sum[s] }' | sort
}

@test "without the program's name stacks are the same" {
	"$kiln" fold -q --kind samples default.txt | root_off >expected
	while read -r fields; do
		folds -F "$fields" | root_off | diff expected - || { echo "with -F $fields"; false; }
	done <<-'FIELDS'
		ip,sym
		ip,sym,dso
		event,ip,sym
		tid,ip,sym
		pid,tid,ip,sym,dso
		time,ip,sym
		cpu,time,ip,sym,dso
	FIELDS
	[ "$(folds -F comm,ip | awk '{ sum += $NF } END { print sum }')" -eq \
		"$("$kiln" fold -q --kind samples default.txt | awk '{ sum += $NF } END { print sum }')" ]
}

@test "samples that nothing separates are refused" {
	perf script -i perf.data -F comm,ip,sym,insnlen >unseparated.txt
	run -2 "$kiln" fold unseparated.txt
	[[ $output == *"unknown format"* ]]
}

@test "of two events the first that has samples is shown" {
	perf record -q -o two.data -e alignment-faults -e cpu-clock perl -e '1 for 1..5e6'
	"$kiln" fold two.data 2>said >folded
	grep -q '^perl;' folded
	grep -q 'showing cpu-clock .*; --kind shows another event: alignment-faults' said
	"$kiln" draw -q two.data -o two.html
	grep -q 'data-state="[^"]*kind=' two.html
}
