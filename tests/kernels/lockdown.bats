# lockdown.bats: under a kernel that keeps its memory from root, what can be recorded, and what says why not?
# boots with: lockdown=confidentiality
load ../privileged/common

setup_file() {
	load ../privileged/common
	grep -q '\[confidentiality\]' /sys/kernel/security/lockdown || skip "the kernel is not locked down"
	build_programs
}

# bats test_tags=kernels
@test "what programs in the kernel record is refused in one line that says so" {
	for mode in "cpu --recorder bpf" off wall io disk lock mem "mem --cheap" "count -e syscalls:sys_enter_lseek"; do
		# shellcheck disable=SC2086
		run timeout 60 "$kiln" record --mode $mode -o p.kiln -- true
		echo "$mode: $output"
		[ "$status" -eq 125 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == "kiln: "*"this kernel is locked down"* ]]
		[ ! -e p.kiln ]
	done
}

# bats test_tags=kernels
@test "CPU time is recorded through rings, whole stacks with the kernel's part" {
	for option in "" --untimed; do
		"$kiln" record $option -o p.kiln -- "$bin/busy" 1 >used 2>said
		cat said
		[ "$(grep -c 'ring buffers.*locked down' said)" -eq 1 ]
		adds_up p.kiln
		at_least "$(share p.kiln ';_start;.*main;.*deeper;leaf;heavy$')" 40
	done
	"$kiln" record -q -e page-faults -o p.kiln -- "$bin/counting" 500 >own
	[ "$(value p.kiln "s['delivered']")" -ge "$(cut -d' ' -f1 own)" ]
}

# bats test_tags=kernels
@test "tracepoints, which it shows to nobody" {
	run "$kiln" record -e sched:sched_switch -o p.kiln -- true
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"locked down"* ]]
}
