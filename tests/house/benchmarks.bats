# benchmarks.bats: what is written by hand names the benchmark that shows why, and that benchmark exists.
bats_require_minimum_version 1.5.0

setup() {
	check="$BATS_TEST_DIRNAME/../../tools/benchmarks.sh"
	tree="$BATS_TEST_TMPDIR/tree"
	mkdir -p "$tree/src" "$tree/bench"
	touch "$tree/bench/real.sh"
}

# write COMMENT: a source file of the tree with this comment in front.
write() {
	printf '%s\n' "/* own.c: an example." ' *' "$1" "int own;" >"$tree/src/own.c"
}

@test "every benchmark that is named exists" {
	"$check"
}

@test "a benchmark that exists may be named" {
	write ' * By hand: twice as fast as the library (bench/real.sh). */'
	"$check" "$tree"
}

@test "a benchmark that does not exist is found" {
	write " * By hand: twice as fast as the library (bench/""unreal.sh). */"
	run "$check" "$tree"
	[ "$status" -ne 0 ]
	[[ "$output" == *"src/own.c:3: there is no bench/""unreal.sh"* ]]
}

@test "a reason without a benchmark is found" {
	write ' * By hand: the library is slow. */'
	run "$check" "$tree"
	[ "$status" -ne 0 ]
	[[ "$output" == *"src/own.c:3: written by hand"* ]]
}

@test "the code says of several parts why they are written by hand" {
	cd "$BATS_TEST_DIRNAME/../.."
	[ "$(grep -rlE '^ \* By hand[:,]' include src bpf | wc -l)" -ge 8 ]
}
