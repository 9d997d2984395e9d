#!/bin/sh
# open_kiln.sh: how fast does a .kiln file of 10 million samples (stack, thread, time, CPU) open?
. "$(dirname "$0")/lib.sh"
build=$(dirname "$KILN")
program=$build/bench/open_kiln
file=$WORK/open_kiln.kiln

heading "opening a .kiln file of ${SAMPLES:=10000000} samples: mapped, checksums and ids verified"
ninja -C "$build" bench/open_kiln >/dev/null
"$program" make "$SAMPLES" "$file"
"$program" open "$file" $((ROUNDS * 4 + 1))
