#!/bin/sh
# fuzz.sh SECONDS [NAME]: look for inputs that break a parser; every fuzz target in turn, or one. The last
# (view) asks kiln view at random.
#
# Starts from tests/fuzz/corpus/NAME and keeps what it finds interesting in build-fuzz/corpus/NAME. What
# breaks a target lands in build-fuzz/found/NAME-*: mend the parser, then move the file to
# tests/fuzz/regressions/NAME, from where `make test` replays it.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=$1
only=${2:-}
found=build-fuzz/found
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 # a finding ends the run, as with ASan

[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dfuzz=true \
	-Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 >/dev/null || exit 1
ninja --quiet -C build-fuzz || exit 1
mkdir -p $found
broken=0
for target in build-fuzz/tests/fuzz/fuzz_*; do
	[ -x "$target" ] && [ -f "$target" ] || continue
	name=${target##*/fuzz_}
	[ -z "$only" ] || [ "$only" = "$name" ] || continue
	seeds=
	for folder in tests/fuzz/corpus/$name tests/fuzz/regressions/$name; do
		[ -d "$folder" ] && seeds="$seeds $folder"
	done
	mkdir -p build-fuzz/corpus/$name
	dictionary=
	[ -f tests/fuzz/$name.dict ] && dictionary=-dict=tests/fuzz/$name.dict
	echo "-- $name, $seconds s"
	"$target" build-fuzz/corpus/$name $seeds $dictionary -max_total_time="$seconds" \
		-artifact_prefix=$found/$name- -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
		2>build-fuzz/$name.log
	status=$?
	grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|SUMMARY' \
		build-fuzz/$name.log
	if [ $status != 0 ]; then
		broken=$((broken + 1))
		echo "   BROKEN: build-fuzz/$name.log"
	fi
done
if [ -z "$only" ] || [ "$only" = view ]; then
	echo "-- view, $seconds s"
	if ! python3 tests/fuzz/view_soak.py build-fuzz/kiln "$seconds" 2>build-fuzz/view.log; then
		broken=$((broken + 1))
		echo "   BROKEN: build-fuzz/view.log"
	fi
fi
echo "$broken targets broken"
[ $broken = 0 ]
