# conventions.bats: whoever adds a command, a reader or a fuzz target adds what belongs to it.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# The names of a list in a meson.build, without their folders: list FILE NAME.
list() {
	sed -n "/^$2 = \[/,/^\]/s/^  '\([a-z]*\/\)\{0,1\}\([a-z0-9_]*\)',.*/\2/p" "$1"
}

# Every name of the list passes the check; all that do not are named.
every() {
	local checked=0 bad=0
	for name in $(list "$1" "$2"); do
		checked=$((checked + 1))
		$3 "$name" || { echo "$name: $4"; bad=1; }
	done
	echo "$checked checked"
	[ "$checked" -gt 0 ]
	[ "$bad" -eq 0 ]
}

has_page() { [ -f "docs/kiln-$1.1" ]; }
has_cli_test() { [ -f "tests/cli/$1.bats" ]; }
has_fuzz_target() {
	if [ -f "tests/fuzz/fuzz_$1.c" ]; then
		list tests/fuzz/meson.build fuzz_targets | grep -qx "$1"
	else
		grep -q "\"${1//_/-}\"" tests/fuzz/fuzz_readers.c
	fi
}
has_golden_pair() { ls "tests/golden/${1//_/-}"/*.folded >/dev/null 2>&1; }
has_seeds() { [ -n "$(ls "tests/fuzz/corpus/$1")" ]; }

@test "every command has a manual page" {
	every src/commands/meson.build commands has_page "no docs/kiln-NAME.1"
}

@test "every command has a command line test" {
	every src/commands/meson.build commands has_cli_test "no tests/cli/NAME.bats"
}

@test "every reader has a fuzz target" {
	every src/readers/meson.build readers has_fuzz_target "no tests/fuzz/fuzz_NAME.c in the list, nor a line in fuzz_readers.c"
}

@test "every reader has a golden pair" {
	every src/readers/meson.build readers has_golden_pair "no tests/golden/NAME/*.folded"
}

@test "every fuzz target has committed inputs" {
	every tests/fuzz/meson.build fuzz_targets has_seeds "no tests/fuzz/corpus/NAME/*"
}

@test "every source file says in its first line what it is" {
	count=0
	for file in $(find src bpf tests include -name '*.[ch]' -not -path '*/node_modules/*'); do
		count=$((count + 1))
		head -n 1 "$file" | grep -qF "/* ${file##*/}: " || { echo "$file"; bad=1; }
	done
	[ "$count" -gt 50 ]
	[ -z "${bad:-}" ]
}

@test "manual pages are clean" {
	for page in docs/*.[1-9]; do
		mandoc -T lint -W warning "$page"
	done
}

# For RISC-V, whose registers the headers of every machine describe.
@test "programs for the kernel compile for another machine than this one" {
	command -v clang >/dev/null || skip "needs clang"
	for program in bpf/*.bpf.c; do
		clang -target bpf -mcpu=v3 -D__TARGET_ARCH_riscv -O2 -g -std=gnu17 -Wno-missing-declarations -I. \
			-idirafter "/usr/include/$(gcc -print-multiarch)" -c "$program" -o "$BATS_TEST_TMPDIR/program.o"
	done
}

# What it allocates in another way is lost, and what it frees is freed twice, when memory runs out. What ends
# in broker.c is a process of its own.
@test "libkiln allocates and frees through base/memory.h, and never ends the process" {
	floors=$(for floor in base model images process readers loading transforms renderers answers api; do echo "src/$floor"; done)
	grep -rnE '(^|[^_a-z>.])(free|malloc|calloc|realloc|reallocarray|strn?dup|v?asprintf|getline|abort|_?exit)\(' $floors \
		--include='*.[ch]' | grep -vE '^src/base/(scope|memory)\.c:|^src/base/broker\.c:.*_exit\(0\)|^[^:]*:[0-9]*:\s*/?\*|/\*.*\*/' >"$BATS_TEST_TMPDIR/found" || true
	cat "$BATS_TEST_TMPDIR/found"
	[ ! -s "$BATS_TEST_TMPDIR/found" ]
}

# bats runs with `set -e`, which neither `! command` nor what fails before the last `&&` ends.
@test "every line of a test can fail it" {
	run ! grep -rnE '^\s*! [a-z"]|^\s*\[ .* \] && \[ .* \]$' tests/cli tests/golden tests/house tests/perf tests/privileged --include='*.bats'
}
