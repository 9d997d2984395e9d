# totals.bats: no option and no output adds to what an input has, or loses any of it.
load common

# 4,000 runs; other tests read the same inputs, and ThreadSanitizer makes a start take ten times as long.
one_thread() {
	[ "${KILN_SANITIZER:-}" != thread ] || skip "one thread in most of it"
}

@test "every input keeps its total with every option and in every output" {
	one_thread
	run -0 python3 -B "$BATS_TEST_DIRNAME/totals.py" "$kiln" "$golden"
	[[ "${lines[-1]}" =~ ^1[0-9][0-9]\ inputs,\ [0-9]{4}\ checks,\ 0\ wrong$ ]]
}

@test "so do files in which faults were found" {
	one_thread
	[ -d "$corpus/field" ] || skip "no corpus"
	run -0 python3 -B "$BATS_TEST_DIRNAME/totals.py" "$kiln" "$corpus/field"
}
