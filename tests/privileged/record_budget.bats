# record_budget.bats: is the timer slowed down when the recorder takes too much, and are figures still true?
load common

setup_file() {
	load common
	build_programs
}

# What waits for a file that a test no longer makes would wait for ever.
teardown() {
	touch go
	wait
}

needs_bpf() {
	"$kiln" record -q --mode off -o probe.kiln -- true || skip "no BPF here"
}

# Nothing can be recorded for so little: it goes down as far as it goes. Time that is recorded is what the
# program knows, but for the period that each CPU was in at each step.
slowed_down() {
	"$kiln" record -q --max-overhead 0.01% "$@" -o p.kiln -- "$bin/busy" 4 >own
	"$kiln" info p.kiln >about
	cat about
	grep -q 'the sampling rate was lowered to keep the recorder below 0.01% of the CPUs; samples weigh more: .* Hz from 0.0 s on, [0-9]* Hz from [1-9]' about
	grep -q '^recorder took *0\.[0-9]*% of [0-9]* CPUs$' about
	adds_up p.kiln
	"$kiln" fold -q p.kiln | awk -v own="$(cat own)" '
		/;main;.*deeper;leaf/ { all += $NF } /;leaf;heavy/ { heavy += $NF }
		END { print all / own, heavy / all; exit !(all > 0.85 * own && all < 1.1 * own && heavy > 0.3 * all && heavy < 0.7 * all) }'
	# Far fewer than there would be at 997 Hz.
	[ "$(value p.kiln "s['delivered']")" -lt 2500 ]
	[ "$(value p.kiln "s['expected']")" -lt 2500 ]
}

@test "with a budget that cannot be kept the frequency falls, it is said, and samples weigh what they stand for" {
	in_group=$("$kiln" record -q -o probe.kiln -- cat /proc/self/cgroup | grep -c kiln- || true)
	[ "$in_group" -ge 1 ] || skip "no control group for a command"
	slowed_down -F 997 --recorder perf
	needs_bpf
	slowed_down -F 997
	slowed_down -F 997 --untimed
}

# while_recorded OPTION...: a recording of who waits for the file `go`, until it ends.
while_recorded() {
	"$kiln" record -q -o p.kiln --max-overhead 0.01% -F 997 "$@" &
	recorder=$!
	until_recording $recorder
	touch go
	wait $recorder
	"$kiln" info p.kiln >about
	cat about
	grep -q 'the sampling rate was lowered to keep .*; samples weigh more: 997 Hz from 0.0 s on, [0-9]* Hz from [1-9]' about
	grep -q '^recorder took *[0-9.]*% of [0-9]* CPUs$' about
}

# The first second is at 997 Hz, the rest at 19 or a little more: with 70 samples and more, chance moves the sum by a tenth.
@test "processes that run already, with their threads, and single threads: timers of threads are slowed down as well" {
	needs_bpf
	for way in "" --untimed; do
		rm -f go
		sh -c 'until [ -e go ]; do sleep 0.05; done; exec "$0" 3 3 >own' "$bin/busy" &
		# shellcheck disable=SC2086
		while_recorded $way -p $!
		wait
		adds_up p.kiln
		[ "$(value p.kiln "s['lost'] * 20 <= s['expected']")" = True ]
		[ "$(value p.kiln "s['delivered']")" -lt 3000 ]
		"$kiln" fold -q --kind cpu p.kiln | awk -v own="$(cat own)" '
			/deeper;leaf/ { all += $NF } /;leaf;heavy/ { heavy += $NF }
			END { print all / own, heavy / all; exit !(all > 0.8 * own && all < 1.2 * own && heavy > 0.3 * all && heavy < 0.7 * all) }'
	done
	"$bin/busy" 10 >own &
	target=$!
	while_recorded -t $target -d 3s
	kill $target
	[ "$(value p.kiln "s['delivered']")" -lt 2000 ]
	[ "$(value p.kiln "s['expected'] - s['delivered'] == s['lost']")" = True ]
}

