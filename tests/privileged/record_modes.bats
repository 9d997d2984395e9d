# record_modes.bats: what holds in every mode?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode off -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

modes=("cpu --recorder perf" cpu "cpu --untimed" off wall io disk lock "mem --yes" "mem --cheap" "count -e syscalls:sys_enter_lseek")

# Two threads that compute, sleep, read, allocate and wait for a lock, called as it says.
worker_program() {
	cat <<-'END'
	import mmap, sys, threading, time
	open("/proc/self/comm", "w").write(sys.argv[1])
	lock = threading.Lock()
	data = open(sys.executable, "rb", buffering=0)
	def work():
	    while True:
	        with lock:
	            data.seek(0)
	            data.read(1000)
	            time.sleep(0.0005)
	        sum(range(20000))
	        with mmap.mmap(-1, 1 << 20) as pages:
	            pages[5000] = 1
	        bytearray(100000)
	for _ in range(2):
	    threading.Thread(target=work, daemon=True).start()
	open(sys.argv[1] + ".runs", "w").close()
	time.sleep(float(sys.argv[2]))
	END
}

# start_workers NAME...: until all of them work; $pids.
start_workers() {
	worker_program >work.py
	pids=
	for name; do
		/usr/bin/python3 -S work.py "$name" 300 &
		pids="$pids $!"
		until [ -e "$name.runs" ]; do sleep 0.05; done
	done
}

teardown() {
	[ -z "${pids:-}" ] || kill $pids 2>/dev/null || true
	[ -z "${group:-}" ] || until rmdir "$group" 2>/dev/null; do sleep 0.05; done
}

@test "nothing stays in the kernel of a recorder that is killed, in any mode" {
	start_workers worker
	for mode in "${modes[@]}" "cpu --by-cgroup" "off --min 1ms --wakers" "count -e libc:malloc" mem; do
		[ "$mode" != "cpu --recorder perf" ] || continue # which has no programs
		rm -rf tracing
		# shellcheck disable=SC2086
		kill_recorder libc 1 --mode $mode -p $pids || { echo "$mode"; return 1; }
		echo "$mode: $(wc -w <<<"$loaded") programs have gone"
	done
}

@test "who is outside of a control group is in no mode's profile, and figures by thread, process, CPU and group are those of all" {
	hierarchy=$(awk '/ - cgroup / && $NF ~ /(^|,)perf_event(,|$)/ || / - cgroup2 / { print (/ - cgroup2 /), $5 }' \
		/proc/self/mountinfo | sort | awk 'NR == 1 { print $2 }')
	group=$hierarchy/kiln-modes-$$
	mkdir "$group" || { group=; skip "no control groups to change"; }
	start_workers inside outside
	set -- $pids
	echo "$1" >"$group/cgroup.procs"
	for mode in "${modes[@]}"; do
		[ "$mode" != disk ] || continue # they ask nothing of one
		# shellcheck disable=SC2086
		"$kiln" record -q --mode $mode --by-cgroup -G "${group#"$hierarchy"/}" -d 700ms -o p.kiln
		"$kiln" fold -q p.kiln >folded
		echo "$mode: $(wc -l <folded) stacks"
		[ "$(grep -c '^inside;' folded)" -ge 1 ]
		[ "$(grep -c '^outside;' folded || true)" -eq 0 ]
		adds_up p.kiln
		for by in thread process cpu cgroup; do
			[ "$mode $by" != "cpu --untimed cpu" ] || continue # which knows none
			"$kiln" fold -q --by-$by p.kiln >by
			[ "$(awk '{ n += $NF } END { printf "%d", n }' by)" = "$(awk '{ n += $NF } END { printf "%d", n }' folded)" ]
			[ "$(grep -c ';inside;' by || true)" -ge 1 ] || [ $by = thread ] || [ $by = process ]
		done
	done
}

# A container has numbers of its own for its processes, and shows no others in /proc.
@test "in a pid namespace, a process, a command and its children have their names and stacks, in every mode" {
	worker_program >work.py
	cat >inside <<-'END2'
	/usr/bin/python3 -S work.py worker 300 &
	until [ -e worker.runs ]; do sleep 0.05; done
	while read -r mode; do
		"$kiln" record -q --mode $mode -p $! -d 700ms -o "process $mode.kiln" || exit 1
		"$kiln" record -q --mode $mode -o "command $mode.kiln" -- sh -c "/usr/bin/python3 -S work.py child 0.7; true" || exit 1
	done
	"$kiln" record -q -a -d 700ms -o all.kiln
	"$kiln" record -q -a -d 700ms --by-cgroup -o groups.kiln
	END2
	"$bin/busy" 60 >/dev/null & # whose number means nothing in there
	pids=$!
	export kiln
	printf '%s\n' "${modes[@]}" | grep -v disk | unshare -pf --mount-proc sh inside
	for mode in "${modes[@]}"; do
		[ "$mode" != disk ] || continue # they ask nothing of one
		echo "$mode:"
		"$kiln" fold -q "process $mode.kiln" >folded
		cut -c 1-200 folded | head -n 5
		run ! grep -v '^worker;' folded
		[ "$(grep -c '^worker;.*\(Py\|_start\|start_thread\|clone\)' folded)" -ge 1 ]
		"$kiln" fold -q "command $mode.kiln" >folded
		[ "$(grep -c '^child;.*\(Py\|_start\|start_thread\|clone\)' folded)" -ge 1 ]
		run ! grep -v '^\(child\|sh\|python3\);' folded
	done
	at_least "$(shown_ms all.kiln '^.other_pid_namespace.;')" 100
	at_least "$(shown_ms all.kiln '^worker;')" 50
	"$kiln" fold -q --by-cgroup groups.kiln | grep -q ';worker;'
}

@test "no program of a target, nor any other, is executed by the recorder" {
	command -v strace >/dev/null || skip "no strace here"
	strip -o nameless "$bin/busy" # whose debugging information is looked for
	./nameless 60 >/dev/null &
	pids=$!
	for mode in cpu "cpu --recorder perf" off mem "count -e libc:malloc"; do
		# shellcheck disable=SC2086
		strace -f -qq -s 999 -e trace=execve,execveat -o executed "$kiln" record -q --mode $mode -p $pids -d 300ms -o p.kiln
		[ "$(grep -c 'execve' executed)" -eq 1 ]
		grep -q "execve(\"$kiln\"" executed
	done
	strace -f -qq -s 999 -e trace=execve,execveat -o executed "$kiln" record -q -o p.kiln -- ./nameless 0.2
	[ "$(grep -c 'execve' executed)" -eq 2 ]
	grep -q 'execve("./nameless"' executed
}

@test "the heading of the summary says what is summed up, with options that change it" {
	headed() {
		"$kiln" record "${@:2}" -o p.kiln -- sh -c 'dd if=/proc/self/status of=/dev/null; sleep 0.1' 2>said
		cat said
		grep -qxF "$1 (self):" said
	}
	headed "longest waits" --mode off
	headed "who ended the longest waits" --mode off --wakers
	headed "most reads and writes" --mode io
	headed "longest reads and writes" --mode io --latency
	headed "most memory allocated" --mode mem
	headed "most page faults, brk and mmap" --mode mem --cheap
	headed "most hits" --mode count -e libc:malloc
	headed "largest sums of --weight" --mode count -e libc:malloc --weight arg0
}
