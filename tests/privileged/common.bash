# common.bash: what every recording test needs: the binary, programs to record, figures of a profile.
bats_require_minimum_version 1.5.0

kiln=${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}
programs=$BATS_TEST_DIRNAME/programs
checkers=${KILN_BUILD:-$BATS_TEST_DIRNAME/../../build}/tests/privileged # what asks about stacks

# Everything that users other than root have to reach lies in a folder they may enter.
build_programs() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	export bin=$BATS_FILE_TMPDIR
	chmod a+rx "$bin" "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/file 2>/dev/null || true
	if [ -n "${KILN_PROGRAMS:-}" ]; then # where compiling takes long
		cp "$KILN_PROGRAMS"/* "$bin"
	else
		"$programs/compile.sh" "$bin"
	fi
	cp "$kiln" "$checkers/fold_tee" "$bin"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	chmod a+rwx .
	export LC_ALL=C.UTF-8
	# No names from earlier runs: neither Kiln's cache nor what perf keeps in ~/.debug.
	# Beside this folder: a cache that other users can replace is not used.
	export HOME=$BATS_TEST_TMPDIR.home
	mkdir "$HOME"
	unset XDG_CACHE_HOME KILN_CACHE
}

# ---- What to wait for: how long things take is the machine's affair ----

# own_machine: is there nobody else whom a setting of the kernel would change something for?
own_machine() { [ -n "${VM_OWN:-}" ]; }

# until_recording RECORDER: its events are on, and it waits for samples.
until_recording() {
	until ls -l "/proc/$1/fd" | grep -q perf_event && grep -q poll "/proc/$1/wchan"; do
		kill -0 "$1" || return 1
		sleep 0.02
	done 2>/dev/null
}

# record_stopped TARGET [OPTION...]: a recorder, $recorder, that does nothing while its target runs, which
# waits for the file `go`.
record_stopped() {
	"$kiln" record "${@:2}" -p "$1" -o p.kiln &
	recorder=$!
	until_recording $recorder
	kill -STOP $recorder
	touch go
	wait "$1"
	kill -CONT $recorder
}

# record_waiting_writer END OPTION...: into p.kiln, programs/paged while it writes stacks of which pages are not in memory, until
# its last write waits for a reader: the recording ends then, after `END PID` of the writer.
record_waiting_writer() {
	rm -rf over sink done writer shell
	mkfifo over sink
	{ head -c 300M >/dev/null && : >done && read -r _ <over; } <sink &
	local reader=$! recorder
	# shellcheck disable=SC2016
	"$kiln" record -q "${@:2}" -o p.kiln -- \
		sh -c '"$0" 60 stack sink & echo $! >writer; echo $$ >shell; read -r _ <over' "$bin/paged" &
	recorder=$!
	until [ -e done ] && grep -qs pipe_write /proc/"$(cat writer)"/task/*/wchan; do sleep 0.05; done
	$1 "$(cat writer)"
	kill -INT $recorder
	wait $recorder || true
	kill $reader
	kill -9 "$(cat shell)" "$(cat writer)" || true
}

# Stacks of programs/paged, whole and cut off, for awk and Python alike: Debian's awk knows no {41}.
# shellcheck disable=SC2155
export whole_paged="^paged;.*;start_thread;run;$(printf 'deeper;%.0s' {1..41})leaf([; ]|$)" cut_paged='^paged;\[truncated:page\];deeper;leaf([; ]|$)'

# A program may not wait for a page, a thread on its way back to user space may, from Linux 6.18 on.
waits_for_pages() {
	PATH=$PATH:/usr/sbin bpftool btf dump file /sys/kernel/btf/vmlinux | grep -q bpf_task_work_schedule_resume_impl
}

# bpf_programs PID: the numbers of the programs in the kernel that it has.
bpf_programs() {
	cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print $2 }' | sort -un
}

