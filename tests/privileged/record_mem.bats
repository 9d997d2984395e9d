# record_mem.bats: are bytes and blocks of each function what the program knows, and those that it did not free?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode mem -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
}

# What waits for a file that a test no longer makes would wait for ever.
teardown() {
	touch go root/go 2>/dev/null || true
	wait
}

# check_memory: p.kiln against own.
check_memory() {
	for kind in allocated allocations live blocks; do
		"$kiln" fold -q --kind $kind p.kiln >$kind
	done
	python3 "$BATS_TEST_DIRNAME/memory.py" own allocated allocations live blocks
	for stream in 0 2; do
		[ "$(value p.kiln "i['streams'][$stream]['lost'] == 0 and i['streams'][$stream]['expected'] == i['streams'][$stream]['delivered']")" = True ]
	done
}

# own_calls: of all functions.
own_calls() {
	awk 'NF == 5 { n += $3 } END { print n }' own
}

# freed: how many blocks p.kiln says were given back; before: of these from before.
freed() {
	"$kiln" info p.kiln | sed -n 's/^freed  *\([0-9,]*\) blocks$/\1/p' | tr -d ,
}
before() {
	"$kiln" info p.kiln | sed -n 's/^freed as well  *\([0-9,]*\) blocks.*/\1/p' | tr -d ,
}

# start_allocating PROGRAM ROUNDS: as $target, which waits for `go`.
start_allocating() {
	"$1" "$2" go 2>own &
	target=$!
	until [ "$(readlink /proc/$target/exe)" = "$(realpath "$1")" ] && grep -q nanosleep /proc/$target/wchan; do
		sleep 0.02
	done
}

# bats test_tags=kernels
@test "bytes and blocks of each function, of threads that free each other's; what was there before is apart" {
	for option in --untimed ""; do
		rm -f go
		start_allocating "$bin/allocating" 1000
		"$kiln" record -q --mode mem $option -p $target -o p.kiln &
		recorder=$!
		until_recording $recorder
		touch go
		wait $target $recorder
		check_memory
		[ "$(freed)" -eq "$(awk '/^freed/ { print $2 }' own)" ]
		[ "$(before)" -eq 50 ]
	done
	[ "$(value p.kiln "[x['kind'] + x['unit'] for x in i['streams']]")" = "['allocatedbytes', 'allocationscount', 'livebytes', 'blockscount']" ]
	"$kiln" fold -q --kind live p.kiln | grep -q ';run;callocs;[^;]*calloc '
}

# bats test_tags=kernels
@test "a command from its start, a static one with an allocator of its own as well" {
	gcc -O2 -g -static -pthread -w -o static "$programs/allocating.c" || skip "no static libc here"
	"$kiln" record -q --mode mem -o p.kiln -- ./static 300 2>own
	[ "$(value p.kiln "s['delivered']")" -ge "$(own_calls)" ]
	[ "$(value p.kiln "s['expected'] == s['delivered'] == $(freed) + i['streams'][2]['delivered']")" = True ]
	"$kiln" record -q --mode mem -o p.kiln -- "$bin/allocating" 300 2>own
	[ "$(value p.kiln "s['delivered']")" -ge "$(own_calls)" ]
	[ "$(value p.kiln "s['expected'] == s['delivered'] == $(freed) + i['streams'][2]['delivered']")" = True ]
}

# bats test_tags=kernels
@test "children with --yes, and without a word about them" {
	"$kiln" record -q --mode mem --yes -o p.kiln -- sh -c '"$0" 300 2>own; "$0" 100 2>>own; true' "$bin/allocating"
	[ "$(value p.kiln "s['delivered']")" -ge "$(own_calls)" ]
	[ "$(value p.kiln "s['lost']")" -eq 0 ]
	run -0 "$kiln" record --mode mem -o p.kiln -- sh -c '"$0" 300; true' "$bin/allocating"
	[[ "$output" == *"--yes puts probes into every process"* ]]
}

