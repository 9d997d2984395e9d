# gperftools.bats: what stacks of addresses fold to, of gperftools and jemalloc; the numbers are those of google-pprof and
# go tool pprof. The profiles of busy are real; what other binaries than these had mapped was taken out.
load common

# words FORMAT NUMBER...: the numbers as Python's struct packs them.
words() {
	python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack(sys.argv[1], *map(int, sys.argv[2:])))' "$@"
}

# total KIND FILE: the sum of all values.
total() {
	"$kiln" fold -q --kind "$1" "$2" | awk '{ n += $NF } END { printf "%.0f\n", n }'
}

@test "gperftools: a CPU profile, whose samples are worth a period each" {
	suffix=prof same gperftools-cpu/busy
	suffix=prof same gperftools-cpu/words
	[ "$(total samples "$golden/gperftools-cpu/busy.prof")" -eq 220 ]
	[ "$(total cpu "$golden/gperftools-cpu/busy.prof")" -eq 2200000000 ]
}

@test "gperftools: words of every size and byte order" {
	for words in '<5Q2Q2Q3Q' '>5Q2Q2Q3Q' '<5I2I2I3I' '>5I2I2I3I'; do
		{
			words "$words" 0 3 0 10000 0 4 2 $((0x401010)) $((0x401100)) 0 1 0
			echo '00400000-00500000 r-xp 00000000 00:00 0 /recorded/app'
		} >cpu.prof
		"$kiln" fold -q cpu.prof | diff <(echo '[app+0x10ff];[app+0x1010] 40000000') -
	done
}

@test "gperftools: the innermost address, twice, is one frame" {
	words '<5Q2Q3Q3Q' 0 3 0 1 0 1 3 16 16 32 0 1 0 >cpu.prof
	"$kiln" fold -q cpu.prof | diff <(echo '[unknown];[unknown] 1000') -
}

@test "gperftools: a file that was not finished is read as far as it goes" {
	head -c 150 "$golden/gperftools-cpu/busy.prof" | said 'expected a count, a depth and as many addresses: it is truncated; what is before it was read'
	head -c 60 "$golden/gperftools-cpu/busy.prof" | refused 'byte 40 of 60: expected a count, a depth and as many addresses'
	words '<5Q2Q1Q3Q' 0 3 0 1000000 0 9223372036854775 1 16 0 1 0 | refused 'byte 40 of 88: expected a count whose time is below 2^63 ns'
	words '<5Q2Q1Q2Q1Q3Q' 0 3 0 1000000 0 9000000000 1 16 9000000000 1 16 0 1 0 | refused 'exceeds 2^63'
	words '<5Q' 0 3 0 0 0 | refused 'byte 0: expected the words 0, 3, 0' --format gperftools-cpu
	words '<5Q3Q' 0 3 0 10 0 0 1 0 | refused 'expected a sample'
}

@test "gperftools: heaps in use and allocated" {
	same gperftools-text/heap
	# The heading's own totals.
	[ "$(total inuse_objects "$golden/gperftools-text/heap.txt")" -eq 100 ]
	[ "$(total inuse_space "$golden/gperftools-text/heap.txt")" -eq 100000 ]
	[ "$(total alloc_objects "$golden/gperftools-text/heap.txt")" -eq 300 ]
	[ "$(total alloc_space "$golden/gperftools-text/heap.txt")" -eq 700000 ]
}

@test "gperftools: sampled heaps are estimates for all allocations" {
	same gperftools-text/sampled
	said 'one allocation in about 524288 bytes was sampled' <"$golden/gperftools-text/sampled.txt"
	# go tool pprof -raw: 1025 1049600 512 524800, 769 1575937 683 1050112.
	[ "$(total alloc_objects "$golden/gperftools-text/sampled.txt")" -eq 1794 ]
	[ "$(total alloc_space "$golden/gperftools-text/sampled.txt")" -eq 2625537 ]
	[ "$(total inuse_objects "$golden/gperftools-text/sampled.txt")" -eq 1195 ]
	printf 'heap profile: 1: 9 [1: 9] @ heap_v2/1099511627776\n9223372036: 9223372036 [0: 0] @ 0x1\n9: 9 [9: 9] @ 0x2\n' >heap
	"$kiln" info heap | grep -F '1 of 3 lines skipped, first at line 2: expected a record'
	[ "$("$kiln" info heap | grep -c alloc_)" -eq 0 ]
}

