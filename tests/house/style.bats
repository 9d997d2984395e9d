# style.bats: the forms that CONTRIBUTING.md names are kept, and others are noticed.
bats_require_minimum_version 1.5.0

setup() {
	style="$BATS_TEST_DIRNAME/../../tools/style.py"
	mkdir -p "$BATS_TEST_TMPDIR/src/base"
	file="$BATS_TEST_TMPDIR/src/base/b.c"
}

# The file has the one problem: told LINE PROBLEM.
told() {
	run python3 "$style" "$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
	[ "$output" = "src/base/b.c:$1: $2" ]
}

@test "the tree has one style" {
	run -0 python3 "$style"
	[ -z "$output" ]
}

@test "sizeof without parentheses is told, in code alone" {
	printf '/* sizeof x */\nsize_t a = sizeof(x);\nsize_t b = sizeof x;\n' >"$file"
	told 3 "write sizeof(x)"
}

@test "the language's own word for static_assert is told" {
	printf '_Static_assert(1, "one");\nstatic_assert(1, "one");\n' >"$file"
	told 1 "write static_assert"
}

@test "a file's own header behind another one is told" {
	printf '#include "base/a.h"\n#include "base/b.h"\n' >"$file"
	told 2 "include the file's own header first"
}

@test "other headers right behind a file's own header are told" {
	printf '#include "base/b.h"\n#include "base/a.h"\n' >"$file"
	told 2 "leave a line free behind the file's own header"
}

@test "Kiln's headers behind those of the system are told, unless a directive is between them" {
	printf '#include <stdio.h>\n\n#include "base/a.h"\n' >"$file"
	told 3 "include Kiln's headers before those of the system"
	printf '#include <stdio.h>\n#define ENTRY(name) name\n#include "base/a.list"\n' >"$file"
	run -0 python3 "$style" "$BATS_TEST_TMPDIR"
}

@test "a comment's line that the next word fits in is told, unless a sentence ends there" {
	printf '/* A sentence.\n * Another one that\n * goes on. */\n' >"$file"
	told 2 "the comment's next word fits in this line"
}
