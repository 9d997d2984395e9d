# record_count.bats: are hits of tracepoints, functions and static probes what perf stat and the program count?
# processors there: 2
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode count -e syscalls:sys_enter_lseek -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
}

# What waits for a file that a test no longer makes would wait for ever.
teardown() {
	touch go
	wait
}

# start_counted ROUNDS: counted, as $target, which waits for `go`.
start_counted() {
	"$bin/counted" "$1" go 2>own &
	target=$!
	until [ "$(readlink /proc/$target/exe)" = "$(realpath "$bin/counted")" ]; do sleep 0.02; done
}

# record_counted ROUNDS OPTION...: counted, which runs already, into p.kiln and own.
record_counted() {
	start_counted "$1"
	"$kiln" record -q --mode count "${@:2}" -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	touch go
	wait $target $recorder
	rm go
	adds_up p.kiln
	[ "$(value p.kiln "s['lost']")" -eq 0 ]
}

# own WHAT FUNCTION COLUMN: what its threads counted; 3: hits, 4: their sum.
own() {
	awk -v what="$1" -v function_="$2" -v column="$3" '$1 == what && $2 == function_ { n += $column } END { print n + 0 }' own
}

# shown REGEX [OPTION...]: of p.kiln.
shown() {
	"$kiln" fold -q "${@:2}" p.kiln | awk -v part="$1" '$0 ~ part { n += $NF } END { printf "%d\n", n }'
}

# inside_calls: what stacks have in the kernel where calls begin; nothing in older ones such as Linux 6.1.
inside_calls() {
	command -v perf >/dev/null || return 0
	perf record -q -g -e syscalls:sys_enter_lseek -o inside.data perl -e 'sysseek STDIN, 0, 1' </dev/null
	perf script -i inside.data | grep -q do_syscall && echo '.*do_syscall'
	return 0
}

# bats test_tags=kernels
@test "a tracepoint: hits are perf stat's, a field's values the program's, stacks lead to its function" {
	start_counted 2000
	"$kiln" record -q --mode count -e syscalls:sys_enter_lseek,task:task_newtask -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	if command -v perf >/dev/null; then
		perf stat -x, -e syscalls:sys_enter_lseek,task:task_newtask -p $target -o stat &
		counter=$!
		until_recording $counter
	fi
	touch go
	wait $target $recorder
	[ "$(shown ";run;calls;$(inside_calls)")" -eq "$(own lseek calls 3)" ]
	[ "$(value p.kiln "[x['delivered'] for x in i['streams']] == [$(own lseek calls 3), 4]")" = True ]
	[ "$(value p.kiln "[x['expected'] for x in i['streams']] == [x['delivered'] for x in i['streams']]")" = True ]
	if command -v perf >/dev/null; then
		wait $counter
		cat stat own
		[ "$(awk -F, '/lseek/ { print $1 }' stat)" -eq "$(own lseek calls 3)" ]
		[ "$(awk -F, '/newtask/ { print $1 }' stat)" -eq 4 ]
	fi
	rm go
	for option in "" --untimed; do
		record_counted 2000 -e syscalls:sys_enter_lseek --weight offset -u $option
		[ "$(shown ';run;calls;syscall ')" -eq "$(own lseek calls 4)" ]
		[ "$(value p.kiln "s['kind']")" = offset ]
		[ "$(shown . --kind syscalls:sys_enter_lseek)" -eq "$(own lseek calls 3)" ]
	done
}

# bats test_tags=kernels
@test "a function: hits, arguments and what it returns, by caller" {
	record_counted 2000 -e "$bin/counted:add"
	[ "$(shown ';run;odd;add ')" -eq "$(own add odd 3)" ]
	[ "$(shown ';run;even;add ')" -eq "$(own add even 3)" ]
	record_counted 2000 -e counted:add --weight arg1:s32
	[ "$(shown ';run;odd;add ')" -eq "$(own add odd 4)" ]
	[ "$(shown ';run;even;add ')" -eq "$(own add even 4)" ]
	record_counted 2000 -e counted:add%return --weight retval
	[ "$(shown ';run;odd ')" -eq $((2 * $(own add odd 4))) ]
	[ "$(shown ';run;even ')" -eq $((2 * $(own add even 4))) ]
}

