#!/bin/sh
# check.sh BUILD [FILE...]: what needs no test run: formatting, floors, named benchmarks, manual pages, shell, clang-tidy.
# With FILEs, formatting and clang-tidy look at those only.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
shift
failed=0

step() {
	echo "-- $1"
	shift
	"$@" || { failed=$((failed + 1)); echo "   failed"; }
}

sources=${*:-$(find include src bpf tests docs bench -name '*.[ch]' -not -path '*/node_modules/*')}
units=$(echo "$sources" | tr ' ' '\n' | grep '\.c$')

# clang-tidy takes the flags from the build; a file that is not built has none.
tidy() {
	[ -f build-clang/build.ninja ] || CC=clang meson setup build-clang >/dev/null || return 1
	ninja -C build-clang >/dev/null || return 1
	python3 - $units <<-'END' | xargs -P "$(nproc)" -n 4 clang-tidy -quiet -p build-clang 2>/dev/null
	import json, os, sys
	built = {os.path.relpath(os.path.join(entry["directory"], entry["file"]))
	         for entry in json.load(open("build-clang/compile_commands.json"))}
	print("\n".join(sorted(built & set(sys.argv[1:]))))
	END
}

pages() {
	for page in docs/*.[1-9]; do
		[ -f "$page" ] || continue
		mandoc -T lint -W warning "$page" || return 1
	done
}

scripts() {
	find .ci bench tests tools -name '*.sh' -o -path .ci/run | while read -r script; do
		case "$(head -n 1 "$script")" in
		*bash*) bash -n "$script" ;;
		*) sh -n "$script" ;;
		esac || exit 1
	done
}

step "formatting" clang-format --dry-run -Werror $sources
step "forms" python3 tools/style.py
step "floors" tests/layers.sh
step "named benchmarks" tools/benchmarks.sh
step "unused names" python3 tools/unused.py "$build"
step "manual pages" pages
step "scripts" scripts
step "clang-tidy" tidy
[ $failed = 0 ] && echo "all in order (built in $build)"
exit $((failed != 0))
