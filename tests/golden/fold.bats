# fold.bats: what text of `perf script` and folded text are folded to; expected by hand, line by line.
load common

@test "perf script: the first event, by its periods" {
	"$kiln" fold -q "$golden/perf-script/all.txt" | diff "$golden/perf-script/all.cycles.folded" -
}

@test "perf script: another event, with marks" {
	"$kiln" fold -q --all --kind cpu-clock "$golden/perf-script/all.txt" |
		diff "$golden/perf-script/all.cpu-clock.folded" -
}

@test "folded text with decimals, comments and carriage returns" {
	"$kiln" fold -q "$golden/folded/decimals.txt" | diff "$golden/folded/decimals.folded" -
}
