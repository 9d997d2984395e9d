#!/bin/sh
# fuzz.sh SECONDS [NAME]: look for inputs that break Kiln, with every fuzz target in turn or with one. The last
# (view) sends requests to kiln view. With 0 seconds the committed inputs run once: tests/fuzz/corpus and
# tests/fuzz/regressions.
#
# Starts from tests/fuzz/corpus/NAME and keeps what reaches new code in build-fuzz/corpus/NAME. What breaks a
# target lands in build-fuzz/found/NAME-*: fix the fault, then move the file to tests/fuzz/regressions/NAME, from
# where `make test` replays it. inputs_read is the share of inputs that a reader accepted.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=$1
only=${2:-}
found=build-fuzz/found
export KILN_CACHE= # what an earlier run found out is not asked
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
	limit=-max_total_time=$seconds
	if [ "$seconds" = 0 ]; then
		limit=
		seeds=$(find $seeds -type f) # a folder would be written to
	else
		mkdir -p build-fuzz/corpus/$name
		seeds="build-fuzz/corpus/$name $seeds"
	fi
	dictionary=
	[ -f tests/fuzz/$name.dict ] && dictionary=-dict=tests/fuzz/$name.dict
	echo "-- $name, $seconds s"
	# Without -entropic=0 libFuzzer spends most of the time on its statistics of large targets.
	"$target" $seeds $dictionary $limit -entropic=0 \
		-artifact_prefix=$found/$name- -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
		2>build-fuzz/$name.log
	status=$?
	grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb|inputs_read)|SUMMARY' \
		build-fuzz/$name.log
	if [ $status != 0 ]; then
		broken=$((broken + 1))
		echo "   BROKEN: build-fuzz/$name.log"
	fi
done
if [ "$seconds" != 0 ] && { [ -z "$only" ] || [ "$only" = view ]; }; then
	echo "-- view, $seconds s"
	if ! python3 tests/fuzz/view_soak.py build-fuzz/kiln "$seconds" 2>build-fuzz/view.log; then
		broken=$((broken + 1))
		echo "   BROKEN: build-fuzz/view.log"
	fi
fi
echo "$broken targets broken"
[ $broken = 0 ]
