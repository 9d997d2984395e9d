#!/bin/sh
# fold.sh: text of `perf script` to folded text: on one thread, on two, and from a pipe.
. "$(dirname "$0")/lib.sh"
"$here/inputs.sh"
mix=$WORK/mix.txt
inferno=$(peer inferno-collapse-perf) || echo "  no inferno-collapse-perf here"

heading "perf script text to folded text, $(($(wc -c <"$mix") / 1000000)) MB"
printf '  '
python3 "$here/novelty.py" "$mix"
set -- "kiln, 1 CPU" "taskset -c 0 $KILN fold -q $mix"
[ -n "$inferno" ] && set -- "$@" "inferno -n 1" "$inferno -q -n 1 $mix"
if perl=$(peer stackcollapse-perf.pl); then
	set -- "$@" stackcollapse-perf.pl "$perl $mix 2>/dev/null"
else
	echo "  no stackcollapse-perf.pl here"
fi
compare "$@"
set -- "kiln, 2 CPUs" "taskset -c 0,1 $KILN fold -q $mix"
[ -n "$inferno" ] && set -- "$@" "inferno -n 2" "$inferno -q -n 2 $mix"
compare "$@"
compare "kiln, from a pipe" "cat $mix | $KILN fold -q -" "cat into wc -l" "cat $mix | wc -l"
