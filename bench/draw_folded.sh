#!/bin/sh
# draw_folded.sh: a folded file of 500,000 stacks to an SVG.
. "$(dirname "$0")/lib.sh"
"$here/inputs.sh"
large=$WORK/large.folded

heading "folded text to SVG, $(wc -l <"$large") stacks, $(($(wc -c <"$large") / 1000000)) MB"
set -- kiln "$KILN draw -q -o - $large"
if inferno=$(peer inferno-flamegraph); then
	set -- "$@" inferno-flamegraph "$inferno -q $large"
else
	echo "  no inferno-flamegraph here"
fi
if perl=$(peer flamegraph.pl); then
	set -- "$@" flamegraph.pl "$perl $large 2>/dev/null"
else
	echo "  no flamegraph.pl here"
fi
compare "$@"