@test "gperftools: contentions, in cycles" {
	same gperftools-text/contention
	[ "$(total contentions "$golden/gperftools-text/contention.txt")" -eq 2800 ]
	"$kiln" info "$golden/gperftools-text/contention.txt" | grep -F -- '- discarded: 700'
}

@test "gperftools: what is no record" {
	printf 'heap profile: 1: 2 [3: 4] @ growthz\n1: 2 [3: 4] @ 0x1\n1: 2 3: 4 @ 0x1\n1: 2 [3: 4] @ 0x1 main\n0: 5 [0: 0] @ 0x1\n' |
		said '2 of 5 lines skipped, first at line 3: expected a record such as'
	printf 'heap profile: 1: 2 [3: 4] @ growthz\n1: 2 [3: 4] @ 0x1\n' | said 'the list of mappings at the end is missing'
	printf 'heap profile: 1: 2 [3: 4] @ growthz\n' | refused 'expected a sample'
	printf 'heap profile: 1: 2 [3: 4] @ growthz\n9223372036854775807: 9 [0: 0] @ 0x1\n9: 9 [0: 0] @ 0x2\n' |
		refused 'line 3: the sum of all values exceeds 2^63'
}

@test "jemalloc: the sums of all threads" {
	same jemalloc/heap
	[ "$(total inuse_space "$golden/jemalloc/heap.txt")" -eq 184320 ]
	[ "$(total inuse_objects "$golden/jemalloc/heap.txt")" -eq 101 ]
	[ "$(total alloc_space "$golden/jemalloc/heap.txt")" -eq 798720 ]
	[ "$(total alloc_objects "$golden/jemalloc/heap.txt")" -eq 301 ]
	printf 'heap_v2/524288\n  t*: 1: 1024 [0: 0]\n@ 0x1\n  t*: 1: 1024 [0: 0]\n@ 0x1\n@ 0x2\n' |
		said '2 of 6 lines skipped, first at line 6: expected `@ 0x5f86da8'
	"$kiln" fold -q input | diff <(echo '[unknown] 524800') -
	printf 'heap_v3/524288\n' | refused 'line 1: expected `heap_v2/` and a number' --format jemalloc
}

# As pprof's parser: what created a thread is its outer frames, and a thread may be as the one before.
@test "threadz: the stacks of a server's threads" {
	suffix=txt same threadz/threads
	said '1 of 21 lines skipped, first at line 18: expected `--- Thread ID (name: NAME/ID) stack: ---`' <"$golden/threadz/threads.txt"
	printf -- '--- threadz 1 ---\n\n--- Memory map: ---\n' | "$kiln" fold --format threadz - 2>&1 | grep -F 'expected'
}

# Go before it printed names. Every value is divided by 1 - exp(-size / 1024), which is half of the rate.
@test "gperftools: text of Go without the names of functions" {
	suffix=txt same gperftools-text/go
	[ "$(total inuse_objects "$golden/gperftools-text/go.txt")" -eq 3 ]
	[ "$(total alloc_space "$golden/gperftools-text/go.txt")" -eq $((5562 + 4737)) ]
	printf 'threadcreate profile: total 7\n6 @ 0x44cb3 0x45045\n1 @ 0x440e2\n' >threads.txt
	[ "$(total threadcreate threads.txt)" -eq 7 ]
	printf -- '--- mutex:\ncycles/second=1000000000\nsampling period=2\n50 3 @ 0x44cb3\n' >mutex.txt
	[ "$(total delay mutex.txt)" -eq 100 ]
	[ "$(total contentions mutex.txt)" -eq 6 ]
}
