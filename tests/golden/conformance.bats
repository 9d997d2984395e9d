# conformance.bats: under other tools' names Kiln prints what these tools print.
bats_require_minimum_version 1.5.0

setup() {
	kiln=${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}
	corpus=${KILN_CORPUS:-$BATS_TEST_DIRNAME/../../../shared/corpus}
}

@test "what the corpora expect, but for what is listed" {
	[ -d "$corpus" ] || skip "no corpus"
	run -0 env KILN_CORPUS="$corpus" python3 "$BATS_TEST_DIRNAME/../conformance/run.py" "$kiln"
}
