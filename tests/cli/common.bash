# common.bash: what every command line test needs: the binary, a folder of its own, small inputs.
bats_require_minimum_version 1.5.0

kiln=${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}
corpus=${KILN_CORPUS:-$BATS_TEST_DIRNAME/../../../shared/corpus}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset NO_COLOR COLUMNS
	export LC_ALL=C.UTF-8 TERM=xterm-256color
	# 100 in all: main 100, work 90 (recursive: work;work counts once), io 10.
	cat >small.folded <<-'END'
	app;main;io 10
	app;main;work 30
	app;main;work;inner 40
	app;main;work;work;inner 20
	END
}

# Run with a terminal as stdin, stdout and stderr, 80 columns wide unless said; $output is what it
# shows. NO_COLOR=1 in front of the command keeps escape sequences out.
on_terminal() {
	run script -qec "stty cols ${columns:-80} rows 24; $*" /dev/null </dev/null
	output=${output//$'\r'/}
	mapfile -t lines <<<"$output"
}

# The last command's exit code and the one line that it said.
failed_with() {
	[ "$status" -eq "$1" ] || { echo "exit $status, expected $1: $output"; return 1; }
	[ "$output" = "$2" ] || { printf 'said:     %s\nexpected: %s\n' "$output" "$2"; return 1; }
}

needs_corpus() {
	[ -d "$corpus" ] || skip "no corpus"
}

# rounds N: the numbers of N repetitions, of which a tenth will do where a sanitizer makes programs slow.
rounds() {
	seq "$((${#KILN_SANITIZER} ? ($1 + 9) / 10 : $1))"
}

# timed_samples [FUNCTION...]: text of perf script, 3,000 samples of two threads and three functions (and these), out of
# order, over 7 s from 100.25 s on.
timed_samples() {
	python3 -c '
import random, sys
random.seed(5)
for i in range(3000):
    time, worker = 100.25 + random.randrange(7 * 10 ** 6) / 1e6, random.random() < 0.4
    leaf = random.choice(["parse", "write", "hash+0"] + sys.argv[1:])
    print(f"""{"worker" if worker else "main"} {12}/{13 if worker else 12} [00{i % 2}] {time:.6f}: 1000 cycles:
\t7f01 {leaf}+0x1 (/bin/app)
\t7f02 run+0x2 (/bin/app)
\t7f03 main+0x3 (/bin/app)
""")' "$@"
}
