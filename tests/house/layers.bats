# layers.bats: the floors are kept, and breaking them is noticed.
bats_require_minimum_version 1.5.0

setup() {
	root="$BATS_TEST_DIRNAME/../.."
	layers="$root/tests/layers.sh"
	tree="$BATS_TEST_TMPDIR"
	mkdir -p "$tree/src/base" "$tree/src/model" "$tree/src/commands" "$tree/include"
	cp "$root/ARCHITECTURE.md" "$tree"
	echo '#include "base/b.h"' >"$tree/src/model/m.h"
	echo '#include <stddef.h>' >"$tree/src/base/b.h"
	echo '#include "model/m.h"' >"$tree/src/commands/c.c"
}

@test "every file includes only its own floor and those above it" {
	run "$layers"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a tree in order passes" {
	run "$layers" "$tree"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "an include from a floor above to one below is named with its line" {
	printf '\n#include "model/m.h"\n' >"$tree/src/base/bad.c"
	run "$layers" "$tree"
	[ "$status" -ne 0 ]
	[ "$output" = "src/base/bad.c:2: base may not include model/m.h, which is below it" ]
}

@test "a way around the floors with .. is refused" {
	echo '#include "../model/m.h"' >"$tree/src/base/bad.c"
	run "$layers" "$tree"
	[ "$status" -ne 0 ]
}

@test "a folder that is no floor is refused" {
	mkdir "$tree/src/misc"
	run "$layers" "$tree"
	[ "$status" -ne 0 ]
	[[ "$output" == *"src/misc/"* ]]
}

@test "a system call's header in the model is refused" {
	echo '#include <sys/mman.h>' >"$tree/src/model/bad.c"
	run "$layers" "$tree"
	[ "$status" -ne 0 ]
	[[ "$output" == *"src/model/bad.c:1"* ]]
}

@test "programs for the kernel and the floors see nothing of each other but bpf/shared.h" {
	mkdir -p "$tree/bpf" "$tree/src/recorders"
	echo '#include "bpf/shared.h"' | tee "$tree/bpf/x.bpf.c" >"$tree/src/recorders/x.c"
	run "$layers" "$tree"
	[ "$status" -eq 0 ]
	echo '#include "base/b.h"' >"$tree/bpf/y.bpf.c"
	echo '#include "bpf/core.h"' >"$tree/src/recorders/y.c"
	echo '#include "bpf/shared.h"' >"$tree/src/base/y.c"
	run "$layers" "$tree"
	[ "$status" -ne 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[0]}" == "bpf/y.bpf.c:1: "* ]]
}
