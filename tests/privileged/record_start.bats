# record_start.bats: what does the kernel look at before a recording runs?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --recorder bpf -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

# verified [OPTION...]: the steps in which the kernel verified the programs of such a recording.
verified() {
	"$kiln" record -q "$@" -o p.kiln -- sh -c 'cat /proc/$PPID/fdinfo/* 2>/dev/null' |
		awk '$1 == "verified_insns:" { steps += $2 } END { printf "%d\n", steps }'
}

# A step takes 0.4 µs on a fast machine, and whoever starts a recording waits for all of them.
# bats test_tags=kernels
@test "programs are verified in less than 50,000 steps, in every mode" {
	for mode in '--recorder bpf' '--mode off' '--mode off --wakers' '--mode off --min 1ns' '--mode wall' \
		'--mode wall -a' '--mode wall --by-cgroup' '--mode io --files' '--mode disk' '--mode lock' \
		'--mode count -e sched:sched_switch' '--mode count -e libc:malloc' '--mode mem' '--mode mem --cheap'; do
		steps=$(verified $mode)
		echo "$mode: $steps"
		[ "$steps" -gt 1000 ]
		[ "$steps" -lt 50000 ]
	done
}
