# record_cpu_bpf.bats: samples of CPU time taken by a program in the kernel: are they those of the rings, and none missing?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --recorder bpf -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

# of_expected FILE USED_NS: samples that were expected of a program that used so much CPU time, in percent.
of_expected() {
	value "$1" "100 * s['expected'] / ($2 * 997 / 1e9)"
}

# close_to PERCENT BY
close_to() {
	at_least "$1" $((100 - $2)) && at_least $((100 + $2)) "$1"
}

# as_used FILE USED_NS BY: samples that were expected are a program's CPU time.
as_used() {
	close_to "$(of_expected "$1" "$2")" "$3"
}

check_shares() {
	close_to "$(python3 -c "print(100 * $(share "$1" ';heavy$') / 50)")" 10
	close_to "$(python3 -c "print(100 * $(share "$1" ';middle$') / 33.3)")" 12
	at_least "$(share "$1" '^busy;_start;.*;main;entry;(deeper;)+leaf')" 97
}

# bats test_tags=kernels
@test "a program's CPU time is in the samples, all of them, where it was spent" {
	for way in bpf "bpf --untimed"; do
		# shellcheck disable=SC2086
		"$kiln" record -q --strict --recorder $way -o p.kiln -- "$bin/busy" 2 >used
		adds_up p.kiln
		as_used p.kiln "$(cat used)" 3
		close_to "$(python3 -c "print($(shown_ms p.kiln .) * 1e8 / $(cat used))")" 3
		check_shares p.kiln
	done
}

# bats test_tags=kernels
@test "threads and children, of processes that run already" {
	for way in bpf "bpf --untimed"; do
		rm -f go
		sh -c 'until [ -e go ]; do sleep 0.05; done; "$0" 1 3 >one & "$0" 1 >two; wait' "$bin/busy" &
		target=$!
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -p $target -o p.kiln &
		recorder=$!
		until_recording $recorder
		touch go
		wait $target $recorder
		adds_up p.kiln
		as_used p.kiln "$(cat one two | awk '{ ns += $1 } END { print ns }')" 5
		[ "$("$kiln" fold -q --by-thread p.kiln | grep -c '^busy-[0-9]*/[0-9]*;' || true)" -ge 4 ]
		[ "$("$kiln" fold -q --by-thread p.kiln | grep -o '^busy-[0-9]*/[0-9]*;' | sort -u | wc -l)" -ge 4 ]
	done
}

# bats test_tags=kernels
@test "the whole system: idle CPUs are counted apart" {
	for way in "perf -e cpu-clock" bpf "bpf --untimed"; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -a -o p.kiln -- taskset -c 0 "$bin/busy" 1 >used
		adds_up p.kiln
		at_least "$(shown_ms p.kiln '^busy;')" "$(awk '{ print $1 / 1e6 * 0.9 }' used)"
		# What interrupts an idle CPU is work, of which there is little.
		[ "$("$kiln" fold -q p.kiln | grep -E '^swapper.*(default_idle|intel_idle)' | grep -cvE ';[a-z_]*(irq|interrupt)' || true)" -eq 0 ]
	done
}

# bats test_tags=kernels
@test "user stacks without frame pointers: 99.5% reach the entry" {
	"$kiln" record -q --recorder bpf -o p.kiln -- "$bin/busy" 1 >used
	at_least "$(share p.kiln '^busy;_start;.*;main;|\[kernel|^busy;[^;]*exec')" 98
	"$kiln" record --recorder bpf -o p.kiln -- "$bin/busy" 2 >used 2>said
	at_least "$(sed -n 's/% of the user stacks are complete.*//p' said)" 99.5
}

# bats test_tags=kernels
@test "--untimed writes little, and knows no times" {
	"$kiln" record -q --untimed -o p.kiln -- "$bin/busy" 3 >used
	[ "$(stat -c %s p.kiln)" -le 50000 ]
	run "$kiln" info p.kiln
	[[ "$output" != *"time span"* ]]
	"$kiln" record -q --recorder bpf -o p.kiln -- "$bin/busy" 0.2 >used
	"$kiln" info p.kiln | grep -q 'time span'
}

# no_table FILE KIND: the share of the stacks that were lost for want of an unwind table, in percent, and how many there are.
no_table() {
	"$kiln" fold -q --kind "$2" "$1" | awk '{ all += $NF } /\[truncated:no-table\]/ { lost += $NF } END { print 100 * lost / all, all }'
}

@test "the first second of programs: less than 0.5% of the stacks are lost for want of a table, on the CPU and off it" {
	for way in "bpf" "bpf --untimed"; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -o p.kiln -- sh -c 'for i in $(seq 20); do "$0" 0.1; done' "$bin/busy" >used
		read -r lost all <<<"$(no_table p.kiln samples)"
		echo "$way: $lost% of $all"
		[ "$all" -ge 1000 ]
		at_least 0.5 "$lost"
	done
	"$kiln" record -q --mode off -o p.kiln -- sh -c 'for i in $(seq 20); do "$0" 100; done' "$bin/counting" >own
	read -r lost all <<<"$(no_table p.kiln waits)"
	echo "off: $lost% of $all"
	[ "$all" -ge 2000 ]
	at_least 0.5 "$lost"
}

