#!/bin/sh
# name_addresses.sh: how fast are addresses named from debugging information, while libdw visits its entries?
#
# DEBUG_FILES: what to read (this kiln, and a Rust program where rustc is); ADDRESSES of each.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$KILN")
: "${ADDRESSES:=3000}"
program=$build/bench/name_addresses
PATH=$PATH:$HOME/.cargo/bin

ninja -C "$build" bench/name_addresses >/dev/null
if [ -z "${DEBUG_FILES:-}" ]; then
	DEBUG_FILES=$KILN
	if rustc -g -O -o "$WORK/inlined_rust" "$here/../tests/targets/inlined.rs" 2>/dev/null; then
		DEBUG_FILES="$DEBUG_FILES $WORK/inlined_rust"
	fi
fi
for file in $DEBUG_FILES; do
	heading "$ADDRESSES addresses in ${file##*/}, $(($(stat -c %s "$file") >> 20)) MB: milliseconds (of CPU)"
	"$program" -w "$file" "$ADDRESSES" | tee "$WORK/name_addresses.out"
	# By CPU time, which other programs on the machine change least.
	sed -n 's/^\([^:]*\): [0-9.]* (\([0-9.]*\)).*/\2 \1/p' "$WORK/name_addresses.out" |
		awk '{ ms = $1; sub(/^[^ ]* /, ""); what[NR] = $0; time[NR] = ms }
		END { for (i = 1; i < NR; i++)
			printf "  libdw takes %.1f times as long as %s\n", time[NR] / time[i], what[i] }'
done
