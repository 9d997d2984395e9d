# totals.bats: no option and no output adds to what an input has, or loses any of it.
load common

@test "every input keeps its total with every option and in every output" {
	run -0 python3 -B "$BATS_TEST_DIRNAME/totals.py" "$kiln" "$golden"
	[[ "${lines[-1]}" =~ ^1[0-9][0-9]\ inputs,\ [0-9]{4}\ checks,\ 0\ wrong$ ]]
}

@test "so do files in which faults were found" {
	[ -d "$corpus/field" ] || skip "no corpus"
	run -0 python3 -B "$BATS_TEST_DIRNAME/totals.py" "$kiln" "$corpus/field"
}
