# conformance.bats: under other tools' names Kiln prints what these tools print.
load common

@test "what the corpora expect, but for what is listed" {
	[ -d "$corpus" ] || skip "no corpus"
	run -0 env KILN_CORPUS="$corpus" python3 "$BATS_TEST_DIRNAME/../conformance/run.py" "$kiln"
}
