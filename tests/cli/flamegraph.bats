# flamegraph.bats: the classic name: what is typed under it elsewhere does the same here.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset NO_COLOR COLUMNS
	export LC_ALL=C.UTF-8
	ln -s "$(readlink -f "$kiln")" flamegraph
	printf 'app;main;work 30\napp;main;io 10\n' >small.folded
	# A program that calls inner from outer, without a test's own noise.
	cat >app.c <<-'END'
	#include <stdlib.h>
	static volatile unsigned long sum;
	__attribute__((noinline)) static void inner(unsigned long n) { while (n--) sum += n; }
	__attribute__((noinline)) static void outer(void) { inner(100000000); sum++; }
	int main(int argc, char **argv) { outer(); return argc > 1 ? atoi(argv[1]) : 0; }
	END
}

needs_perf() {
	"$kiln" record -q -o probe.kiln -- true || skip "no perf events here"
	rm probe.kiln
	cc -O1 -o app app.c
}

@test "drawing: the text of perf script from a pipe, to standard output" {
	needs_corpus
	gzip -dc "$corpus/flamegraph/example-perf-stacks.txt.gz" | ./flamegraph >piped.svg
	"$kiln" draw "$corpus/flamegraph/example-perf-stacks.txt.gz" -o drawn.svg
	cmp piped.svg drawn.svg
}

@test "drawing: any format that Kiln reads, and its options under both names" {
	./flamegraph --title T --min-width 2 --image-width 900 --palette hot -i <small.folded >classic.svg
	"$kiln" draw --title T --minwidth 2 --width 900 --colors hot --inverted small.folded >own.svg
	cmp classic.svg own.svg
	./flamegraph --palette rust --reverse --deterministic <small.folded >classic.svg
	"$kiln" draw --colors rust --reverse small.folded >own.svg
	cmp classic.svg own.svg
	"$kiln" flamegraph --palette rust --reverse <small.folded >own.svg
	cmp classic.svg own.svg
}

@test "drawing: --perfdata writes flamegraph.svg, or what -o says" {
	run -0 ./flamegraph --perfdata small.folded
	[ "$output" = "kiln: wrote flamegraph.svg" ]
	run -0 ./flamegraph --perfdata small.folded -o other.svg
	cmp flamegraph.svg other.svg
}

@test "drawing: without anything to draw it says what there could be" {
	run --separate-stderr ./flamegraph </dev/null
	[ "$status" -eq 2 ]
	[[ ${stderr_lines[-1]} == "kiln: flamegraph: no FILE given, and there is no profile.kiln or perf.data here"* ]]
}

@test "drawing: what root's perf left says how to get at it" {
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip "needs root"
	cp "$(readlink -f "$kiln")" kiln
	chmod a+rx . .. kiln
	cp small.folded perf.data
	chmod 600 perf.data
	run setpriv --reuid 65534 --clear-groups --inh-caps=-all ./kiln flamegraph --perfdata perf.data
	failed_with 1 "kiln: perf.data: cannot open: Permission denied; it belongs to another user: sudo chown \$USER perf.data"
}

@test "recording: -o x.svg -- COMMAND records, draws and leaves the profile" {
	needs_perf
	run -0 ./flamegraph -o x.svg -- ./app
	[[ $output == *"kiln: wrote x.svg"*"kiln top x.kiln"* ]]
	[ "$(grep -c "next:" <<<"$output")" -eq 0 ]
	grep -q 'inner' x.svg
	"$kiln" fold x.kiln | grep -q 'main;outer;inner '
	[ ! -e perf.data ]
}

@test "recording: into flamegraph.svg, at the frequency given, with the exit code of the command" {
	needs_perf
	run -7 ./flamegraph -F 499 -- ./app 7
	[ -s flamegraph.svg ]
	"$kiln" info flamegraph.kiln | grep -q 'samples'
	run -0 ./flamegraph --ignore-status -q -- ./app 7
	[ -z "$output" ]
	# The profile before it is kept, as by kiln record.
	[ -e flamegraph.kiln.old ]
}

@test "recording: a process" {
	needs_perf
	# It becomes the program when it is recorded.
	mkfifo go
	sh -c 'read -r _ <go; exec ./app' & pid=$!
	./flamegraph -q -o p.svg --pid "$pid" & recorder=$!
	until ls -l "/proc/$recorder/fd" | grep -q perf_event && grep -q poll "/proc/$recorder/wchan"; do
		kill -0 "$recorder"
		sleep 0.02
	done
	echo >go
	wait "$pid" "$recorder"
	grep -q 'inner' p.svg
}

@test "recording: what cannot be recorded leaves no picture" {
	needs_perf
	echo old >flamegraph.svg
	run -127 ./flamegraph -- ./nowhere
	[ "$(cat flamegraph.svg)" = old ]
	[ ! -e flamegraph.kiln ]
}

@test "--open shows the picture" {
	command -v xdg-open >/dev/null || skip "no xdg-open"
	printf '#!/bin/sh\necho "$1" >>%s/shown\n' "$PWD" >browser
	chmod +x browser
	BROWSER=$PWD/browser XDG_CURRENT_DESKTOP= DISPLAY=:9 run -0 ./flamegraph --perfdata small.folded --open -o x.svg
	[[ $(cat shown) == *x.svg ]]
}

@test "slips and what is refused" {
	run ./flamegraph small.folded
	failed_with 2 "kiln: flamegraph: 'small.folded' is a file, not a command; draw it with: flamegraph --perfdata small.folded"
	run ./flamegraph --perfdata small.folded -- true
	failed_with 2 "kiln: flamegraph: --perfdata draws an existing recording: leave out the command"
	run ./flamegraph -p 1 -- true
	failed_with 2 "kiln: flamegraph: expected --pid or a command, not both"
	run ./flamegraph -F 99
	failed_with 2 "kiln: flamegraph: --freq works only when recording: name a command"
	for option in "--cmd x" "-c x" "--post-process x" "--skip-after x" "--completions bash"; do
		run ./flamegraph $option
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "kiln: flamegraph: --"* || $output == "kiln: flamegraph: -c: "* ]]
	done
}

@test "the name decides, not the path" {
	run -0 ./flamegraph --version
	[[ $output == *"$("$kiln" version | head -1)"* ]]
	run -0 ./flamegraph --help
	[[ ${lines[0]} == "usage: kiln flamegraph "* ]]
}
