#!/bin/bash
# off-cpu.sh BPFTRACE.txt: where threads wait, by the map that a bpftrace program printed:
#	bpftrace -e 'kprobe:finish_task_switch { @[kstack, ustack, comm] = sum(nsecs - @start[tid]); }'
set -euo pipefail

stackcollapse-bpftrace.pl "$1" | sort >stacks.folded
flamegraph.pl --color=io --countname=us --factor=0.001 --title="Off-CPU time" <stacks.folded >off-cpu.svg
sed 's/+[0-9]*\([; ]\)/\1/g' stacks.folded |
	flamegraph.pl --colors wakeup --countname=us --factor=0.001 --title="By function" >functions.svg
