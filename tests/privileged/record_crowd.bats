# record_crowd.bats: 10,000 threads at once, 1,000 processes a second, and little memory.
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q -o "$bin/probe.kiln" -- true || skip "no perf events here"
}

# adds_up_to FILE NS PERCENT [LOST]: expected samples are what the programs used, and nearly all have come,
# or are told as lost: LOST percent at most (2).
adds_up_to() {
	adds_up "$1"
	value "$1" "(s['expected'], s['delivered'], s['losses'])"
	[ "$(value "$1" "abs(s['expected'] * 1e9 / 997 - $2) < $3 / 100 * $2")" = True ]
	[ "$(value "$1" "s['lost'] <= ${4:-2} / 100 * s['expected']")" = True ]
}

# burnt FILE MS: what all of them burn by their own clocks, less what is told as lost, is where they do so.
burnt() {
	local shown
	shown=$(shown_ms "$1" ';burn')
	echo "$shown of $2 ms"
	[ "$(value "$1" "abs($shown - $2 * s['delivered'] / s['expected']) < 0.06 * $2")" = True ]
}

@test "10,000 threads that want to run at once: on the CPU, and what each of them waits for" {
	for way in perf bpf "bpf --untimed"; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -o p.kiln -- "$bin/crowd" threads 10000 3000 >own
		# The kernel's fair share of a reader among 10,000 threads is a hundredth of a CPU: copies of
		# stacks, 60 MB a second, are too much for it where the machine has other work as well.
		read -r used burnt <own
		adds_up_to p.kiln "$used" 10 $([ "$way" = perf ] && echo 90)
		burnt p.kiln $((burnt / 1000000))
	done
	"$kiln" record -q --mode off -o p.kiln -- "$bin/crowd" threads 10000 3000 >own
	adds_up p.kiln
	[ "$(value p.kiln "s['lost'] <= 0.02 * s['expected']")" = True ]
	# Each sleeps for 100 ms or a little more, once.
	"$kiln" fold -q p.kiln | awk '/\[sleeping: clock_nanosleep\]/ { ns += $NF } END { print ns / 1e9; exit !(ns > 1000e9 && ns < 1500e9) }'
}

@test "3,000 processes, up to 1,000 a second: each one's name, and nearly all of their time" {
	for way in perf bpf; do
		started=$(date +%s%N)
		"$kiln" record -q --recorder $way -o p.kiln -- "$bin/crowd" processes 3000 1500 >own
		echo "$((3000 * 1000000000 / ($(date +%s%N) - started))) a second"
		read -r used _ <own
		adds_up_to p.kiln "$used" 3
		[ "$(value p.kiln "i['processes'] >= 1000")" = True ]
		"$kiln" fold -q --by-process p.kiln | cut -d';' -f1 | sort -u >names
		[ "$(grep -cv '^crowd-' names)" -le 5 ]
		# Beginning and ending takes them more time than that, the more the slower the machine is.
		at_least "$(share p.kiln '^crowd;.*main;burn')" $((1500 * 1000000 * 90 / used))
	done
}

# with_memory LIMIT: what a recorder that may take as much does; $status is its exit code.
with_memory() {
	group=/sys/fs/cgroup/kiln-crowd limit=memory.max
	[ ! -d /sys/fs/cgroup/memory ] || group=/sys/fs/cgroup/memory/kiln-crowd limit=memory.limit_in_bytes
	mkdir $group
	echo "$1" >$group/$limit || { rmdir $group; skip "no limit of memory here"; }
	"$bin/busy" 3 >own &
	target=$!
	status=0
	timeout 60 sh -c 'echo $$ >$0/cgroup.procs; exec "$@"' $group \
		"$kiln" record -q --recorder bpf -d 1s -p $target -o p.kiln 2>said || status=$?
	cat said
	rmdir $group
	wait $target
	case $status in
	0) adds_up p.kiln && at_least "$(share p.kiln 'main;entry;(deeper;)+leaf')" 90 ;;
	137) "$kiln" info p.kiln | grep 'not finished' ;; # the kernel has ended it
	*) [ "$(wc -l <said)" -eq 1 ] ;;
	esac
}

@test "with 64 MB of memory the recorder says what it cannot do, or does it; the target runs on" {
	with_memory 64M
}

@test "with 8 MB of memory the kernel ends the recorder, which leaves a profile without samples; the target runs on" {
	with_memory 8M
	[ "$status" -eq 137 ]
	run -0 --separate-stderr "$kiln" fold p.kiln
	[ -z "$output" ]
}

@test "with little address space it says that memory is short, or which tables there was no memory for" {
	for options in "16000 --recorder bpf" "23000 --recorder bpf" "60000 --recorder bpf" "40000 --recorder perf" "40000 --mode off"; do
		status=0
		# shellcheck disable=SC2086
		(ulimit -v ${options%% *} && exec "$kiln" record ${options#* } -d 1s -o p.kiln -- "$bin/busy" 0.3) >own 2>said || status=$?
		cat said
		case $status in
		0) adds_up p.kiln && ! grep 'at most .* MB' said ;;
		125) [ "$(wc -l <said)" -eq 1 ] && grep -q 'not enough memory: .*ulimit -v' said && ! grep 'ulimit -l' said ;;
		1) [ "$(wc -l <said)" -eq 1 ] && grep -q 'out of memory: cannot allocate .*ulimit -v' said ;; # before it records
		*) return 1 ;;
		esac
	done
}
