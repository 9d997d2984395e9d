# record_wall.bats: is the time of threads, on the CPU and off it, all of the time that there is?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode wall -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

# on FILE [PATTERN]: the ms that stacks matching it were on the CPU; and off it.
on() {
	"$kiln" fold -q "$1" | grep -Ev "$off" | grep -E "${2:-.}" | awk '{ ns += $NF } END { printf "%d\n", ns / 1e6 }'
}
off() {
	"$kiln" fold -q "$1" | grep -E "$off" | grep -E "${2:-.}" | awk '{ ns += $NF } END { printf "%d\n", ns / 1e6 }'
}

# runs FILE: how many samples of it are on the CPU.
runs() {
	"$kiln" fold -q --kind 'runs and waits' "$1" | grep -Ev "$off" | awk '{ n += $NF } END { print n }'
}

# has_cpu_time FILE SHARE MS: the stacks on the CPU have at least this share of the MS that the program used. Where the
# recorder was late, the share is smaller in proportion to the samples that FILE itself counts as lost. What the program
# used before its exec is not recorded: some milliseconds.
has_cpu_time() {
	kept=$(value "$1" "1 - sum(s['losses'].values()) / max(s['expected'], 1)")
	at_least "$(on "$1")" "$(python3 -c "print($2 * $kept * $3 - 5)")" || { "$kiln" info "$1"; return 1; }
}

# between LEAST VALUE MOST
between() {
	[ "$2" -ge "$1" ] && [ "$2" -le "$3" ] || { echo "$2, expected $1 to $3"; return 1; }
}

check_truth() {
	adds_up p.kiln
	"$kiln" fold -q p.kiln | python3 "$BATS_TEST_DIRNAME/wall.py" own
}

# bats test_tags=kernels
@test "each function's time is what its thread knows: on the CPU and off it, to 1%" {
	head -n 1 /proc/stat >before
	"$kiln" record -q --mode wall --strict -o p.kiln -- "$bin/waiting" 1 >own
	head -n 1 /proc/stat >after
	check_truth
	head -n 1 /proc/stat >before
	"$kiln" record -q --mode wall --untimed -o p.kiln -- "$bin/waiting" 1 >own
	head -n 1 /proc/stat >after
	check_truth
}

# bats test_tags=kernels
@test "the same where threads compete for CPUs" {
	head -n 1 /proc/stat >before
	"$kiln" record -q --mode wall --strict -o p.kiln -- "$bin/waiting" $((2 * $(nproc) + 1)) >own
	head -n 1 /proc/stat >after
	check_truth
	[ "$(off p.kiln ';burns;.*\[preempted\] ')" -ge 100 ]
}

# bats test_tags=kernels
@test "processes that run already, their threads and children" {
	sh -c 'until [ -e go ]; do sleep 0.05; done; "$@" >own; rm go' sh "$bin/waiting" 1 &
	target=$!
	"$kiln" record -q --mode wall -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	head -n 1 /proc/stat >before
	touch go
	wait $target $recorder
	head -n 1 /proc/stat >after
	check_truth
}

# bats test_tags=kernels
@test "one thread: its time is that of the recording, whether it sleeps or burns" {
	sleep 20 &
	target=$!
	"$kiln" record -q --mode wall -d 2s -t $target -o p.kiln
	kill $target
	between 1000 "$(off p.kiln)" 4000 # how long it takes to begin and to end is the machine's affair
	"$bin/busy" 20 >used &
	target=$!
	until_used $target 10
	"$kiln" record -q --mode wall -d 2s -t $target -o p.kiln
	kill $target
	adds_up p.kiln
	between 1000 $(($(on p.kiln) + $(off p.kiln))) 4000
	[ "$(on p.kiln)" -ge 200 ]
}

# bats test_tags=kernels
@test "CPU time is the scheduler's: of a program, and of processes too short for a sample" {
	"$kiln" record -q --mode wall -o p.kiln -- "$bin/busy" 1 >used
	has_cpu_time p.kiln 0.98 "$(awk '{ print $1 / 1e6 }' used)"
	[ "$(on p.kiln ';heavy ')" -gt "$(on p.kiln ';light ')" ]
	cat >children.py <<-'END2'
	import resource, subprocess
	for _ in range(200):
	    subprocess.run(["true"])
	used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
	print(int(sum(one.ru_utime + one.ru_stime for one in used) * 1e3))
	END2
	"$kiln" record -q --mode wall -o p.kiln -- python3 children.py >used
	adds_up p.kiln
	# What they are called meanwhile is theirs to say; what one does after its end is told is not in both.
	has_cpu_time p.kiln 0.95 "$(cat used)"
	[ "$(on p.kiln '^true')" -gt 0 ]
}