# bats test_tags=kernels
@test "in a container with a libc of its own" {
	mkdir root
	for file in "$bin/allocating" $(ldd "$bin/allocating" | grep -o '/[^ ]*'); do
		mkdir -p "root$(dirname "$file")"
		cp "$file" "root$file"
	done
	unshare -m chroot root "$bin/allocating" 500 /go 2>own &
	target=$!
	until [ "$(readlink /proc/$target/exe)" = "$PWD/root$bin/allocating" ] || grep -qs allocating /proc/$target/comm; do
		sleep 0.02
	done
	until grep -q nanosleep /proc/$target/wchan; do sleep 0.02; done
	"$kiln" record -q --mode mem -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	touch root/go
	wait $target $recorder
	check_memory
}

# bats test_tags=kernels
@test "ring full and map full are counted to the block" {
	start_allocating "$bin/allocating" 1000
	record_stopped $target --mode mem -m 4K
	wait $recorder
	adds_up p.kiln
	others=$(($(value p.kiln "s['expected']") - $(own_calls)))
	[ "$others" -ge 0 ]
	[ "$others" -le 16 ]
	[ "$(value p.kiln "s['losses']['ring full'] >= 20000")" = True ]
	[ "$(value p.kiln "i['streams'][2]['losses']['map full'] >= 1000")" = True ]
	[ "$(value p.kiln "s['expected'] == $(freed) + i['streams'][2]['delivered'] + i['streams'][2]['lost']")" = True ]
}

# bats test_tags=kernels
@test "a recorder that is killed leaves nothing behind" {
	start_allocating "$bin/allocating" 100
	kill_recorder libc 5 --mode mem -p $target
	touch go
	wait $target
	[ "$(own_calls)" -eq 2800 ]
}

# bats test_tags=kernels
@test "--cheap: what is mapped, grown and touched, in bytes" {
	"$bin/mapping" go &
	target=$!
	until [ "$(readlink /proc/$target/exe)" = "$(realpath "$bin/mapping")" ] && grep -q nanosleep /proc/$target/wchan; do
		sleep 0.02
	done
	"$kiln" record -q --mode mem --cheap -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	touch go
	wait $target $recorder
	adds_up p.kiln
	shown() {
		"$kiln" fold -q --kind "$1" p.kiln | awk -v part=";$2;" '$0 ~ part { n += $NF } END { print n + 0 }'
	}
	[ "$(shown mapped maps)" -eq 3000000 ]
	[ "$(shown maps maps)" -eq 30 ]
	[ "$(shown grown grows)" -eq 480000 ]
	[ "$(shown brks grows)" -eq 10 ]
	"$kiln" fold -q --kind faults p.kiln | awk '/;touches / { n += $NF } END { exit !(n >= 400 && n <= 420) }'
	"$kiln" fold -q --kind faulted p.kiln | awk '/;touches / { n += $NF } END { exit !(n >= 400 * 4096 && n <= 420 * 4096) }'
}

@test "--cheap: blocks that nobody can be given are told as lost, and all else is there" {
	cat >too_large.c <<-'END'
	#include <stdlib.h>
	int main(void) { void *volatile p; for (int i = 0; i < 4; i++) p = malloc((size_t)1 << 62); return p != NULL; }
	END
	gcc -o too_large too_large.c
	# The C library asks for each block more than once, and says what it got of none.
	calls=$(strace -e trace=mmap ./too_large 2>&1 | grep -c ENOMEM)
	"$kiln" record -q --mode mem --cheap -o p.kiln -- ./too_large
	adds_up p.kiln
	[ "$(value p.kiln "next(x['lost'] for x in i['streams'] if x['kind'] == 'mapped')")" -eq "$calls" ]
	[ "$calls" -ge 4 ]
	[ "$("$kiln" fold -q --kind faults p.kiln | awk '{ n += $NF } END { print n + 0 }')" -ge 10 ]
}

@test "what makes no sense is refused" {
	run "$kiln" record --mode mem -a -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"add --yes"* ]]
	run "$kiln" record --mode mem -k -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"leave out -k"* ]]
	run "$kiln" record --mode mem -e sched:sched_switch -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"only with --mode cpu"* ]]
}
