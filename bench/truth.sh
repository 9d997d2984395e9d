#!/bin/sh
# truth.sh: is what is recorded what programs know of themselves, and how many of their stacks are whole?
#
# The programs of the tests and what compares them there: each line has what was recorded, and what was expected.
. "$(dirname "$0")/lib.sh"
heading 'truth: what is recorded, beside what programs know themselves'
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 0; }
tests=$(cd "$here/../tests/privileged" && pwd)
KILN=$(realpath "$KILN")
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
sh "$tests/programs/compile.sh" "$bin"
cd "$bin"

# recorded MODE OPTION... -- COMMAND: into p.kiln, what the command says into own, and the system's ticks around it.
recorded() {
	head -n 1 /proc/stat >before
	"$KILN" record -q -o p.kiln --mode "$@" >own
	head -n 1 /proc/stat >after
}

# kinds KIND...: folded stacks of each, in files of that name.
kinds() {
	for kind; do
		"$KILN" fold -q --kind "$kind" p.kiln >"$kind"
	done
}

echo '-- off: threads that sleep, hold a lock, want it, read a pipe, write to it, burn'
recorded off -- ./waiting
"$KILN" fold -q p.kiln | python3 "$tests/waits.py" own | grep expected
echo '-- wall: the same, on the CPU and off it'
recorded wall -- ./waiting 1
"$KILN" fold -q p.kiln | python3 "$tests/wall.py" own | grep expected
echo '-- io: of each function and file [bytes, calls]; "expected" where they differ'
mkdir folder
recorded io --files -- ./files folder 500 2>own
kinds io calls
python3 "$tests/files.py" io calls own
echo '-- lock'
recorded lock -- ./locks 20
kinds lock waits
python3 "$tests/locks.py" lock waits own
echo '-- mem: of each function [bytes, allocations, bytes not freed, blocks not freed]; "expected" where they differ'
touch go
recorded mem -- ./allocating 1000 go 2>own
kinds allocated allocations live blocks
python3 "$tests/memory.py" own allocated allocations live blocks
echo '-- count: hits of a tracepoint, beside perf stat of the same command'
"$KILN" record -q --mode count -e syscalls:sys_enter_lseek -o p.kiln -- ./counted 2000 go 2>own
"$KILN" fold -q p.kiln | awk '{ n += $NF } END { print "kiln:", n }'
command -v perf >/dev/null && perf stat -x, -e syscalls:sys_enter_lseek ./counted 2000 go 2>&1 >/dev/null |
	awk -F, '/sys_enter_lseek/ { print "perf stat:", $1 }'

echo '-- whole stacks of programs without frame pointers, 997 Hz'
seq 400 | sed 's/.*/int f&(int x){for(int i=0;i<x;i++)x+=i*&;return x;}/' >many.c
for _ in 1 2 3 4 5 6 7 8; do cat many.c; done | awk '{ gsub(/f[0-9]+/, "f" NR); print }' >more.c
# whole NAME COMMAND...: of 5 s of it.
whole() {
	name=$1
	shift
	"$KILN" record -q -F 997 -d 5s -o p.kiln -- "$@" >/dev/null 2>&1 || true
	"$KILN" fold -q --kind samples p.kiln | awk -v name="$name" '{ n += $NF } !/\[truncated:/ { whole += $NF }
		END { printf "%s: %.2f%% of %d samples\n", name, 100 * whole / n, n }'
}
whole '40 calls deep' ./busy 5 1 40
whole perl perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(40)'
whole python3 /usr/bin/python3 -c 'f = lambda n: n if n < 2 else f(n-1) + f(n-2); f(40)'
whole cc1 gcc -O2 -c more.c -o more.o
whole openssl openssl speed -seconds 1 -bytes 1024 sha256 aes-128-cbc rsa2048
if command -v chromium >/dev/null; then
	echo '<script>for (let i = 0; i < 3e5; i++) document.write("<p>" + i)</script>' >page.html
	whole chromium chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$bin/page.html"
	echo 'what the others end with:'
	"$KILN" fold -q --kind samples p.kiln | awk 'match($0, /\[truncated:[a-z-]*\]/) { n[substr($0, RSTART, RLENGTH)] += $NF }
		END { for (end in n) print "  " end, n[end] }'
fi
