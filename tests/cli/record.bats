# record.bats: what `kiln record` takes and refuses; what it records is in tests/privileged.
load common

# Some sandboxes have no perf events at all.
needs_perf() {
	"$kiln" record -q -o probe.kiln -- true || skip "no perf events here"
}

@test "nothing to record" {
	run "$kiln" record
	failed_with 2 "kiln: record: nothing to record: name a command (kiln record -- CMD), -p PID, -t TID, -G GROUP, or -a"
	[ ! -e profile.kiln ]
}

@test "options that exclude each other" {
	run "$kiln" record -a -p 1
	failed_with 2 "kiln: record: -a records the whole system: leave out -p and -t"
	run "$kiln" record -u -k -- true
	failed_with 2 "kiln: record: expected -u or -k, not both"
	for group in "-G /" "--container web" "--unit nginx"; do
		run "$kiln" record $group -t 1
		failed_with 2 "kiln: record: -G, --container and --unit record all processes of a control group: leave out -p and -t"
	done
	run "$kiln" record -G , -- true
	failed_with 2 "kiln: record: --cgroup: expected a name"
}

@test "numbers that are none" {
	for option in "-p x" "-p 1,,x" "-C 3-1" "-C x" "-F 0" "-F fast" "-m 0" "-m 5X" "--call-graph lbr" \
		"--stack-bytes 70000" "-d soon"; do
		run "$kiln" record $option -- true
		[ "$status" -eq 2 ] || { echo "$option: $status $output"; return 1; }
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "an event, a time or a number that is none is refused, and what was given is said" {
	for mode in "" "--mode count"; do
		for none in "" "," " "; do
			# shellcheck disable=SC2086
			run "$kiln" record $mode -e "$none" -- true
			failed_with 2 "kiln: record: --event: expected names of events, got '$none'"
		done
	done
	for none in 0 0s 0.1ns; do
		run "$kiln" record -d $none -- true
		failed_with 2 "kiln: record: --duration: expected a time above 0, got '$none'"
	done
	run "$kiln" record -F often -- true
	failed_with 2 "kiln: record: --frequency: expected a number of samples per second, or max, got 'often'"
	run "$kiln" record --max-overhead some -- true
	failed_with 2 "kiln: record: --max-overhead: expected a share of the CPUs such as 1% or 0.2%, at least 0.0001%, got 'some'"
}

@test "modes: unknown ones and options of others are refused" {
	run "$kiln" record --mode sideways -- true
	[ "$status" -eq 2 ]
	[[ "$output" == "kiln: record: --mode: expected one of cpu, off, "*", got 'sideways'" ]]
	run "$kiln" record --min 1ms -- true
	failed_with 2 "kiln: record: --min, --max, --state and --wakers: only with --mode off"
	run "$kiln" record --mode off -F 99 -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"-F works only with --mode cpu or wall"* ]]
	run "$kiln" record --mode wall -e page-faults -- true
	failed_with 2 "kiln: record: -e (also in --mode count), --recorder, --stack-bytes and --tee: only with --mode cpu"
	run "$kiln" record --mode off --state S,asleep -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"not 'asleep'" ]]
	run "$kiln" record --mode off --min 2s --max 1s -- true
	failed_with 2 "kiln: record: --max is less than --min"
	run "$kiln" record --files -- true
	failed_with 2 "kiln: record: -r, -w, --latency (also in --mode disk) and --files: only with --mode io"
	run "$kiln" record --mode io --min 1ms -- true
	failed_with 2 "kiln: record: --min, --max, --state and --wakers: only with --mode off"
	run "$kiln" record --mode io -k -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"--mode io records calls from user space: leave out -k"* ]]
	run "$kiln" record --mode disk --files -- true
	failed_with 2 "kiln: record: --files works only with --mode io, as block device requests have no file names; use --devices"
	run "$kiln" record --devices -- true
	failed_with 2 "kiln: record: --devices: only with --mode disk"
	run "$kiln" record --mode lock --locks mutex,door -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"not 'door'" ]]
	run "$kiln" record --locks futex -- true
	failed_with 2 "kiln: record: --locks: only with --mode lock"
	"$kiln" record --help >help
	for mode in cpu off wall io disk lock count mem; do
		grep -qE "^ {28}$mode +[A-Za-z]" help
	done
	run "$kiln" record --mode off -e cpu-clock -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"-e (also in --mode count), "*"only with --mode cpu"* ]]
	run "$kiln" record --weight arg0 -e a:b -- true
	failed_with 2 "kiln: record: --weight and --yes (also in --mode mem): only with --mode count"
	run "$kiln" record --mode count -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"--mode count needs -e with a tracepoint"* ]]
	run "$kiln" record --mode io --yes -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"--weight and --yes (also in --mode mem): only with --mode count"* ]]
	run "$kiln" record --mode mem -a -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"add --yes to confirm"* ]]
	run "$kiln" record --cheap -- true
	failed_with 2 "kiln: record: --cheap: only with --mode mem"
}