# busy_while_stopped SECONDS OPTION...: a program that starts, and ends, while the recorder is stopped; p.kiln and used.
busy_while_stopped() {
	rm -f go
	sh -c 'until [ -e go ]; do sleep 0.05; done; exec "$0" "$1" >used' "$bin/busy" "$1" &
	record_stopped $! "${@:2}"
	wait $recorder
	adds_up p.kiln
}

# bats test_tags=kernels
@test "with the recorder stopped and a ring of a page, what is lost is counted" {
	for way in bpf "bpf --untimed"; do
		# shellcheck disable=SC2086
		busy_while_stopped 1 --recorder $way -m 4K
		[ "$(value p.kiln "s['losses']['ring full']")" -ge 1 ]
		as_used p.kiln "$(cat used)" 5
	done
}

@test "a ring has no more than it can: that is said" {
	"$kiln" record --recorder bpf -m 100G -o p.kiln -- true 2>said
	grep -q "^kiln: -m: a ring buffer has at most 1 GB; using 1 GB$" said
}

# Of a program that starts while the recorder is stopped nothing is known; the ring has room for all the samples, and for
# two copies of stacks.
# bats test_tags=kernels
@test "with the recorder stopped and a ring that is too small for copies, stacks say so" {
	for way in bpf "bpf --untimed"; do
		# shellcheck disable=SC2086
		busy_while_stopped 0.3 --recorder $way -m 64K
		[ "$(value p.kiln "s['losses'].get('ring full', 0)")" -eq 0 ]
		at_least "$(share p.kiln '^busy;\[truncated:no-room\];')" 70
		[ "$("$kiln" fold -q p.kiln | grep -c '\[truncated:no-table\]' || true)" -eq 0 ]
	done
}

# Of samples in user space -k tells no stacks: only the table of counts fills, by 130 threads for 64 rows.
# bats test_tags=kernels
@test "with the recorder stopped and no room for counts, what is lost is counted" {
	sh -c 'until [ -e go ]; do sleep 0.05; done; "$0" 0.05 64 >one & "$0" 0.05 64 >two; wait' "$bin/busy" &
	record_stopped $! --untimed -k -m 4K
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['losses']['map full']")" -ge 50 ]
	as_used p.kiln "$(cat one two | awk '{ ns += $1 } END { print ns }')" 10
}

# bats test_tags=kernels
@test "a table that fills is taken out in time" {
	"$kiln" record -q --strict --untimed -m 64K -o p.kiln -- "$bin/busy" 0.1 32 >used
	adds_up p.kiln
	[ "$(value p.kiln "s['losses'].get('map full', 0)")" -eq 0 ]
	as_used p.kiln "$(cat used)" 5
}

@test "stacks that are not all in memory are whole, and with --no-page-in cut off" {
	waits_for_pages || skip "Linux before 6.18"
	for way in bpf "bpf --untimed"; do
		# shellcheck disable=SC2086
		"$kiln" record -q --strict --recorder $way -o p.kiln -- "$bin/paged" 1 stack >used
		as_used p.kiln "$(cat used)" 5
		at_least "$(share p.kiln "$whole_paged")" 97
		# shellcheck disable=SC2086
		"$kiln" record -q --strict --recorder $way --no-page-in -o p.kiln -- "$bin/paged" 1 stack >used
		as_used p.kiln "$(cat used)" 5
		at_least "$(share p.kiln "$cut_paged")" 97
		# Where it computes the pages are absent, always: each such sample is one of those that are told as cut off.
		[ "$("$kiln" fold -q --kind samples p.kiln | grep ';leaf ' | grep -cv '\[truncated:page\]' || true)" -eq 0 ]
	done
}

# runs RECORDER: how often the kernel has run its program, which it counts for --max-overhead.
runs() {
	cat /proc/"$1"/fdinfo/* | awk '$1 == "prog_type:" { type = $2 } $1 == "run_cnt:" && type == 7 { print $2; exit }'
}

# all_told WAY END: of a thread that waits in a call, with a sample that it has to tell when it returns, and then meets its
# end or that of the recording.
all_told() {
	rm -f over sink done writer shell
	mkfifo over sink
	{ head -c 900M >/dev/null && : >done && read -r _ <over; } <sink &
	reader=$!
	# shellcheck disable=SC2086
	"$kiln" record -q --recorder $1 --max-overhead 100% -o p.kiln -- \
		sh -c '"$0" 30 stack sink & echo $! >writer; echo $$ >shell; read -r _ <over' "$bin/paged" &
	recorder=$!
	until [ -e done ] && grep -qs pipe_write /proc/"$(cat writer)"/task/*/wchan; do sleep 0.05; done
	$2 "$(cat writer)"
	before=$(runs $recorder)
	kill -INT $recorder
	wait $recorder || true
	kill $reader
	kill -9 "$(cat writer)" "$(cat shell)" || true
	told=$(value p.kiln "s['delivered'] + sum(s['losses'].get(r, 0) for r in ('ring full', 'map full'))")
	echo "$before runs, $told told"
	[ "$before" -ge 50 ]
	[ "$told" -eq "$before" ]
}

