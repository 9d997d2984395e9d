#!/bin/sh
# symbolize.sh: how fast are a million addresses of a program with 1 GB of debugging information named?
. "$(dirname "$0")/lib.sh"
build=$(dirname "$KILN")
: "${ADDRESSES:=1000000}" "${PARTS:=86}"
program=$WORK/large_$PARTS

# One compiled file many times over, each with its own functions: what is defined in it is made local.
make_large() (
	cd "$WORK"
	g++ -std=c++17 -O2 -g -fno-gnu-unique -c "$here/symbolize_part.cc" -o part.o
	ld -r --force-group-allocation part.o -o whole.o
	objcopy --keep-global-symbol=entry whole.o local.o
	{
		seq -f 'extern "C" long entry_%.0f(const char *);' "$PARTS"
		echo 'int main(int argc, char **argv) { long sum = 0;'
		seq -f 'sum += entry_%.0f(argv[0]);' "$PARTS"
		echo 'return sum == argc; }'
	} >calls.cc
	for number in $(seq "$PARTS"); do
		objcopy --redefine-sym entry="entry_$number" local.o "part_$number.o"
	done
	g++ -O2 -g -Wl,--build-id calls.cc part_*.o -o "$program.new" && mv "$program.new" "$program"
	rm -f part.o whole.o local.o part_*.o calls.cc
)

[ -f "$program" ] || make_large
heading "symbolize: $ADDRESSES addresses of a program of $(($(stat -c %s "$program") >> 20)) MB"
ninja -C "$build" bench/symbolize >/dev/null
export KILN_CACHE="$WORK/symbol_cache"
for depth in inlined lines; do
	for round in $(seq "$ROUNDS"); do
		rm -rf "$KILN_CACHE"
		"$build/bench/symbolize" "$program" "$ADDRESSES" $depth cold
		"$build/bench/symbolize" "$program" "$ADDRESSES" $depth cached
	done | sort | awk -v depth=$depth '
		{ wall[$1] = wall[$1] " " $2; cpu[$1] = cpu[$1] " " $3; rest[$1] = $4 " named, " $5 " frames, " $6 " from the cache, " $7 " MiB" }
		function median(list, numbers, count) {
			count = split(list, numbers, " ")
			return numbers[int((count + 1) / 2)]
		}
		END {
			for (how in wall)
				printf "%s, %s: %s s, %s s of CPU, %s\n", depth, how, median(wall[how]), median(cpu[how]), rest[how]
		}'
done

# The peer gets a hundredth of the addresses.
llvm=$(peer llvm-symbolizer) || exit 0
few=$((ADDRESSES / 100))
readelf -SW "$program" | python3 -c '
import re, sys
few = int(sys.argv[1])
start, size = re.search(r"\.text +PROGBITS +(\w+) \w+ (\w+)", sys.stdin.read()).groups()
for i in range(few):
    print(hex(int(start, 16) + i * int(size, 16) // few))' $few >"$WORK/addresses"
TIMEFORMAT="llvm-symbolizer, $few addresses: %R s, %U s of CPU"
export TIMEFORMAT
bash -c 'time "$0" --obj="$1" <"$2" >/dev/null' "$llvm" "$program" "$WORK/addresses" 2>&1
