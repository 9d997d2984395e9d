#!/bin/sh
# readers.sh [FORMAT...]: how fast is the text of other tools read, beside the scripts that fold it?
#
# Real stacks (of bench/inputs.sh) in the shape of each format, MEGABYTES of it; formats of programs that
# take profiles for themselves are written by Kiln from the same stacks. Those that never come twice are made
# by bench/distinct_stacks.c.
. "$(dirname "$0")/lib.sh"
MEGABYTES=${MEGABYTES:-100}
"$here/inputs.sh"
texts=$WORK/readers
mkdir -p "$texts"
[ -s "$texts/stacks.folded" ] || cat "$WORK"/mix/*.txt | "$KILN" fold -q - >"$texts/stacks.folded"

script_of() {
	case $1 in
	dtrace) echo stackcollapse.pl ;;
	eu-stack) echo stackcollapse-elfutils.pl ;;
	javacore) echo stackcollapse-ibmjava.pl ;;
	ljp | perf-sched) echo "stackcollapse-$1.awk" ;;
	xdebug) echo stackcollapse-xdebug.php ;;
	sample) echo stackcollapse-sample.awk ;;
	chrome-trace) echo stackcollapse-chrome-tracing.py ;;
	ghc) echo inferno-collapse-ghcprof ;;
	go-raw) echo stackcollapse-go.pl ;;
	xctrace) echo inferno-collapse-xctrace ;;
	# There is none; it dies of this input; it does not compile.
	austin | bcc | bpftrace-json | otlp-json | perf-report | pprof | instruments | vtune) echo none ;;
	*) echo "stackcollapse-$1.pl" ;;
	esac
}

text() {
	[ -s "$texts/$1.txt" ] ||
		python3 "$here/as_format.py" "$1" "$MEGABYTES" <"$texts/stacks.folded" >"$texts/$1.txt"
	heading "$1: $(($(stat -c %s "$texts/$1.txt") / 1000000)) MB of text"
	set -- "$1" kiln "$KILN fold -q --format $1 $texts/$1.txt"
	script=$(script_of "$1")
	found=$(peer "$script") && set -- "$@" "$script" "$found $texts/$1.txt"
	[ "$1" != xctrace ] || ! command -v xmllint >/dev/null ||
		set -- "$@" 'libxml2, parsing only' "xmllint --stream --noout --huge $texts/$1.txt"
	shift
	compare "$@"
}

# What is written from it has all samples of WORK/mix.txt, with their times. `info` reads all of it; folded
# text of it would be more than the file.
written() {
	file=$texts/samples.$2
	[ -s "$file" ] || "$KILN" convert -q "$WORK/mix.txt" -o "$file"
	heading "$1: $(($(stat -c %s "$file") / 1000000)) MB"
	compare kiln "$KILN info --format $1 $file"
}

# No stack comes twice; `info` looks at each once.
distinct() {
	file=$texts/distinct.$1.pb
	[ -s "$file" ] || "$build/bench/distinct_stacks" 1500000 2 "$1" "$file"
	heading "pprof, 1.5 million different stacks, $1: $(($(stat -c %s "$file") / 1000000)) MB"
	compare kiln "$KILN info $file" 'kiln, 1 CPU' "taskset -c 0 $KILN info $file"
}

if [ $# -gt 0 ]; then
	for format; do text "$format"; done
	exit
fi
for format in dtrace stap bpftrace bcc perf-sched xdebug sample pmc instruments vtune vsprof gdb eu-stack faulthandler jstack \
	java-exceptions javacore ljp wcp aix austin ghc go-raw perf-report xctrace pprof chrome-trace bpftrace-json otlp-json; do
	text "$format"
done
written cpuprofile cpuprofile
written speedscope speedscope.json
written firefox firefox.json
written pprof pb
build=$(dirname "$KILN")
ninja -C "$build" bench/distinct_stacks >/dev/null
distinct ordered
distinct shuffled