killed() {
	kill -9 "$1"
	until grep -q '^State:.Z' "/proc/$1/status"; do sleep 0.05; done
}

@test "samples that wait for their stacks are told when the recording ends, or their thread" {
	for way in bpf "bpf --untimed"; do
		all_told "$way" true
		all_told "$way" killed
	done
}

# bats test_tags=kernels
@test "-u, -k, -F, --call-graph fp" {
	"$kiln" record -q --recorder bpf -u -o p.kiln -- "$bin/busy" 0.5 >used
	[ "$("$kiln" fold -q p.kiln | grep -c 'asm_' || true)" -eq 0 ]
	at_least "$(share p.kiln ';heavy')" 40
	"$kiln" record -q --recorder bpf -k -F 499 -o p.kiln -- "$bin/busy" 1 >used
	[ "$("$kiln" fold -q p.kiln | grep -c ';heavy' || true)" -eq 0 ]
	[ "$(value p.kiln "s['expected'] <= 600")" = True ]
	"$kiln" record -q --recorder bpf --call-graph fp -o p.kiln -- "$bin/busy" 0.5 >used
	at_least "$(share p.kiln ';heavy')" 40
}

# bats test_tags=kernels
@test "nothing stays in the kernel when it is killed" {
	"$kiln" record -q --untimed -a -o p.kiln &
	recorder=$!
	until_recording $recorder
	kill -9 $recorder
	wait $recorder || true
	for _ in $(seq 100); do
		left=$(PATH=$PATH:/usr/sbin bpftool prog show --json -p 2>/dev/null | grep -c "\"pid\": $recorder,") || true
		[ "$left" -eq 0 ] && break
		sleep 0.1
	done
	[ "$left" -eq 0 ]
}

# bats test_tags=kernels
@test "without privileges rings are taken, and a line says why; --recorder bpf is refused" {
	if own_machine; then echo 2 >/proc/sys/kernel/perf_event_paranoid; fi
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "kernel.perf_event_paranoid"
	run setpriv --reuid 65534 --clear-groups "$bin/kiln" record --untimed -o p.kiln -- "$bin/busy" 0.3
	[ "$status" -eq 0 ]
	[[ "$output" == *"sampling with perf_event_open and ring buffers, with their times: "*CAP_BPF* ]]
	[ "$(value p.kiln "s['delivered']")" -ge 10 ]
	run setpriv --reuid 65534 --clear-groups "$bin/kiln" record -o p.kiln -- "$bin/busy" 0.3
	[ "$status" -eq 0 ]
	[[ "$output" == *"sampling with perf_event_open and ring buffers: "*CAP_BPF* ]]
	[ "$(value p.kiln "i['meta']['recorder']")" = "cpu (perf)" ]
	run setpriv --reuid 65534 --clear-groups "$bin/kiln" record --recorder bpf -o q.kiln -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *CAP_BPF*CAP_PERFMON* ]]
	[ ! -e q.kiln ]
}

# taken_by WAY OPTION...: samples are, and nothing is said about it.
taken_by() {
	"$kiln" record "${@:2}" -o p.kiln -- "$bin/busy" 0.2 >used 2>said || return 1
	cat said
	[ "$(value p.kiln "i['meta']['recorder']")" = "cpu ($1)" ] || return 1
	run ! grep -E '^kiln: ' said
}

# bats test_tags=kernels
@test "a program takes samples where nothing else is asked for, and rings what only they can" {
	taken_by bpf
	taken_by bpf -e cpu-clock
	taken_by bpf --recorder auto --no-page-in
	taken_by bpf --call-graph dwarf -F 99 -m 1M
	taken_by perf --recorder perf
	taken_by perf -e page-faults
	taken_by perf -e cpu-clock:u
	taken_by perf -e cpu-clock,page-faults
	taken_by perf --stack-bytes 8192
	taken_by perf --tee p.tee
}

@test "what only one of both can do is not taken for the other" {
	run "$kiln" record --recorder bpf -e page-faults -o p.kiln -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"other events (-e), --stack-bytes and --tee work only with --recorder perf" ]]
	for rings in "--recorder perf" "-e page-faults" "--stack-bytes 8192"; do
		# shellcheck disable=SC2086
		run "$kiln" record --no-page-in $rings -o p.kiln -- true
		[ "$status" -eq 2 ]
		[[ "$output" == *"works only with --recorder bpf"* ]]
	done
	run "$kiln" record --untimed -e page-faults -o p.kiln -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"--untimed samples only the CPU clock: "* ]]
}
