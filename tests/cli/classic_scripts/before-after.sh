#!/bin/bash
# before-after.sh BEFORE.txt AFTER.txt: what changed between two runs, by the text of `perf script` of each.
set -euo pipefail

for side in 1 2; do
	[ "$side" = 1 ] && text=$1 || text=$2
	stackcollapse-perf.pl "$text" 2>/dev/null | stackcollapse-recursive.pl >"out$side.folded"
done

# Widths of after, red is more; and widths of before, with the colours swapped.
difffolded.pl -n -s out1.folded out2.folded | sort >diff2.folded
difffolded.pl -ns out2.folded out1.folded | sort >diff1.folded
flamegraph.pl --title "What did happen" <diff2.folded >diff2.svg
flamegraph.pl --title "What will happen" --negate <diff1.folded >diff1.svg
flamegraph.pl --title "Without addresses" --inverted diff2.folded >icicle.svg