# bats test_tags=kernels
@test "static probes: with and without a counter of who listens, arguments in registers, memory, constants" {
	record_counted 2000 -e usdt:counted:counted:plain --weight arg0
	[ "$(shown ';run;probes;plain ')" -eq "$(own plain probes 4)" ]
	[ "$(own guarded probes 3)" -eq 0 ]
	record_counted 2000 -e "usdt:$bin/counted:plain" --weight arg1
	[ "$(shown ';run;probes;plain ')" -eq $((7 * $(own plain probes 3))) ]
	# Where all is less than nothing, the summary has it all the same.
	"$kiln" record --mode count -e "usdt:$bin/counted:plain" --weight arg0 -o p.kiln -- "$bin/counted" 2 2>own
	[ "$(shown ';run;probes;plain ')" -eq "$(own plain probes 4)" ]
	[ "$(own plain probes 4)" -eq -20 ]
	grep -q "^  100.00%  plain  counted$" own
	record_counted 2000 -e usdt:counted:guarded --weight arg0
	[ "$(own guarded probes 3)" -eq 8000 ]
	[ "$(shown ';run;probes;guarded ')" -eq "$(own guarded probes 4)" ]
}

# bats test_tags=kernels
@test "several events at once, each with its own stream; libraries by their names" {
	record_counted 500 -e counted:add -e usdt:counted:plain,syscalls:sys_enter_lseek -e libc:pthread_create
	[ "$(value p.kiln "[x['delivered'] for x in i['streams']]")" = "[2000, 2000, 2000, 4]" ]
	[ "$(shown . --kind counted:add)" -eq 2000 ]
	[ "$(shown ';main;all;.*pthread_create' --kind libc:pthread_create)" -eq 4 ]
}

# bats test_tags=kernels
@test "two events that the kernel tells by one tracepoint: stacks are those of each alone" {
	ends() { "$kiln" fold -q --kind syscalls:sys_enter_lseek "$1" | sed 's/ [0-9]*$//; s/.*;lseek//' | sort -u; }
	"$kiln" record -q --mode count -e syscalls:sys_enter_lseek -o alone.kiln -- "$bin/counted" 20 2>own
	"$kiln" record -q --mode count -e syscalls:sys_enter_lseek,raw_syscalls:sys_enter -o both.kiln -- "$bin/counted" 20 2>own
	ends alone.kiln
	[ "$(ends both.kiln)" = "$(ends alone.kiln)" ]
	"$kiln" fold -q --kind raw_syscalls:sys_enter both.kiln >raw
	run ! grep -E '__traceiter|perf_syscall' raw
}

# bats test_tags=kernels
@test "who starts threads has a whole stack, though the C library's tables end before the system call" {
	record_counted 10 -e syscalls:sys_enter_clone3,syscalls:sys_enter_clone
	[ "$(value p.kiln "sum(x['delivered'] for x in i['streams'])")" -eq 4 ]
	for kind in clone3 clone; do
		shown '_start;.*;main;all;.*pthread_create.*;_*clone' --kind syscalls:sys_enter_$kind
	done | awk '{ n += $1 } END { exit n != 4 }'
}

@test "a name is of binaries alone, and of what a command's name leads to; an event named twice is one" {
	ln -s "$bin/counted" alias
	mkdir scripts
	printf '#!/bin/sh\n' >scripts/counted
	chmod +x scripts/counted
	PATH=$PWD/scripts:$PATH "$kiln" record -q --mode count -e counted:add,counted:add -o p.kiln -- ./alias 300 2>own
	[ "$(shown ';add ')" -eq 1200 ]
	[ "$(value p.kiln "[x['delivered'] for x in i['streams']]")" = "[1200]" ]
	# A thread of the kernel maps nothing: libc is the one at the usual place, and not the linker's libc.so there.
	"$kiln" record -q --mode count -e libc:malloc -p 2 -d 10ms -o p.kiln
	run -127 "$kiln" record -q --mode count -e libc:malloc -o p.kiln -- ./nobody
	"$kiln" record -q --mode count -e sched:sched_switch -e sched:sched_switch -o p.kiln -- sleep 0.01
	[ "$(value p.kiln "len(i['streams'])")" -eq 1 ]
}

@test "--by-thread, --by-process and --by-cpu: text and pictures of a recording have it as the outermost frame" {
	# parts OPTION: hits of each outermost frame.
	parts() {
		"$kiln" record -q --mode count -e counted:add "$1" -o p.folded -- "$bin/counted" 300 2>own
		awk -F ';' '{ sub(/.* /, "", $NF); n[$1] += $NF } END { for (part in n) print part, n[part] }' p.folded | sort
	}
	[ "$(parts --by-thread | grep -c '^counted-[0-9]*/[0-9]* 300$')" -eq 4 ]
	[ "$(parts --by-process | grep -c '^counted-[0-9]* 1200$')" -eq 1 ]
	[ "$(parts --by-cpu | awk '/^CPU [0-9]+ / { n += $3 } END { print n }')" -eq 1200 ]
	"$kiln" record -q --mode count -e counted:add --by-thread -o p.svg -- "$bin/counted" 300 2>own
	[ "$(grep -c '<title>counted-[0-9]*/[0-9]* (300 ' p.svg)" -eq 4 ]
	"$kiln" record -q --mode count -e counted:add --by-thread -o p.kiln -- "$bin/counted" 300 2>own
	[ "$("$kiln" fold -q p.kiln | cut -d ';' -f 1 | sort -u)" = counted ]
}

