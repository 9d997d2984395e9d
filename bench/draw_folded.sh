#!/bin/sh
# draw_folded.sh: a folded file of 500,000 stacks to an SVG, sorted as tools write them and shuffled.
. "$(dirname "$0")/lib.sh"
"$here/inputs.sh"
shuffled=$WORK/shuffled.folded
[ -s "$shuffled" ] || shuf --random-source="$WORK/large.folded" "$WORK/large.folded" >"$shuffled"
inferno=$(peer inferno-flamegraph) || echo "  no inferno-flamegraph here"
perl=$(peer flamegraph.pl) || echo "  no flamegraph.pl here"

for file in "$WORK/large.folded" "$shuffled"; do
	heading "${file##*/} to SVG, $(wc -l <"$file") stacks, $(($(wc -c <"$file") / 1000000)) MB"
	set -- kiln "$KILN draw -q -o - $file"
	[ -n "$inferno" ] && set -- "$@" inferno-flamegraph "$inferno -q $file"
	[ -n "$perl" ] && set -- "$@" flamegraph.pl "$perl $file 2>/dev/null"
	compare "$@"
done
