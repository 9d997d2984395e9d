# record_ends.bats: whatever ends a recording, what was recorded is kept, and the exit code tells.
load common

setup_file() {
	load common
	build_programs
}

@test "the command's exit code" {
	run -0 "$kiln" record -q -o p.kiln -- true
	run -7 "$kiln" record -q -o p.kiln -- sh -c 'exit 7'
	run -137 "$kiln" record -q -o p.kiln -- sh -c 'kill -9 $$'
	run -127 "$kiln" record -q -o p.kiln -- /nowhere
	[ "$output" = "kiln: no such command: cannot execute '/nowhere': No such file or directory" ]
	run -126 "$kiln" record -q -o p.kiln -- /etc/passwd
}

@test "-d" {
	"$bin/busy" 60 >/dev/null &
	# Others on the machine can only make it longer, and not each time.
	for try in 1 2 3 4 5; do
		start=$(date +%s%N)
		"$kiln" record -q -p $! -d 700ms -o p.kiln
		took=$((($(date +%s%N) - start) / 1000000))
		[ "$took" -ge 700 ]
		[ "$took" -ge 1700 ] || [ "$(value p.kiln "i['span_ns'] < 800e6")" != True ] || break
	done
	kill %1
	echo "$took ms, $(value p.kiln "i['span_ns']") ns"
	[ "$took" -lt 1700 ]
	[ "$(value p.kiln "i['span_ns'] < 800e6")" = True ]
}

@test "Ctrl-C and SIGTERM" {
	for signal in INT TERM; do
		"$bin/busy" 60 >/dev/null &
		target=$!
		"$kiln" record -q -p $target -o p.kiln &
		recorder=$!
		until_recording $recorder
		until_used $target 200
		kill -$signal $recorder
		wait $recorder
		kill $target
		[ "$(value p.kiln "s['delivered'] > 100")" = True ]
	done
}

@test "a command that does not end when it is told to" {
	"$kiln" record -d 500ms -o p.kiln -- sh -c 'trap "" TERM; echo $$ >pid; exec >/dev/null 2>&1; while :; do :; done' 2>said
	kill -9 "$(cat pid)"
	grep -q "process $(cat pid)) was asked to end and still runs" said
	[ "$(value p.kiln "s['delivered'] > 0")" = True ]
}

@test "a command that ignores Ctrl-C, as those that a script starts in the background do, is ended all the same" {
	sh -c '"$0" record -q -o p.kiln -- "$1" 60 & echo $! >recorder; wait $!; echo $? >code' "$kiln" "$bin/busy" &
	until [ -s recorder ] && until_recording "$(cat recorder)"; do sleep 0.02; done
	kill -INT "$(cat recorder)"
	wait $!
	[ "$(cat code)" -eq 143 ]
	adds_up p.kiln
	run ! pgrep -f "^$bin/busy 60"
}

@test "a process that nobody has reaped has ended" {
	timeout 20 python3 - "$kiln" <<-'END'
	import subprocess, sys
	target = subprocess.Popen(["sleep", "1"])
	subprocess.run([sys.argv[1], "record", "-q", "-p", str(target.pid), "-o", "p.kiln"], check=True)
	END
}

@test "the command gets the signals that it would get without a recorder" {
	run -0 "$kiln" record -q -o p.kiln -- sh -c 'grep -E "SigIgn|SigBlk" /proc/self/status'
	[ "$output" = "$(grep -E 'SigIgn|SigBlk' /proc/self/status)" ] || [[ "$output" =~ SigBlk:.0+.*SigIgn:.0+ ]]
}

@test "kill -9 leaves what was recorded until then" {
	"$bin/busy" 60 >/dev/null &
	target=$!
	"$kiln" record -q -p $target -o p.kiln &
	recorder=$!
	# What has come is written while more comes.
	until [ "$(value p.kiln "s['samples'] > 500" 2>/dev/null)" = True ]; do
		kill -0 $target $recorder
		sleep 0.1
	done
	kill -9 $recorder
	wait $recorder || true
	kill $target
	[ "$(value p.kiln "s['samples'] > 500")" = True ]
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 90
	"$kiln" info p.kiln | grep -q 'not finished'
}

@test "a full disk keeps what fitted" {
	mkdir small
	mount -t tmpfs -o size=400k none small
	"$bin/busy" 20 2 >/dev/null &
	run "$kiln" record -p $! -F 4999 -d 20s -o small/p.kiln
	kill %1
	[ "$status" -eq 1 ]
	[[ "$output" == *"No space left"* ]]
	[ "$(value small/p.kiln "s['samples'] > 1000")" = True ]
}

teardown() {
	if mountpoint -q small; then umount small; fi
}

@test "an older profile is kept as .old, and a failed start leaves it alone" {
	"$kiln" record -q -- true
	cp profile.kiln first
	run -0 "$kiln" record -q -- true
	cmp first profile.kiln.old
	cp profile.kiln second
	run -127 "$kiln" record -q -- /nowhere
	cmp second profile.kiln
	# Looking for it takes long enough for samples.
	code=0
	PATH=$(printf '/n:%.0s' {1..40000}) "$kiln" record -q -- nowhere || code=$?
	[ "$code" -eq 127 ]
	cmp second profile.kiln
	# What is .old from before is not put where nothing was.
	cp profile.kiln profile.kiln.old
	rm profile.kiln
	run -127 "$kiln" record -q -- /nowhere
	[ ! -e profile.kiln ]
	cmp second profile.kiln.old
}

