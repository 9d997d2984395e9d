# record_pages.bats: do events in a thread whose stack is not all in memory have it whole, in each mode that records them?
# (Samples: record_cpu_bpf.bats; waits: record_off.bats.)
load common

setup_file() {
	load common
	build_programs
	waits_for_pages || skip "Linux before 6.18"
	"$kiln" record -q --mode io -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

teardown() {
	[ ! -e device ] || losetup -d "$(cat device)"
}

# stacks KIND PATTERN: of the events of p.kiln that come from programs/paged and match a pattern, how many there are, how many
# have all of their stack and how many were cut off.
stacks() {
	"$kiln" fold -q --kind "$1" p.kiln | pattern=$2 awk '!/;deeper;leaf[; ]/ || $0 !~ ENVIRON["pattern"] { next } { all += $NF }
		$0 ~ ENVIRON["whole_paged"] { whole += $NF }
		$0 ~ ENVIRON["cut_paged"] { cut += $NF } END { print all + 0, whole + 0, cut + 0 }'
}

# check_stacks KIND PATTERN DOES OPTION...: while programs/paged DOES that, all are whole; with --no-page-in, all are cut off.
# The second part is repeated: a recorder of the whole machine, of another test that runs at the same time, brings pages in.
check_stacks() {
	for ending in whole cut; do
		[ $ending = whole ] || set -- "$@" --no-page-in
		# Which rounds find the lock of a pipe taken is the scheduler's affair: on a busy machine hardly any may.
		for _ in $(seq 10); do
			# shellcheck disable=SC2086
			"$kiln" record -q "${@:4}" -o p.kiln -- "$bin/paged" 1 stack $3 >used 2>rounds
			adds_up p.kiln
			read -r all whole cut <<<"$(stacks "$1" "$2")"
			[ "$all" -ge 20 ] || continue
			[ $ending = cut ] && [ "$cut" -lt $((all * 97 / 100)) ] || break
		done
		echo "${*:3}: $(tail -1 rounds) rounds, $all events, $whole whole, $cut cut off"
		[ "$all" -ge 20 ]
		[ "${!ending}" -ge $((all * 97 / 100)) ]
	done
}

# every_round: the last check had an event of each.
every_round() {
	[ "$all" -eq "$(tail -1 rounds)" ]
}

@test "calls that read files" {
	check_stacks calls '\[read\]' read --mode io
	every_round
}

@test "waits for locks, the program's and the kernel's" {
	check_stacks waits '\[futex\]' wait --mode lock
	check_stacks waits 'pipe_ioctl;.*\[mutex\]' contend --mode lock
}

@test "hits of tracepoints, of functions and of their returns" {
	check_stacks syscalls:sys_enter_pread64 . read --mode count -e syscalls:sys_enter_pread64
	every_round
	check_stacks libc.so.6:malloc . allocate --mode count -e libc.so.6:malloc
	every_round
	check_stacks libc.so.6:malloc%return . allocate --mode count -e libc.so.6:malloc%return
	every_round
}

@test "allocations" {
	check_stacks allocations . allocate --mode mem
	every_round
}

@test "requests to devices" {
	truncate -s 1M image
	losetup -f --show image >device || skip "no loop devices here"
	check_stacks requests '\[read\]' "request $(cat device)" --mode disk
	# On some machines, in half of the recordings, one round of tens of thousands made no request that ends in it.
	[ "$all" -ge $(($(tail -1 rounds) - 1)) ]
}

# One event of the call that does not end is nowhere but with its thread.
@test "an event whose stack is still to come when the recording ends, or its thread, is told" {
	for end in true "kill -9"; do
		record_waiting_writer "$end" --mode count -e syscalls:sys_enter_write
		adds_up p.kiln
		[ "$(value p.kiln "s['lost']")" -eq 0 ]
		# What was read is of ten writes of 32 MB, and the last one waits.
		read -r all whole cut <<<"$(stacks syscalls:sys_enter_write .)"
		echo "$all hits, $whole whole, $cut cut off"
		[ "$all" -ge 10 ]
	done
}
