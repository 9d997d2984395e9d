# producers_allocators.bats: gperftools and jemalloc write profiles of a program whose shares and blocks are known; do the
# stacks that Kiln reads have them?
load producers

# value KIND FUNCTION FILE: the value of a function with its callees.
value() {
	"$kiln" fold -q --kind "$1" "$3" | grep -w -- "$2" | sum
}

# busy LIBRARY: blocks.c, linked with this one.
busy() {
	need cc
	cc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		"$programs/blocks.c" -o busy -Wl,--no-as-needed "-l$1" 2>/dev/null ||
		skip "needs the library $1"
}

@test "gperftools: the CPU profile of google-pprof, function by function" {
	need google-pprof
	busy profiler
	CPUPROFILE=cpu.prof ./busy 2>/dev/null
	google-pprof --text busy cpu.prof 2>/dev/null | awk 'NR > 1 { print $6, $4 }' | grep -E '^(main|leaf|third|two_thirds) ' | sort >theirs
	for function in leaf main third two_thirds; do
		echo "$function $(value samples $function cpu.prof)"
	done | diff theirs -
	"$kiln" fold -q cpu.prof >folded
	value samples main cpu.prof
	share third 20 47 folded
	share two_thirds 53 80 folded
}

@test "gperftools: the heap profile of a program that counts its blocks" {
	busy tcmalloc
	HEAPPROFILE=heap ./busy 2>/dev/null
	[ "$(value inuse_space keep heap.0001.heap)" -eq 100000 ]
	[ "$(value inuse_objects keep heap.0001.heap)" -eq 100 ]
	[ "$(value alloc_space churn heap.0001.heap)" -eq 600000 ]
	[ "$(value alloc_objects churn heap.0001.heap)" -eq 200 ]
	[ "$(value inuse_space churn heap.0001.heap)" -eq 0 ]
}

@test "jemalloc: the heap profile of a program that counts its blocks" {
	busy jemalloc
	MALLOC_CONF=prof:true,prof_final:true,prof_accum:true,lg_prof_sample:0,prof_prefix:own ./busy
	[ -e own.*.heap ] || skip "needs jemalloc with its profiler"
	# Sizes are those of jemalloc's classes.
	[ "$(value inuse_space keep own.*.heap)" -eq $((100 * 1024)) ]
	[ "$(value alloc_space churn own.*.heap)" -eq $((200 * 3072)) ]
	[ "$(value alloc_objects churn own.*.heap)" -eq 200 ]
	[ "$(value inuse_objects churn own.*.heap)" -eq 0 ]
}