@test "a command is recorded from its exec on, though a tick comes before the exec has ended" {
	# A tick each 50 µs meets it there.
	"$kiln" record -q --mode wall -F 20000 -o p.kiln -- "$bin/busy" 0.1 >used
	"$kiln" fold -q p.kiln | grep -Ev "$off" | grep -q 'execve'
}

# bats test_tags=kernels
@test "-F, -k, -u, -C" {
	"$kiln" record -q --mode wall -F 99 -o slow.kiln -- "$bin/busy" 1 >used
	"$kiln" record -q --mode wall -F 1997 -k -o fast.kiln -- "$bin/busy" 1 >used
	[ "$(runs fast.kiln)" -gt $(($(runs slow.kiln) * 4)) ]
	[ "$("$kiln" fold -q fast.kiln | grep -c ';heavy' || true)" -eq 0 ]
	"$kiln" record -q --mode wall -u -o p.kiln -- "$bin/busy" 0.5 >used
	[ "$("$kiln" fold -q p.kiln | grep -c 'asm_' || true)" -eq 0 ]
	has_cpu_time p.kiln 0.95 "$(awk '{ print $1 / 1e6 }' used)"
	work=$(on p.kiln ';(heavy|middle|light) ')
	[ "$work" -gt 0 ]
	at_least "$(on p.kiln ';heavy ')" "$((work * 4 / 10))" # half of it
	"$kiln" record -q --mode wall -C 0 -o p.kiln -- taskset -c 0 "$bin/busy" 0.5 >used
	has_cpu_time p.kiln 0.95 "$(awk '{ print $1 / 1e6 }' used)"
}

# bats test_tags=kernels
@test "the whole system: every thread waits or runs" {
	"$kiln" record -q --mode wall -a -o p.kiln -- "$bin/waiting" 1 >own
	adds_up p.kiln
	[ "$(off p.kiln '^waiting;.*;\[sleeping: [a-z_]*\] ')" -ge 3000 ]
	[ "$(on p.kiln '^waiting;.*;burns')" -ge 900 ]
	[ "$("$kiln" fold -q p.kiln | grep -c '^swapper' || true)" -eq 0 ]
	"$kiln" info p.kiln | grep -q '^below 10.0 µs .* waits left out, '
}

# bats test_tags=kernels
@test "with the recorder stopped and a ring of a page, what is lost is counted" {
	sh -c 'until [ -e go ]; do sleep 0.05; done; exec "$@"' sh "$bin/counting" 3000 >own &
	record_stopped $! --mode wall -m 4K
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['losses']['ring full']")" -ge 2000 ]
	[ "$(value p.kiln "s['expected']")" -ge 3000 ]
}

# bats test_tags=kernels
@test "time on the CPU that cannot be told is told with what comes next" {
	"$kiln" record -q --mode wall -m 4K -o p.kiln -- "$bin/busy" 2 >used &
	recorder=$!
	until target=$(pgrep -x -P $recorder busy); do sleep 0.02; done
	until_used "$target" 200
	kill -STOP $recorder
	until_used "$target" 500
	kill -CONT $recorder
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['losses']['ring full']")" -ge 100 ]
	at_least "$(on p.kiln)" "$(awk '{ print $1 / 1e6 * 0.98 - 5 }' used)"
}

# bats test_tags=kernels
@test "99% of the stacks on the CPU are whole, without frame pointers" {
	"$kiln" record -q --mode wall -o p.kiln -- "$bin/busy" 1 >used
	"$kiln" fold -q p.kiln | grep -Ev "$off|not sampled" >folded
	at_least "$(awk '{ all += $NF } /^busy;_start;.*;main;.*;leaf/ { whole += $NF } END { print 100 * whole / all }' folded)" 97
}

@test "a picture; options of other modes are refused" {
	"$kiln" record -q --mode wall -o p.svg -- "$bin/waiting" >own
	grep -q 'sleeps' p.svg
	run "$kiln" record --mode wall -e page-faults -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"-e (also in --mode count), --recorder, --stack-bytes and --tee: only with --mode cpu" ]]
	run "$kiln" record --mode wall --min 1ms -- true
	[ "$status" -eq 2 ]
	run "$kiln" record --mode io -F 99 -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"-F works only with --mode cpu or wall: --mode io records every call" ]]
}
