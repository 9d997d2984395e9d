# tracers.bats: what tracers and profilers print is folded to what was worked out by hand, line by line.
bats_require_minimum_version 1.5.0

setup() {
	golden=$BATS_TEST_DIRNAME
	kiln=${KILN:-$golden/../../build/kiln}
	corpus=${KILN_CORPUS:-$golden/../../../shared/corpus}
	cd "$BATS_TEST_TMPDIR" || return
}

# FORMAT/NAME [OPTION...]: found by its content, from a file and compressed from a pipe, it folds to NAME.folded.
same() {
	local name=$1
	shift
	"$kiln" fold -q "$@" "$golden/$name.txt" | diff "$golden/${expected:-$name}.folded" -
	gzip -c "$golden/$name.txt" | "$kiln" fold -q "$@" - | diff "$golden/${expected:-$name}.folded" -
}

# said WHAT: folding standard input works, and Kiln says WHAT about it.
said() {
	cat >input
	"$kiln" fold "${@:2}" input 2>said >folded
	cat folded said
	grep -qF -- "$1" said
}

# refused WHAT [OPTION...]: standard input is refused in one line that names the file and says WHAT.
refused() {
	cat >input
	run -2 "$kiln" fold "${@:2}" input
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "kiln: input: "*"$1"* ]]
}

@test "bpftrace: every map is a kind, keys are outer frames" {
	for kind in samples bytes named perf size stats; do
		expected=bpftrace/maps.$kind same bpftrace/maps --kind "$kind"
	done
	"$kiln" fold "$golden/bpftrace/maps.txt" 2>&1 >/dev/null | grep -q 'line 32: expected a map'
}

@test "bpftrace: an entry without its end, one without a value" {
	printf '@[\n    a+1\n@[\n    b+1\n]: 3\n' | said "1 of 5 lines skipped, first at line 3: expected \`]: \` and a number"
	diff folded <(echo 'b 3')
	printf '@[\n    a+1\n]: x\n@[\n    b+1\n]: 3\n' | said 'first at line 3: expected a number'
	diff folded <(echo 'b 3')
	printf '@[\n    a+1\n' | refused 'line 2: expected'
	printf '@[\n    a+1\n]: 9223372036854775807\n@[\n    a+1\n]: 1\n' | refused 'line 6: the sum of all values exceeds 2^63'
}
