#!/bin/sh
# lossless.sh: are all samples of 4 busy threads, 45 calls deep, delivered at 9999 Hz?
. "$(dirname "$0")/lib.sh"
heading 'lossless: 4 busy threads of depth 45 at 9999 Hz'
gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o "$WORK/target" "$here/overhead_target.c"
"$KILN" record -q -F 9999 -o "$WORK/l.kiln" -- "$WORK/target" "${ROUNDS_OF_WORK:-1000000}" 4 >"$WORK/own"
"$KILN" info --json "$WORK/l.kiln" | python3 -c '
import json, sys
s = json.load(sys.stdin)["streams"][0]
own = int(open(sys.argv[1]).read()) * 9999 / 1e9
print("expected {expected:,}, delivered {delivered:,}, lost {lost:,}: {losses}".format(**s))
print("(a missed timer is a period of CPU time without an interrupt; what a hypervisor took away is not CPU time)")
print(f"the CPU time that the program says it used makes {own:,.0f} samples: {100 * (s['"'"'delivered'"'"'] / own - 1):+.2f}%")
' "$WORK/own"