# Each has less than a period of the slower timer: were its first tick always a sample, they would have five times as much.
@test "children that are too short for the slower timer have their share of samples" {
	needs_bpf
	cat >many.py <<-'END2'
	import os, resource, sys, time
	while not os.path.exists("go"):
	    time.sleep(0.05)
	end = time.time() + 2
	while time.time() < end: # until samples are few
	    pass
	for _ in range(300):
	    os.waitpid(os.posix_spawn(sys.argv[1], ["busy", "0.01"], dict(os.environ), file_actions=[(os.POSIX_SPAWN_CLOSE, 1)]), 0)
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	print(used.ru_utime + used.ru_stime, file=sys.stderr)
	END2
	/usr/bin/python3 -S many.py "$bin/busy" 2>own &
	while_recorded -p $!
	wait
	adds_up p.kiln
	"$kiln" fold -q --kind cpu p.kiln | awk -v own="$(cat own)" '
		/^busy;/ { all += $NF / 1e9 } END { print all, own; exit !(all > 0.4 * own && all < 1.8 * own) }'
}

# What is on the CPU from one switch to the next is so for the recorder, whoever a hypervisor gives that to meanwhile: it is not
# less than the CPU time, and not more than what is no wait for a CPU. Around that are the program's start and its end.
@test "runs and waits have their times at any frequency" {
	needs_bpf
	cp "$bin/busy" budgeted
	for threads in 1 2; do
		rm -f go
		sh -c 'until [ -e go ]; do sleep 0.05; done; exec "$@"' sh ./budgeted 3 $threads 40 own >used &
		if [ $threads -eq 1 ]; then
			while_recorded --mode wall -a -- sh -c "while [ -e /proc/$! ]; do sleep 0.05; done"
		else
			while_recorded --mode wall -p $!
		fi
		wait
		adds_up p.kiln
		"$kiln" fold -q p.kiln | grep '^budgeted;' | grep -Ev "$off" | awk -v used="$(cat used)" -v most="$(cat own)" '{ all += $NF } /;deeper;leaf/ { leaf += $NF }
			END { print used, all, most, leaf / all; exit !(all > 0.99 * used - 5e7 && all < 1.01 * most + 5e7 && leaf > 0.85 * all) }'
	done
}

@test "a budget with room changes nothing, and is kept in mind" {
	"$kiln" record -q -a --max-overhead 90% -o p.kiln -- "$bin/busy" 1.5
	"$kiln" info p.kiln >about
	grep -q '^recorder took ' about
	run ! grep 'the sampling rate was lowered' about
}

@test "what has no timer, or one that is out of reach, is refused with what can be done" {
	run -2 "$kiln" record --max-overhead 1% --mode io -o p.kiln -- true
	[[ "$output" == *"--mode io records every call"* ]]
	run -2 "$kiln" record --max-overhead 1% --recorder perf -p $$ -d 1s -o p.kiln
	[[ "$output" == *"only with --recorder bpf; or record with -a, -C, -G"* ]]
	needs_bpf
	run -1 setpriv --reuid 4321 --regid 4321 --clear-groups sh -c 'exec "$0" record --max-overhead 1% -p $$ -d 1s -o q.kiln' "$bin/kiln"
	[[ "$output" == *"CAP_BPF and CAP_PERFMON"* ]]
	[ ! -e q.kiln ]
	run -2 "$kiln" record --max-overhead 1% -a -e page-faults -d 1s -o p.kiln
	[[ "$output" == *"-F"* ]]
	run -2 "$kiln" record --max-overhead 1% -a --tee p.tee -d 1s -o p.kiln
	for wrong in 0 101% x 1%% -1; do
		run -2 "$kiln" record --max-overhead=$wrong -a -d 1s -o p.kiln
		[[ "$output" == *"expected a share of the CPUs"* ]]
	done
}
