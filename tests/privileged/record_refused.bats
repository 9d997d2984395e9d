# record_refused.bats: where a kernel or a sandbox refuses, is it said in one line what is in the way, and is nothing left?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode off -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

# Numbers of x86-64.
perf_event_open=298
bpf=321
EPERM=1 # as docker has it
ENOSYS=38 # as podman has it
modes=("cpu --recorder bpf" off wall io disk lock mem "mem --cheap" "count -e syscalls:sys_enter_lseek")

# refused STATUS TEXT COMMAND...: in one line with this text, and without a profile.
refused() {
	run "${@:3}"
	echo "$output"
	[ "$status" -eq "$1" ] || return 1
	[ "${#lines[@]}" -eq 1 ] || return 1
	[[ "$output" == "kiln: "*"$2"* ]] || return 1
	[ ! -e p.kiln ] || return 1
}

# left_behind: programs of ours in the kernel, and control groups.
left_behind() {
	PATH=$PATH:/usr/sbin bpftool prog 2>/dev/null | grep -oE ' name on_[a-z_]*' || true
	find /sys/fs/cgroup -type d -name "kiln-[0-9]*" 2>/dev/null
}

# Others on the machine may record as well: what is new is looked at until it has gone.
nothing_left() {
	for _ in $(seq 100); do
		left_behind | sort | comm -13 <(sort "$1") - >new
		[ -s new ] || return 0
		sleep 0.1
	done
	cat new
	return 1
}

# bats test_tags=kernels
@test "a container's seccomp filter: the call and docker's options are named, in every mode" {
	left_behind >before
	for errno in $EPERM $ENOSYS; do
		for mode in "${modes[@]}"; do
			# shellcheck disable=SC2086
			refused 125 "a seccomp filter blocks bpf(2)" "$bin/forbidden" $errno $bpf \
				"$bin/kiln" record --mode $mode -o p.kiln -- true
			[[ "$output" == *"--cap-add PERFMON --cap-add BPF --security-opt seccomp="* ]]
		done
		for mode in cpu off; do
			refused 125 "a seccomp filter blocks perf_event_open(2)" "$bin/forbidden" $errno \
				$perf_event_open "$bin/kiln" record --mode $mode -o p.kiln -- true
			[[ "$output" == *"--cap-add PERFMON --cap-add BPF --security-opt seccomp="* ]]
		done
		refused 125 "a seccomp filter blocks perf_event_open(2)" "$bin/forbidden" $errno $perf_event_open,$bpf \
			"$bin/kiln" record --untimed -o p.kiln -- true
	done
	nothing_left before
}

# bats test_tags=kernels
@test "without capabilities, as root in a container or as another user, these and docker's options are named" {
	left_behind >before
	for mode in "${modes[@]}"; do
		for as in "--bounding-set -sys_admin,-bpf,-perfmon" "--reuid 4321 --regid 4321 --clear-groups"; do
			# shellcheck disable=SC2086
			refused 125 "CAP_BPF and CAP_PERFMON" setpriv $as "$bin/kiln" record --mode $mode -o p.kiln -- true
			[[ "$output" == *"docker run --cap-add PERFMON --cap-add BPF"* ]]
		done
	done
	nothing_left before
}

# bats test_tags=kernels
@test "CAP_BPF and CAP_PERFMON are enough, but for what needs more and says so" {
	as="setpriv --reuid 4321 --regid 4321 --clear-groups --inh-caps +bpf,+perfmon --ambient-caps +bpf,+perfmon"
	dd if=/dev/zero of=file bs=1000 count=123 status=none
	chmod a+r file
	if own_machine; then # Debian's kernel has a setting of its own
		echo 3 >/proc/sys/kernel/perf_event_paranoid
		refused 125 "CAP_PERFMON is not enough" $as "$bin/kiln" record -q --mode off -o p.kiln -- true
		echo 2 >/proc/sys/kernel/perf_event_paranoid
	fi
	$as "$bin/kiln" record -q --mode io -r -o p.kiln -- dd if=file of=/dev/null bs=1000 status=none
	adds_up p.kiln
	[ "$("$kiln" fold -q p.kiln | awk '/^dd;/ { n += $NF } END { print n }')" -ge 123000 ]
	$as "$bin/kiln" record -q --mode off -o p.kiln -- sleep 0.2
	at_least "$(waits p.kiln '^sleep;.*nanosleep')" 190
	$as "$bin/kiln" record -q --recorder bpf -o p.kiln -- "$bin/busy" 0.5 >used
	at_least "$(share p.kiln ';heavy$')" 40
	rm p.kiln
	run $as "$bin/kiln" record -q --mode mem -o p.kiln -- true
	[ "$status" -eq 0 ] || [ "$output" = "kiln: user-space probes need root (CAP_SYS_ADMIN) in this kernel; CAP_BPF and CAP_PERFMON are not enough" ]
	refused 125 "run as root" $as "$bin/kiln" record -q --mode count -e sched:sched_switch -o q.kiln -- true
	refused 125 "run as root" $as "$bin/kiln" record -q --mode count -e syscalls:sys_enter_lseek -o q.kiln -- true
}

# bats test_tags=kernels
@test "in a user namespace, whose capabilities do not count" {
	unshare -Ur true || skip "no user namespaces here"
	for mode in "${modes[@]}"; do
		# shellcheck disable=SC2086
		refused 125 "capabilities outside of this user namespace" unshare -Ur "$bin/kiln" record --mode $mode -o p.kiln -- true
	done
	# Rings are what its users can have there, as others without privileges.
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "kernel.perf_event_paranoid"
	unshare -Ur "$bin/kiln" record -o p.kiln -- "$bin/busy" 0.3 >used 2>said
	cat said
	grep -q 'sampling with perf_event_open and ring buffers: .*outside of this user namespace' said
	at_least "$(share p.kiln ';heavy$')" 40
}

