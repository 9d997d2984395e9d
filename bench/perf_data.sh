#!/bin/sh
# perf_data.sh: perf.data to folded text: with frame pointers, and with copies of stacks to unwind.
#
# The files are recorded once by perf and kept: SECONDS_EACH of python3 and of node for frame pointers,
# and of compilers and interpreters, and of a Rust program, with copies of 8 KB. Symbols are read anew by
# each run. Debian's python3 is built without frame pointers: PYTHON names another one.
. "$(dirname "$0")/lib.sh"
SECONDS_EACH=${SECONDS_EACH:-8}
PYTHON=${PYTHON:-$(command -v python3)}
"$here/inputs.sh" food
food=$WORK/food
source=$(cd "$here/.." && pwd)
fold="$KILN fold -q --no-cache --no-inline"

command -v perf >/dev/null || { echo "  no perf here: left out"; exit 0; }

# record FILE CALLGRAPH FREQUENCY COMMAND: again and again until the time is over.
record() {
	[ -s "$1" ] && return 0
	timeout 60 perf record -q -F "$3" -e cpu-clock --call-graph "$2" -m 8M -o "$1.part" -- \
		timeout "$SECONDS_EACH" sh -c "while :; do $4; done" >/dev/null 2>&1 || true
	mv "$1.part" "$1"
}

samples() {
	perf script -i "$1" -F pid 2>/dev/null | grep -c .
}

# With perf report, and perf script into inferno, as people do it.
side_by_side() {
	set -- "$1" "$2" kiln "$fold $1" "perf script --no-inline" "perf script --no-inline -i $1 2>/dev/null"
	file=$1 report=$2
	shift 2
	[ "$report" = with-report ] && set -- "$@" "perf report folded" \
		"perf report -i $file --stdio --no-inline --no-children -n -g folded,0,caller,count -s comm 2>/dev/null"
	if inferno=$(peer inferno-collapse-perf); then
		set -- "$@" "perf script | inferno" "perf script --no-inline -i $file 2>/dev/null | $inferno -q"
	else
		echo "  no inferno-collapse-perf here"
	fi
	if parser=$(peer hotspot-perfparser); then
		set -- "$@" hotspot-perfparser "$parser --input $file --output /dev/null 2>/dev/null"
	fi
	compare "$@"
}

if [ -n "$PYTHON" ]; then
	file=$WORK/python.perf.data
	record "$file" fp 9999 "$PYTHON $food/food.py"
	heading "perf.data with frame pointers: $("$PYTHON" --version), $(($(wc -c <"$file") / 1000000)) MB, $(samples "$file") samples"
	side_by_side "$file" with-report
fi
if command -v node >/dev/null; then
	file=$WORK/node.perf.data
	record "$file" fp 9999 "node $food/food.js $(command -v npm || echo /dev/null)"
	heading "perf.data with frame pointers: node, $(($(wc -c <"$file") / 1000000)) MB, $(samples "$file") samples"
	side_by_side "$file" with-report
fi
file=$WORK/copies.perf.data
cc="gcc -O2 -g -D_GNU_SOURCE -DKILN_VERSION=\\\"0\\\" -I$source/src -S -o /dev/null"
record "$file" dwarf,8192 3500 "for f in $source/src/process/p*.c; do $cc \$f; done; python3 $food/food.py; \
	perl -ne '\$n{\$_}++ for split; END { print scalar keys %n }' $food/food.txt; xz -c $food/food.txt | wc -c"
heading "perf.data with stack copies of 8 KB: $(($(wc -c <"$file") / 1000000)) MB, $(samples "$file") samples"
set -- "kiln, 1 CPU" "taskset -c 0 $fold $file" "perf script --no-inline" "perf script --no-inline -i $file 2>/dev/null"
if parser=$(peer hotspot-perfparser); then
	set -- "$@" hotspot-perfparser "$parser --input $file --output /dev/null 2>/dev/null"
fi
compare "$@"
heading "the same: one CPU and two, in turn, and each 21 times in a row"
set -- "kiln, 2 CPUs" "taskset -c 0,1 $fold $file" "kiln, 1 CPU" "taskset -c 0 $fold $file"
python3 "$here/compare.py" 21 "$@"
BLOCK=21 compare "$@"
printf '  anonymous memory of kiln: '
python3 "$here/anonymous.py" $fold "$file"

if command -v rustc >/dev/null; then
	[ -x "$WORK/words" ] || rustc -O -g "$here/words.rs" -o "$WORK/words"
	file=$WORK/rust.perf.data
	record "$file" dwarf,8192 1750 "$WORK/words"
	heading "perf.data with stack copies of a Rust program, inlined functions too: $(($(wc -c <"$file") / 1000000)) MB"
	compare kiln "$KILN fold -q --no-cache $file" "perf script" "perf script -i $file 2>/dev/null" \
		"perf script --no-inline" "perf script --no-inline -i $file 2>/dev/null"
fi
