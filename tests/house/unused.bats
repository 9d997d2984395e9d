# unused.bats: names that no other file uses are told.
bats_require_minimum_version 1.5.0

setup() {
	unused="$BATS_TEST_DIRNAME/../../tools/unused.py"
	mkdir -p "$BATS_TEST_TMPDIR/src"
}

# object NAME: compile standard input as an object of src/.
object() {
	cc -x c -c -o "$BATS_TEST_TMPDIR/src/$1.o" -
}

@test "a function that another file calls passes, one that none calls is told" {
	echo 'int called(void) { return 1; }' | object a
	echo 'int called(void); int main(void) { return called(); }' | object main
	python3 "$unused" "$BATS_TEST_TMPDIR"
	echo 'int alone(void) { return 1; }' | object b
	run -1 python3 "$unused" "$BATS_TEST_TMPDIR"
	[ "$output" = "alone: nothing outside of src/b.o uses it" ]
}
