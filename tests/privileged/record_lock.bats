# record_lock.bats: are waits for locks what the program measures, and nothing else?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode lock -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

# check_locks FILE OWN: each function of locks.c.
check_locks() {
	"$kiln" fold -q "$1" >ns
	"$kiln" fold -q --kind waits "$1" >waits
	python3 "$BATS_TEST_DIRNAME/locks.py" ns waits "$2"
	adds_up "$1"
}

# What matches a regular expression, of folded stacks on standard input.
weight() {
	part=$1 awk '$0 ~ ENVIRON["part"] { n += $NF } END { printf "%d\n", n }'
}

# bats test_tags=kernels
@test "waits of each function, for its locks and the kernel's, are as many and as long as it measures" {
	"$kiln" record -q --mode lock --untimed -o p.kiln -- "$bin/locks" 20 >own
	check_locks p.kiln own
	"$kiln" record -q --mode lock -o p.kiln -- "$bin/locks" 20 >own
	check_locks p.kiln own
	[ "$(value p.kiln "s['kind'] + s['unit']")" = lockns ]
	[ "$(value p.kiln "i['streams'][1]['kind'] + i['streams'][1]['unit']")" = waitscount ]
}

# bats test_tags=kernels
@test "the same in all of the system, and of a process that runs already" {
	"$kiln" record -q --mode lock -a -o p.kiln -- "$bin/locks" 10 >own
	check_locks p.kiln own
	"$bin/locks" 10 go >own &
	target=$!
	"$kiln" record -q --mode lock -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	touch go
	wait $target $recorder
	check_locks p.kiln own
}

# bats test_tags=kernels
@test "futexes are as many as strace sees" {
	command -v strace >/dev/null || skip "no strace here"
	"$kiln" record -q --mode lock --locks futex -o p.kiln -- strace -f -o traced -e trace=futex "$bin/locks" 10 >own
	[ "$("$kiln" fold -q --kind waits p.kiln | weight '^locks;.*\[futex\] ')" -eq \
		"$(grep -cE ' futex\([^,]*, FUTEX_(WAIT|LOCK_PI)' traced)" ]
	adds_up p.kiln
}

# bats test_tags=kernels
@test "--locks leaves the others out" {
	"$kiln" record -q --mode lock --locks futex -o p.kiln -- "$bin/locks" 3 >own
	[ "$("$kiln" fold -q --kind waits p.kiln | weight ';asks_futex;.*\[futex\] ')" -eq 3 ]
	[ "$("$kiln" fold -q --kind waits p.kiln | grep -cv '\[futex\] ' || true)" -eq 0 ]
	"$kiln" record -q --mode lock --locks mutex,rwsem -o p.kiln -- "$bin/locks" 3 >own
	[ "$("$kiln" fold -q --kind waits p.kiln | grep -cv '\[\(mutex\|rwsem read\|rwsem write\)\] ' || true)" -eq 0 ]
	"$kiln" record -q --mode lock --locks kernel -o p.kiln -- "$bin/locks" 3 >own
	[ "$("$kiln" fold -q --kind waits p.kiln | grep -c '\[futex\] ' || true)" -eq 0 ]
	grep -q waits_mutex own || skip "no userfaultfd here"
	"$kiln" fold -q p.kiln | grep -q ';waits_mutex;.*pipe_write;.*mutex_lock[^;]*;\[mutex\] '
}

# bats test_tags=kernels
@test "a thread that ends while it waits, or waits before and after the recording" {
	run "$kiln" record -q --mode lock -o p.kiln -- timeout -s KILL 1 "$bin/locks" stuck 60
	"$kiln" fold -q --kind waits p.kiln | grep -q ';waits_stuck;.*\[futex\] 1$'
	[ "$("$kiln" fold -q p.kiln | weight ';waits_stuck;')" -ge 500000000 ]
	adds_up p.kiln
	"$bin/locks" stuck 60 &
	target=$!
	until_threads $target 2
	until grep -q futex /proc/$target/task/*/wchan; do sleep 0.02; done
	"$kiln" record -q --mode lock -d 1s -p $target -o p.kiln
	kill $target
	"$kiln" fold -q --kind waits p.kiln | grep -q '^locks;\[truncated:waited-before\];.*\[futex\] 1$'
	[ "$("$kiln" fold -q p.kiln | weight 'waited-before')" -ge 500000000 ]
	[ "$("$kiln" fold -q p.kiln | weight 'waited-before')" -le "$(value p.kiln "2 * 10 ** 9")" ]
	adds_up p.kiln
}

# bats test_tags=kernels
@test "with the recorder stopped and a ring of a page, what is lost is counted to the wait" {
	"$bin/locks" asks 2000 go &
	record_stopped $! --mode lock --locks futex -m 4K
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['expected']")" -eq 2000 ]
	[ "$(value p.kiln "s['losses']['ring full']")" -ge 1800 ]
}

@test "what makes no sense is refused" {
	run "$kiln" record --mode lock --locks futex,door -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"not 'door'" ]]
	run "$kiln" record --mode off --locks futex -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"--locks: only with --mode lock"* ]]
}