# until_gone PROGRAM...: they go when their last user has left, soon.
until_gone() {
	command -v bpftool >/dev/null || return 0
	for program; do
		for _ in $(seq 600); do
			bpftool prog show id "$program" >/dev/null 2>&1 || continue 2
			sleep 0.05
		done
		bpftool prog show id "$program"
		return 1
	done
}

# kill_recorder FILE PROGRAMS OPTION...: of a recorder with these options, which has that many programs or
# more in the kernel, some on places in FILE, nothing stays there when it is killed.
kill_recorder() {
	"$kiln" record -q "${@:3}" -o p.kiln &
	recorder=$!
	until_recording $recorder
	loaded=$(bpf_programs $recorder)
	[ "$(wc -w <<<"$loaded")" -ge "$2" ] || return 1
	kill -KILL $recorder
	wait $recorder || true
	until_gone $loaded || return 1
	mkdir tracing
	unshare -m sh -c 'mount -t tracefs none tracing && cat tracing/uprobe_events' >uprobe_events || return 1
	! grep "$1" uprobe_events
}

# The CPU time of a process or (PID/task/TID) of a thread, in ms.
used_ms() {
	awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / tick }' "/proc/$1/stat"
}

# until_used PID MS: it has used that much more.
until_used() {
	local most=$(($(used_ms "$1") + $2))
	while [ "$(used_ms "$1")" -lt "$most" ]; do sleep 0.02; done
}

# until_threads PID COUNT: it has as many.
until_threads() {
	while [ "$(ls "/proc/$1/task" | wc -l)" -lt "$2" ]; do sleep 0.02; done
}

# ---- Figures ----

# The CPU time in ms of what matches a regular expression, of FILE.
shown_ms() {
	"$kiln" fold -q --kind cpu "$1" | awk -v part="$2" '$0 ~ part { ns += $NF } END { printf "%d\n", ns / 1e6 }'
}

# value FILE EXPRESSION: a figure of a profile; `s` is its first stream, `i` all there is.
value() {
	"$kiln" info --json "$1" | python3 -c "
import json, sys
i = json.load(sys.stdin)
s = i['streams'][0]
print($2)"
}

# lost = expected - delivered, and the reasons add up.
adds_up() {
	[ "$(value "$1" "s['expected'] == s['delivered'] + s['lost'] == s['delivered'] + sum(s['losses'].values())")" = True ]
}

# What ends stacks of threads that are off the CPU, in folded text.
off='\[(sleeping|disk sleep|run queue|preempted|stopped|idle|switch not seen)(: [^]]*)?\] '

# waits FILE [PATTERN]: the ms that stacks matching it waited.
waits() {
	"$kiln" fold -q "$1" | grep -E "${2:-.}" | awk '{ ns += $NF } END { printf "%d\n", ns / 1e6 }'
}

# Of waits nothing is lost but what the kernel does not tell: some hide the switches of some processes.
nothing_lost() {
	adds_up "$1"
	[ "$(value "$1" "s['lost'] == s['losses'].get('switch not seen', 0) and s['lost'] * 100 <= s['expected'] + 100")" = True ]
}

# Are the waits of programs/waiting in p.kiln what it said in ./own? ./before and ./after are of /proc/stat.
check_truth() {
	"$kiln" fold -q p.kiln | python3 "$BATS_TEST_DIRNAME/waits.py" own "$(value p.kiln "s['lost']")"
	nothing_lost p.kiln
}

# Share in percent of the samples whose stack matches a regular expression, of FILE.
share() {
	"$kiln" fold -q "$1" | python3 -c "
import re, sys
part = whole = 0
for line in sys.stdin:
    stack, _, weight = line.rpartition(' ')
    whole += int(weight)
    part += int(weight) * bool(re.search(sys.argv[1], stack))
print(100 * part / max(whole, 1))" "$2"
}

at_least() {
	python3 -c "import sys; sys.exit(not float(sys.argv[1]) >= float(sys.argv[2]))" "$1" "$2" ||
		{ echo "$1, expected at least $2"; return 1; }
}
