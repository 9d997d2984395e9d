# producers.bash: programs whose shares are known, and what Kiln makes of what other tools say about them.
bats_require_minimum_version 1.5.0

setup() {
	kiln=${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}
	programs=$BATS_TEST_DIRNAME/programs
	cd "$BATS_TEST_TMPDIR" || return
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
}

teardown() {
	[ -z "${running:-}" ] || kill "$running" 2>/dev/null || true
}

# need COMMAND...: all are there, and BPF and tracepoints may be used if they are asked for.
need() {
	for name; do
		case $name in
		root) [ "$(id -u)" -eq 0 ] || skip "needs root" ;;
		*) command -v "$name" >/dev/null || skip "needs $name" ;;
		esac
	done
}

# start NAME: a program that runs until the test ends.
start() {
	gcc -O0 -fno-omit-frame-pointer -o "$1" "$programs/$1.c"
	"./$1" &
	running=$!
}

# share FUNCTION LEAST MOST FILE: that much of the folded file, in percent, is below the function.
share() {
	awk -v name="$1" -v least="$2" -v most="$3" '
		{ all += $NF; if (index(";" $0 " ", ";" name ";") || index(";" $0, ";" name " ")) part += $NF }
		END { printf "%s: %.1f%% of %d\n", name, all ? part * 100 / all : 0, all
			exit !(all && part * 100 / all >= least && part * 100 / all <= most) }' "$4"
}

sum() {
	awk '{ sum += $NF } END { printf "%d\n", sum }' "$@"
}
