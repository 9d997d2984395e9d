# common.bash: recordings made by perf, and what Kiln makes of them beside what perf makes of them.
bats_require_minimum_version 1.5.0

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

# same NAME: folding NAME.data equals folding what `perf script` prints of it, stack by stack, except
# for the improvements that compare_folds.py lists. $kind chooses the event, $comms (a pattern) the
# names of threads: what others on the machine run may be changed before it is named. The options are perf
# script's, Kiln's and (--unwound) those of the comparison.
same() {
	local name=$1 kind=${kind:-cpu} comms=${comms:-} inline=() unwound=()
	shift
	case " $* " in *" --no-inline "*) inline=(--no-inline) ;; esac
	case " $* " in *" --unwound "*) unwound=(--unwound) ;; esac
	[ -e "$name.txt" ] || perf script "${inline[@]}" -i "$name.data" >"$name.txt" 2>"$name.said" ||
		{ cat "$name.said"; return 1; }
	"$kiln" fold -q --idle --all --kind "$kind" "$name.txt" >"$name.$kind.perf"
	"$kiln" fold -q --idle --all --kind "$kind" "${inline[@]}" "$name.data" >"$name.$kind.kiln"
	if [ -n "$comms" ]; then
		sed -i -nE "/^($comms);/p" "$name.$kind.perf" "$name.$kind.kiln"
		# Of a thread that exits perf may have forgotten the name: it is not among those, then.
		sed -i '/;do_exit_\[k\]/d' "$name.$kind.perf" "$name.$kind.kiln"
	fi
	shown python3 "$here/compare_folds.py" "${unwound[@]}" "$name.data" "$name.txt" "$name.$kind.perf" "$name.$kind.kiln"
}

# The figures of a command, in the test's own output too.
shown() {
	local status=0
	"$@" >figures 2>&1 || status=$?
	cat figures
	sed 's/^/# /' figures >&3
	return $status
}

# Taking what is inlined out of the stacks gives what --no-inline gives.
same_without_inlined() {
	"$kiln" fold -q --idle --all "$1" | sed 's/;[^;]*_\[i\]//g' | sum_folded >with
	"$kiln" fold -q --idle --all --no-inline "$1" | sum_folded >without
	diff with without
}

sum_folded() {
	awk '{ weight = $NF; sub(/ [0-9]+$/, ""); sum[$0] += weight }
		END { for (stack in sum) printf "%s %d\n", stack, sum[stack] }' | sort
}