@test "outputs: unknown suffixes and terminals are refused before anything is recorded" {
	run "$kiln" record -o picture.png -- touch ran
	[ "$status" -eq 2 ]
	[[ "$output" == *".svg"* ]]
	[ ! -e ran ]
	on_terminal "$kiln record -o - -- touch ran"
	[[ "$output" == *"standard output is a terminal"* ]]
	[ ! -e ran ]
}

@test "events: unknown ones are refused, with what to do" {
	run "$kiln" record -e no-such-event -o p.kiln -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"perf list"* ]]
	[ ! -e p.kiln ]
	run "$kiln" record -e cpu-clock:z -o p.kiln -- true
	[ "$status" -eq 2 ]
}

@test "a process that is gone" {
	run "$kiln" record -q -p 4194305 -o p.kiln
	failed_with 2 "kiln: process 4194305 does not exist or has ended"
}

@test "exit codes are the command's" {
	needs_perf
	run -7 "$kiln" record -q -o p.kiln -- sh -c 'exit 7'
	run -127 "$kiln" record -q -o p.kiln -- ./nowhere
	run -126 "$kiln" record -q -o p.kiln -- /etc/passwd
	run -143 "$kiln" record -q -o p.kiln -- sh -c 'kill -TERM $$'
}

@test "the default file, the older one, and a summary that can be silenced" {
	needs_perf
	run -0 "$kiln" record -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	[[ "$output" == *"samples of "* ]]
	[[ "$output" == *"hottest functions"* ]]
	[[ "$output" == *"wrote profile.kiln; next: kiln view, or kiln draw -o profile.svg" ]]
	[ -s profile.kiln ]
	run -0 "$kiln" record -q -- true
	[ -z "$output" ]
	[ -s profile.kiln.old ]
	run -0 "$kiln" info profile.kiln
}

@test "perf's options are understood" {
	needs_perf
	run -0 "$kiln" record -q -g -F 99 -m 128 --call-graph fp -o p.kiln true
	run -0 "$kiln" record -q --freq 99 --call-graph dwarf,8192 -o p.kiln true
}

@test "the summary says how user stacks were found" {
	needs_perf
	busy='i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
	for recorder in auto perf; do
		run -0 "$kiln" record --recorder "$recorder" --call-graph fp -- sh -c "$busy"
		[[ "$output" == *"user stacks come from frame pointers: they may be incomplete"* ]]
		[[ "$output" != *"are complete"* ]]
		[ "$(uname -m)" = x86_64 ] || continue # the others have no tables yet
		run -0 "$kiln" record --recorder "$recorder" -- sh -c "$busy"
		[[ "$output" == *"of the user stacks are complete"* ]]
		[[ "$output" != *"frame pointers: they may"* ]]
	done
}

@test "a live line on a terminal" {
	needs_perf
	on_terminal "$kiln record -o p.kiln -- sleep 1.5"
	[[ "$output" == *"samples, "*" lost, "* ]]
}
