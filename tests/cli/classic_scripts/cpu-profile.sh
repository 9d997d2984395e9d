#!/bin/bash
# cpu-profile.sh PERF.txt: what a machine does, as graphs for the whole, for the kernel and per thread.
# PERF.txt is what `perf script` printed after: perf record -F 99 -a -g -- sleep 60
set -euo pipefail

host=web-1
stackcollapse-perf.pl --all <"$1" >all.folded
stackcollapse-perf.pl --kernel --tid "$1" 2>/dev/null | grep -v '^swapper' >threads.folded || true

flamegraph.pl --color=java --hash --title="CPU: $host" --subtitle "$(wc -l <all.folded) stacks" \
	--width=1600 all.folded >all.svg
grep '_\[k\]' all.folded | flamegraph.pl --col=blue --title "Kernel only" --minwidth 0.5 >kernel.svg || true
flamegraph.pl --inverted --reverse --colors mem --countname cycles <all.folded >callers.svg
flamegraph.pl --title "By thread" --cp threads.folded >threads.svg 2>messages
