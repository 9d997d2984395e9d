#!/bin/sh
# fold.sh: text of `perf script` to folded text, on one thread.
. "$(dirname "$0")/lib.sh"
"$here/inputs.sh"
mix=$WORK/mix.txt

heading "perf script text to folded text, $(($(wc -c <"$mix") / 1000000)) MB"
printf '  '
python3 "$here/novelty.py" "$mix"
set -- kiln "$KILN fold -q $mix"
if inferno=$(peer inferno-collapse-perf); then
	set -- "$@" "inferno -n 1" "$inferno -q -n 1 $mix"
else
	echo "  no inferno-collapse-perf here"
fi
if perl=$(peer stackcollapse-perf.pl); then
	set -- "$@" stackcollapse-perf.pl "$perl $mix 2>/dev/null"
else
	echo "  no stackcollapse-perf.pl here"
fi
compare "$@"
