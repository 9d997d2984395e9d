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

@test "programs for the kernel and the floors see nothing of each other but bpf/shared/" {
	mkdir -p "$tree/bpf/shared" "$tree/src/recorders"
	echo '#include "bpf/shared/events.h"' | tee "$tree/bpf/x.bpf.c" "$tree/bpf/shared/x.h" >"$tree/src/recorders/x.c"
	run "$layers" "$tree"
	[ "$status" -eq 0 ]
	echo '#include "base/b.h"' >"$tree/bpf/y.bpf.c"
	echo '#include "bpf/core.h"' | tee "$tree/bpf/shared/y.h" >"$tree/src/recorders/y.c"
	echo '#include "bpf/shared/events.h"' >"$tree/src/base/y.c"
	run "$layers" "$tree"
	[ "$status" -ne 0 ]
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[1]}" == "bpf/y.bpf.c:1: "* ]]
}

# Then the order of includes does not matter. Headers of loops are included with macros that they are made of.
@test "every header compiles by itself" {
	cd "$root"
	find include src -name '*.h' -not -name '*_loops.h' >"$tree/headers"
	[ "$(wc -l <"$tree/headers")" -gt 100 ]
	xargs -n 1 -P "$(nproc)" "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -fsyntax-only -I. -Isrc -Iinclude -x c <"$tree/headers"
}

# What a header leaves to the mode, it declares.
@test "every header of programs for the kernel compiles by itself, for this machine and another one" {
	command -v clang >/dev/null || skip "needs clang"
	cd "$root"
	for machine in x86 riscv; do
		find bpf -name '*.h' | xargs -n 1 -P "$(nproc)" clang -target bpf -mcpu=v3 -D__TARGET_ARCH_$machine -std=gnu17 \
			-Wall -Wextra -Werror -Wno-undefined-internal -Wno-unused -Wno-unused-parameter -Wno-missing-declarations \
			-fsyntax-only -I. -idirafter "/usr/include/$(gcc -print-multiarch)" -x c
	done
}

@test "a circle of includes is told with the lines that make it" {
	echo '#include "base/b.h"' >"$tree/src/base/a.h"
	printf '\n#include "base/a.h"\n' >"$tree/src/base/b.c"
	run "$layers" "$tree"
	[ "$status" -ne 0 ]
	[ "$output" = "a circle of includes: src/base/a.h:1 src/base/b.h, src/base/b.c:2 src/base/a.h" ]
	mv "$tree/src/base/a.h" "$tree/src/base/b_internal.h"
	printf '\n#include "base/b_internal.h"\n' >"$tree/src/base/b.c"
	"$layers" "$tree"
}