# bats test_tags=kernels
@test "a kernel that does not describe its types" {
	without_types() {
		unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' - "$@"
	}
	emptied_types() {
		unshare -m sh -c 'mount --bind /dev/null /sys/kernel/btf/vmlinux && exec "$@"' - "$@"
	}
	refused 125 "CONFIG_DEBUG_INFO_BTF" emptied_types "$bin/kiln" record --mode off -o p.kiln -- true
	for mode in "${modes[@]}"; do
		# shellcheck disable=SC2086
		refused 125 "CONFIG_DEBUG_INFO_BTF" without_types "$bin/kiln" record --mode $mode -o p.kiln -- true
	done
	without_types "$bin/kiln" record --untimed -o p.kiln -- "$bin/busy" 0.3 >used 2>said
	grep -q 'sampling with perf_event_open and ring buffers, with their times: .*CONFIG_DEBUG_INFO_BTF' said
	at_least "$(share p.kiln ';heavy$')" 40
	without_types "$bin/kiln" record -o p.kiln -- "$bin/busy" 0.3 >used 2>said
	grep -q 'sampling with perf_event_open and ring buffers: .*CONFIG_DEBUG_INFO_BTF' said
	at_least "$(share p.kiln ';heavy$')" 40
}

# check_stand_in COMMAND...: rings take the place of programs: the same event, counted, and it is said why.
check_stand_in() {
	"$@" -o p.kiln -- "$bin/busy" 1 >used 2>said
	cat said
	[ "$(grep -c '^kiln: sampling with perf_event_open and ring buffers' said)" -eq 1 ]
	[ "$(grep -c '^kiln: ' said)" -eq 1 ]
	[ "$(value p.kiln "i['meta']['recorder']")" = "cpu (perf)" ]
	adds_up p.kiln
	[ "$(value p.kiln "s['event']")" = cpu-clock ]
	[ "$(value p.kiln "s['kind']")" = cpu ]
	at_least "$(share p.kiln ';heavy$')" 40
	python3 - "$(cat used)" "$(value p.kiln "s['expected']")" <<-'END'
	import sys
	own, expected = int(sys.argv[1]), int(sys.argv[2]) * 1e9 / 997
	assert abs(own - expected) < 0.05 * own, (own, expected)
	END
}

# bats test_tags=kernels
@test "rings in the place of programs: where bpf(2) is refused, and where it is asked for" {
	check_stand_in "$bin/forbidden" $EPERM $bpf "$bin/kiln" record --untimed
	grep -q 'ring buffers, with their times: .*seccomp' said
	check_stand_in "$bin/forbidden" $EPERM $bpf "$bin/kiln" record
	grep -q 'ring buffers: .*seccomp' said
	check_stand_in "$bin/kiln" record --untimed --recorder perf
	grep -q 'with their times: --recorder perf$' said
}

# start_target: a process, $target, that its parent takes leave of when it ends.
start_target() {
	sh -c '"$0" 60 >/dev/null & echo $! >target; wait' "$bin/busy" &
	until [ -s target ]; do sleep 0.02; done
	target=$(cat target)
}

# bats test_tags=kernels
@test "a target that ends while the recording begins" {
	left_behind >before
	for call in $perf_event_open $bpf; do
		for mode in "cpu --recorder bpf" off io "count -e syscalls:sys_enter_lseek"; do
			start_target
			# shellcheck disable=SC2086
			refused 2 "process $target does not exist or has ended" "$bin/at_call" $call \
				"kill -9 $target; while [ -e /proc/$target ]; do sleep 0.01; done" \
				"$bin/kiln" record --mode $mode -p "$target" -o p.kiln
			rm target
		done
	done
	start_target
	refused 2 "process $target does not exist or has ended" "$bin/at_call" $perf_event_open \
		"kill -9 $target; while [ -e /proc/$target ]; do sleep 0.01; done" "$bin/kiln" record -p "$target" -o p.kiln
	nothing_left before
}

# bats test_tags=kernels
@test "a process that gets the number of the one that was meant is not recorded" {
	cat >inside <<-'END'
	sh -c '"$bin/busy" 60 >/dev/null & echo $! >target; wait' &
	until [ -s target ]; do sleep 0.02; done
	target=$(cat target)
	cat >again <<-END2
	kill -9 $target
	while [ -e /proc/$target ]; do sleep 0.01; done
	echo $((target - 1)) >/proc/sys/kernel/ns_last_pid
	"$bin/busy" 60 >/dev/null &
	echo \$! >other
	END2
	"$bin/at_call" "$1" 'sh again' "$bin/kiln" record ${2:+--mode "$2"} -p "$target" -o p.kiln
	echo $? >status
	[ "$(cat other)" = "$target" ] || echo 'another number' >missed
	END
	[ -e /proc/sys/kernel/ns_last_pid ] || skip "numbers cannot be chosen here"
	for mode in "" off; do
		timeout 60 unshare -pf --mount-proc sh inside $perf_event_open $mode >said 2>&1
		cat said
		[ ! -e missed ] || skip "somebody else was faster"
		[ "$(cat status)" -eq 2 ]
		grep -qx "kiln: process $(cat target) ended before the recording began" said
		[ ! -e p.kiln ]
		rm target other
	done
}