@test "the suffix chooses the format" {
	"$kiln" record -q -o p.svg -- "$bin/busy" 0.3
	head -c 200 p.svg | grep -q '<?xml\|<svg'
	grep -q heavy p.svg
	"$kiln" record -q -o p.folded -- "$bin/busy" 0.3
	grep -q 'main;.*heavy [0-9]*$' p.folded
	if "$kiln" record -q -o p.html -- "$bin/busy" 0.3 2>said; then
		"$kiln" fold -q p.html | grep -q 'main;.*heavy [0-9]*$'
		[ "$(stat -c %a p.html)" = 600 ]
	else # before anything runs
		grep -q 'this kiln cannot write pages: ' said
	fi
	[ ! -e p.svg.kiln ]
	[ ! -e p.folded.kiln ]
	[ ! -e p.html.kiln ]
	run -2 "$kiln" record -q -o p.unknown -- true
}

@test "a stream into another kiln" {
	"$kiln" record -q -o - -- "$bin/busy" 1.5 2>/dev/null | "$kiln" fold -q - >folded
	grep -q 'main;.*heavy' folded
}

@test "under sudo the profile belongs to the caller, and to nobody else" {
	SUDO_UID=1234 SUDO_GID=1235 "$kiln" record -q -o p.kiln -- true
	[ "$(stat -c '%u:%g %a' p.kiln)" = "1234:1235 600" ]
	SUDO_UID=1234 SUDO_GID=1235 "$kiln" record -q -o p.svg -- "$bin/busy" 0.2
	[ "$(stat -c '%u:%g %a' p.svg)" = "1234:1235 600" ]
}

@test "users who are not root: their own processes, and what is in the way of others" {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "kernel.perf_event_paranoid is above 2"
	as="setpriv --reuid=4321 --regid=4321 --clear-groups"
	run -0 $as "$bin/kiln" record -o p.kiln -- "$bin/busy" 0.5
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 90
	[ "$(value p.kiln "s['event']")" = "cpu-clock:u" ]
	run -1 $as "$bin/kiln" record -q -a -d 1s -o q.kiln
	[[ "$output" == *"kernel.perf_event_paranoid"* ]]
	[[ "$output" == *"CAP_PERFMON"* ]]
	run -1 $as "$bin/kiln" record -q -p 1 -d 1s -o q.kiln
	[ "${#lines[@]}" -eq 1 ]
}

@test "what cannot be recorded: one line each, with what to do" {
	run -2 "$kiln" record -q -p 4194305 -o p.kiln
	[ "$output" = "kiln: process 4194305 does not exist or has ended" ]
	run -2 "$kiln" record -q -e nonsense -o p.kiln -- true
	[[ "$output" == *"perf list"* ]]
	run -2 "$kiln" record -q -F 100000000 -o p.kiln -- true
	[[ "$output" == *"sysctl kernel.perf_event_max_sample_rate="* ]]
	for mode in cpu off; do
		run -2 "$kiln" record -q --mode $mode -C 0,4000 -o p.kiln
		[ "$output" = "kiln: -C: CPU 4000 is not online; /sys/devices/system/cpu/online lists those that are" ]
	done
	run -2 "$kiln" record -q
	[[ "$output" == *"nothing to record"* ]]
	[ ! -e p.kiln ]
}

# Its file is hashed when the recording has ended, after the growing file was written to.
@test "a program without a build id is known by its content, to any recorder" {
	for way in perf bpf; do
		"$kiln" record -q --recorder bpf -o r.kiln -- true || [ $way = perf ] || continue
		objcopy --remove-section .note.gnu.build-id "$bin/busy" app
		"$kiln" record -q --recorder $way -o p.kiln -- ./app 2.5 >used
		"$checkers/../forget_names" p.kiln forgotten.kiln
		"$kiln" fold -q forgotten.kiln | grep -q 'deeper;leaf;heavy'
		echo >>app
		"$kiln" fold -q forgotten.kiln >without
		grep -q '\[app+0x' without
		[ "$(grep -c 'leaf;heavy' without || true)" -eq 0 ]
	done
}

@test "saved ring bytes, replayed by a user without rights, give the same samples and stacks" {
	as="setpriv --reuid=4321 --regid=4321 --clear-groups"
	"$kiln" record -q -u --stack-bytes 8192 --tee p.tee -o p.kiln -- "$bin/busy" 1 3 10
	[ "$(head -c 7 p.tee)" = KILNTEE ]
	chmod a+r p.tee
	# A sample within execve has the registers of the program before; only the recorder knows the name that is to come.
	"$kiln" fold -q p.kiln | grep -v '^[^;]*;\[truncated:no-mapping\]' >recorded
	$as "$bin/fold_tee" p.tee | grep -v '^[^;]*;\[truncated:no-mapping\]' >replayed
	[ "$(grep -c 'deeper;leaf;heavy' replayed)" -ge 1 ]
	cmp recorded replayed
	# A program that runs already: its mappings and names come from /proc.
	"$bin/busy" 1 2 10 >/dev/null &
	"$kiln" record -q -u --stack-bytes 8192 --tee q.tee -p $! -o q.kiln
	chmod a+r q.tee
	"$kiln" fold -q q.kiln >recorded
	$as "$bin/fold_tee" q.tee >replayed
	[ "$(grep -c 'deeper;leaf;heavy' replayed)" -ge 1 ]
	cmp recorded replayed
	run -2 "$bin/fold_tee" p.kiln
}
