# jit.bats: perf.data of programs that make code while they run, named by what the runtime wrote.
load common

setup_file() {
	load common
	[ -z "$(missing)" ] || return 0
	command -v node >/dev/null || skip "no node"
	# Who records by perf needs the map afterwards.
	grep -v rmSync "$here/../privileged/programs/reuse.js" >"$BATS_FILE_TMPDIR/reuse.js"
	export reuse=$BATS_FILE_TMPDIR/reuse.js
}

# reused OPTION... -- OPTION...: a.data, by these options of perf and these of node; `own` is how much
# CPU time each function has had. perf itself may crash when it is under load.
reused() {
	local perf=() try
	while [ "$1" != -- ]; do perf+=("$1"); shift; done
	shift
	for try in 1 2 3; do
		perf record -q "${perf[@]}" -F 997 -e cpu-clock -g -o a.data -- \
			node --expose-gc "$@" "$reuse" >own 2>said && return
	done
	cat said
	return 1
}

# What a program gets that loads a.data by libkiln.
by_library() {
	local lib=${KILN_BUILD:-$here/../../build}/src/api
	cat >by_library.c <<-'END'
		#include <kiln.h>

		int main(void)
		{
			kiln_profile *p = kiln_load("a.data", NULL, NULL);

			return !p || !kiln_render(kiln_view_new(p, KILN_BY_FUNCTION), "folded", NULL, "-", NULL);
		}
	END
	cc -I"$here/../../include" by_library.c -o by_library -L"$lib" -lkiln
	LD_LIBRARY_PATH=$lib ./by_library
}

# near FILE PERCENT: how many functions have the time that they had, give or take this part of it.
near() {
	"$kiln" fold a.data >folded 2>notes
	python3 - "$1" <<-'END'
	import collections, re, sys
	shown, near = collections.Counter(), 0
	for line in open("folded"):
	    stack, _, ns = line.rpartition(" ")
	    names = re.findall(r"\bwork\d+\b", stack)
	    shown[names[-1] if names else None] += int(ns) / 1e6
	for line in open("own"):
	    name, ms = line.split()
	    near += abs(shown[name] - int(ms)) < float(sys.argv[1]) / 100 * int(ms)
	print(near)
	END
}

@test "a jitdump beside perf.data with its clock: every function has its time" {
	reused -k mono -- --perf-prof
	[ "$(near 10)" -eq 12 ]
	run ! grep -E 'nobody knows when|skipped' notes
	"$kiln" fold -q --lines a.data | grep -oqE 'work[0-9]+ [^;]*\([^;)]*:[34]\)'
	# Elsewhere it is found by the mapping that the program made of it.
	mkdir elsewhere && mv a.data elsewhere
	"$kiln" fold -q elsewhere/a.data | cmp folded -
}

@test "a log of V8 beside perf.data: every function has its time" {
	reused -k mono -- --log-code
	[ "$(near 10)" -eq 12 ]
	run ! grep 'skipped' notes
	mkdir logs && mv isolate-*-v8.log logs
	[ -z "$("$kiln" fold -q a.data | grep -E "\bwork[0-9]")" ]
	"$kiln" fold -q --v8-log 'logs/*.log' a.data | cmp folded -
	# A copy does not know when it was begun: last writer, and a note.
	cp logs/isolate-*-v8.log .
	[ "$(near 10)" -lt 8 ]
	grep -q 'at addresses reused by later code' notes
}

@test "a perf map that nobody followed: the last writer, and a note that counts" {
	reused -- --perf-basic-prof
	map=/tmp/perf-$(perf script -i a.data -F pid 2>/dev/null | awk 'NF {print $1; exit}').map
	[ -s "$map" ]
	[ "$(near 10)" -lt 8 ]
	grep -qE 'a.data: [0-9,]+ samples are in JIT code at addresses reused by later code' notes
	run ! grep 'skipped' notes
	# Lines that say nothing of code are told, once.
	printf 'no code\n7000\n' >>"$map"
	"$kiln" fold a.data 2>&1 >/dev/null | grep -xF "kiln: a.data: 2 lines of ${map##*/}: skipped: it has no names of code"
	# Beside the input it is found as well, and by libkiln.
	mv "$map" .
	"$kiln" fold -q a.data | cmp folded -
	by_library | cmp folded -
}
