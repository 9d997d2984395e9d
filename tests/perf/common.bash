# common.bash: recordings made by perf, and what Kiln makes of them beside what perf makes of them.
bats_require_minimum_version 1.5.0
export KILN_CACHE= # what earlier runs found out is not asked, and stays as it is

kiln=${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}
here=$BATS_TEST_DIRNAME
checkers=${KILN_BUILD:-$here/../../build}/tests/perf

# What is missing here, if anything.
missing() {
	[ "$(id -u)" -eq 0 ] || { echo "needs root"; return; }
	perf version >/dev/null 2>&1 || echo "needs perf"
}

# build NAME SOURCE [OPTION...]: a C or C++ program of programs/, in $bin, which a file's tests share.
build() {
	local name=$1 source=$here/programs/$2 compiler=gcc
	shift 2
	case $source in *.cc) compiler='g++ -std=c++17' ;; esac
	$compiler -O2 -g -pthread -o "$bin/$name" "$source" "$@"
}

setup() {
	[ -z "$(missing)" ] || skip "$(missing)"
	cd "$BATS_TEST_TMPDIR" || return
	# perf keeps copies of binaries below the home directory, and both look for them there.
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
	unset DEBUGINFOD_URLS
}

# record NAME OPTION... -- COMMAND...: NAME.data, 2999 samples a second unless told otherwise.
record() {
	local name=$1
	shift
	perf record -q -F 2999 -e cpu-clock -o "$name.data" "$@" >"$name.said" 2>&1 ||
		{ cat "$name.said"; return 1; }
}

# same NAME [OPTION...]: folding NAME.data equals folding what `perf script` prints of it, stack by
# stack, except for the improvements that compare_folds.py lists; the options are its own.
# $kind chooses the event.
same() {
	local name=$1 kind=${kind:-cpu}
	shift
	[ -e "$name.txt" ] || perf script -i "$name.data" >"$name.txt" 2>"$name.said" ||
		{ cat "$name.said"; return 1; }
	"$kiln" fold -q --idle --all --kind "$kind" "$name.txt" >"$name.$kind.perf"
	"$kiln" fold -q --idle --all --kind "$kind" "$name.data" >"$name.$kind.kiln"
	python3 "$here/compare_folds.py" "$@" "$name.$kind.perf" "$name.$kind.kiln"
}