@test "no hit is no picture, and no failure: the command's exit code is kept" {
	run "$kiln" record --mode count -e libc:pthread_create -o p.svg -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	[[ "$output" == *"the recording is in p.svg.kiln: nothing to draw"* ]]
	[[ "$output" != *wrote* ]]
	[ ! -e p.svg ]
	[ "$(value p.svg.kiln "s['delivered']")" -eq 0 ]
}

# bats test_tags=kernels
@test "a command from its start, and with --yes its children as well, also in all of the system" {
	"$kiln" record -q --mode count -e counted:add -o p.kiln -- "$bin/counted" 300 2>own
	[ "$(shown ';add ')" -eq 1200 ]
	"$kiln" record -q --mode count --yes -e "$bin/counted:add" -o p.kiln -- "$bin/counted" 300 fork 2>own
	[ "$(shown ';add ')" -eq 2400 ]
	"$kiln" record -q --mode count --yes -a -e "$bin/counted:add" -o p.kiln -- "$bin/counted" 300 fork 2>own
	[ "$(shown ';add ')" -eq 2400 ]
	run -0 "$kiln" record --mode count -e "$bin/counted:add" -o p.kiln -- "$bin/counted" 300 fork
	[[ "$output" == *"--yes puts probes into every process"* ]]
}

# bats test_tags=kernels
@test "with the recorder stopped and a ring of a page, what is lost is counted to the hit" {
	start_counted 5000
	record_stopped $target --mode count -m 4K -e counted:add --weight arg1
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['expected']")" -eq 20000 ]
	[ "$(value p.kiln "s['losses']['ring full']")" -ge 15000 ]
}

# bats test_tags=kernels
@test "a recorder that is killed leaves nothing behind" {
	start_counted 10
	kill_recorder counted 4 --mode count -e counted:add,syscalls:sys_enter_lseek -p $target
	touch go
	wait $target
	[ "$(own add odd 3)" -eq 20 ]
}

# bats test_tags=kernels
@test "tracepoints where nothing has mounted tracefs" {
	without_tracefs() {
		unshare -m sh -c 'for place in tracing debug; do mount -t tmpfs none /sys/kernel/$place || exit; done
			exec "$@"' - "$@"
	}
	[ -z "$(without_tracefs ls /sys/kernel/tracing /sys/kernel/debug | grep -v :)" ]
	without_tracefs "$kiln" record -q --mode count -e syscalls:sys_enter_lseek -o p.kiln -- "$bin/counted" 10 2>own
	adds_up p.kiln
	[ "$(shown ";run;calls;$(inside_calls)")" -eq "$(own lseek calls 3)" ]
}

@test "what is unknown or makes no sense is refused in one line, with what is near" {
	refused() {
		run "$kiln" record --mode count -o p.kiln "${@:2}" -- "$bin/counted" 1
		[ "$status" -ne 0 ] || return 1
		[ "${#lines[@]}" -eq 1 ] || return 1
		[[ "$output" == *"$1"* ]] || { echo "$output"; return 1; }
	}
	refused "is it syscalls:sys_enter_lseek?" -e syscalls:sys_enter_lseeek
	refused "is it sched?" -e schet:sched_switch
	refused "has no function 'ad'; is it add?" -e "$bin/counted:ad"
	refused "is it counted:plain?" -e usdt:counted:counted:plane
	refused "no such file: ./nowhere" -e ./nowhere:f
	refused "no program or library is called 'nowhere'" -e uprobe:nowhere:f
	refused "expected one of: __syscall_nr, fd, offset, whence" -e syscalls:sys_enter_lseek --weight offst
	refused "expected --weight arg0 to arg1" -e usdt:counted:plain --weight arg2
	refused "expected --weight arg0 to arg5" -e counted:add --weight arg6
	refused "several functions when it starts" -e libc:memcpy
	refused "expected SUBSYSTEM:NAME" -e lseek
	refused "needs -e with a tracepoint"
	refused "add --yes" -a -e counted:add
	refused "is in user space: leave out -k" -k -e counted:add
}
