# record_killed.bats: what does a recorder leave behind that is killed, or whose parent or terminal goes away?
load common

setup_file() {
	load common
	build_programs
}

teardown() {
	[ ! -e device ] || losetup -d "$(cat device)"
	[ -z "${pids:-}" ] || kill -9 $pids 2>/dev/null || true
	[ -z "${made:-}" ] || rmdir $made 2>/dev/null || true
}

# $hierarchy: where groups of commands are, below that of this shell.
needs_groups() {
	local path
	"$kiln" record -q -o probe.kiln -- cat /proc/self/cgroup >probe
	grep -q '/kiln-[0-9]*-[0-9a-f]*$' probe || skip "no control groups to change"
	"$kiln" record -q -o probe.kiln -- sleep 60 &
	until_recording $!
	path=$(group_of $!)
	hierarchy=${path%/*}
	kill $!
	wait $! || true
	[ ! -e "$path" ]
}

# The group of a recorder, wherever perf events have their hierarchy.
group_of() {
	find /sys/fs/cgroup -type d -name "kiln-$1-*" 2>/dev/null
}

needs_bpf() {
	"$kiln" record -q --mode off -o probe.kiln -- true || skip "no BPF here"
}

# How much before its end a recording may end is for a machine with time to spare: less than a second. tests/privileged/killed.py
# says more, of more moments.
@test "kill -9 at any moment, in every mode: the file is read and has all but the end, and nothing of the recorder stays" {
	needs_bpf
	truncate -s 16M image
	losetup -f --show image >device || { rm device; skip "no loop devices here"; }
	python3 "$BATS_TEST_DIRNAME/killed.py" --moments "${KILN_MOMENTS:-3}" --within "${KILN_WITHIN:-4}" --longest 0.7 --device "$(cat device)" \
		"$kiln" "$bin/steady" "--mode cpu" "--mode cpu --recorder perf" "--mode cpu --untimed" "--mode off" "--mode off --untimed" \
		"--mode wall" "--mode io" "--mode disk" "--mode lock" "--mode mem" "--mode count -e syscalls:sys_enter_lseek"
}

@test "sums without times, too, lack no more than the end" {
	needs_bpf
	python3 "$BATS_TEST_DIRNAME/killed.py" --moments 2 --within 4 --begins 6 \
		"$kiln" "$bin/steady" "--mode cpu --untimed" "--mode count --untimed -e syscalls:sys_enter_lseek"
}

@test "the next recorder removes the control group of one that was killed; what runs in it goes on outside" {
	needs_groups
	"$kiln" record -q -o p.kiln -- sh -c 'echo $$ >pid; exec sleep 60' &
	recorder=$!
	until_recording $recorder && until [ -s pid ]; do sleep 0.02; done
	pids=$(cat pid)
	group=$(group_of $recorder)
	kill -9 $recorder
	wait $recorder || true
	[ "$(cat "$group/cgroup.procs")" = "$pids" ]
	"$kiln" record -q -p $$ -d 100ms -o q.kiln # one that has no group of its own
	[ ! -e "$group" ]
	grep -qx "$pids" "$hierarchy/cgroup.procs"
}

@test "recorders at the same time keep their control groups, and groups of others stay" {
	needs_groups
	made="$hierarchy/kiln-1 $hierarchy/kiln-1-0123456789abcdef.slice $hierarchy/kiln-1-0123456789abcdef/inner
		$hierarchy/kiln-1-0123456789abcdef $hierarchy/kiln-2-0123456789abcdef"
	mkdir -p $made
	chown 1234 "$hierarchy/kiln-2-0123456789abcdef"
	"$kiln" record -q -o p.kiln -- sleep 60 &
	recorder=$!
	until_recording $recorder
	group=$(group_of $recorder)
	inside=$(cat "$group/cgroup.procs")
	[ -n "$inside" ]
	for _ in 1 2 3; do
		"$kiln" record -q -o q.kiln -- true &
		"$kiln" record -q -p $$ -d 100ms -o r.kiln
		wait $!
	done
	[ "$(cat "$group/cgroup.procs")" = "$inside" ]
	kill -0 $recorder
	for each in $made; do [ -d "$each" ]; done
	kill $recorder
	wait $recorder || true
	[ ! -e "$group" ]
	adds_up p.kiln
}

# is_finished FILE: its recorder has ended by itself.
is_finished() {
	"$kiln" info "$1" >said
	run ! grep -q 'not finished' said
	[ "$(value "$1" "s['delivered'] > 0")" = True ]
}

@test "a hangup ends the recording, but for one that was started to outlive it (nohup)" {
	"$bin/busy" 60 >/dev/null &
	pids=$!
	"$kiln" record -q -p $pids -o p.kiln &
	recorder=$!
	until_recording $recorder && until_used $pids 200
	kill -HUP $recorder
	wait $recorder
	is_finished p.kiln
	nohup "$kiln" record -q -p $pids -o q.kiln 2>/dev/null &
	recorder=$!
	until_recording $recorder
	kill -HUP $recorder
	until_used $pids 500
	kill -0 $recorder
	kill $recorder
	wait $recorder
	is_finished q.kiln
}

@test "the terminal goes away: the file is finished" {
	"$bin/busy" 60 >/dev/null &
	pids=$!
	timeout 60 python3 - "$kiln" $pids <<-'END'
	import os, pty, sys, time
	child, terminal = pty.fork()
	if not child:
	    os.execv(sys.argv[1], ["kiln", "record", "-p", sys.argv[2], "-o", "p.kiln"])
	while True:  # until it says how far it is
	    if b"samples" in os.read(terminal, 1000):
	        break
	time.sleep(0.5)
	os.close(terminal)
	os.waitpid(child, 0)
	END
	is_finished p.kiln
}

@test "the parent is killed: the recorder goes on, and finishes its file when it is told to end" {
	"$bin/busy" 60 >/dev/null &
	pids=$!
	sh -c '"$0" record -q -p "$1" -o p.kiln & echo $! >recorder; wait' "$kiln" $pids &
	parent=$!
	until [ -s recorder ] && until_recording "$(cat recorder)"; do sleep 0.02; done
	kill -9 $parent
	wait $parent || true
	until_used $pids 300
	kill "$(cat recorder)"
	# Whoever it belongs to now need not wait for it.
	until ! grep -qs '^State:.[^Z]' "/proc/$(cat recorder)/status"; do sleep 0.02; done
	is_finished p.kiln
}
