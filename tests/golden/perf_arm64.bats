# perf_arm64.bats: stack copies of 64-bit Arm, recorded by perf, lead through the calls that the programs make.
#
# The recordings are of Debian 12's perf on arm64: `perf record -F 500 --call-graph dwarf,16384 spin-nofp 2`, and of
# spin-pac and sig-nofp. gcc -O2 made the programs: spin-nofp and sig-nofp with -fomit-frame-pointer, spin-pac with
# -mbranch-protection=standard, which signs return addresses. cut.py made what is here of the recordings and of Debian's
# C library:
#
#	cut.py recording nofp.data cut.data 20, the same for pac.data, and for sig.data with 16
#	cut.py tables libc.so.6 cut.so.6 27000-28000 3e000-3f000 b6000-b7000
#
# main calls outer_fn, and that middle_fn, and that leaf_hot; and sorter, and that qsort, which calls itself and cmp,
# and that leaf_hot. In the other program, main calls interrupted, and that clock_gettime; a timer interrupts both with a
# handler, which calls in_handler. The kernel's vdso is not there: what is in it is passed without its tables.
load common
golden=$golden/perf-arm64

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export HOME=$BATS_TEST_TMPDIR
	unset DEBUGINFOD_URLS
	mkdir -p root/tmp root/usr/lib/aarch64-linux-gnu
	for program in spin-nofp spin-pac sig-nofp; do
		xz -dc "$golden/$program.xz" >root/tmp/$program
	done
	xz -dc "$golden/libc.so.6.xz" >root/usr/lib/aarch64-linux-gnu/libc.so.6
	for recording in nofp pac sig; do
		xz -dc "$golden/$recording.data.xz" >$recording.data
	done
}

# unwound RECORDING PATTERN: the stacks through main are those of RECORDING.folded, and each is what PATTERN says about
# what main calls, with functions of the C library as L and code of the vdso as V.
unwound() {
	local start='^[^;]*;_start;L;L;main'

	"$kiln" fold -q --no-cache --symfs root "$1.data" | grep ';main[; ]' >"$1.folded"
	diff "$golden/$1.folded" "$1.folded"
	[ "$(wc -l <"$1.folded")" -ge 9 ]
	sed 's/\[libc[^;]*\]/L/g; s/\[vdso[^;]*\]/V/g; s/;\[\(kernel\|9p\|netfs\).*//; s/ [0-9]*$//' "$1.folded" >short
	run ! grep -vE "$start($2)?\$" short
}

@test "a program that execve is starting has no user stack" {
	"$kiln" fold -q --no-cache --symfs root nofp.data >folded
	[ "$(grep -c "no-mapping" folded)" -eq 0 ]
}

@test "without frame pointers" {
	unwound nofp ';outer_fn(;middle_fn(;leaf_hot)?)?|;sorter(;L)*(;cmp(;leaf_hot)?)?'
}

@test "signed return addresses" {
	unwound pac ';outer_fn(;middle_fn(;leaf_hot)?)?|;sorter(;L)*(;cmp(;leaf_hot)?)?'
}

@test "signals" {
	unwound sig ';interrupted(;L(;V)?)?(;V(;handler(;in_handler)?)?)?'
}

# said TEXT FILE: folding FILE without binaries says TEXT, in one line.
said() {
	"$kiln" fold --no-cache "${@:2}" 2>said >folded
	cat said
	[ "$(grep -cF -- "$1" said)" -eq 1 ]
}

@test "what cannot be unwound as the programs were compiled is said" {
	said "40 of 41 stack copies lead through files that are missing or differ from the recorded ones (spin-nofp, " nofp.data
	said "files that are missing or differ from the recorded ones (ld-linux-aarch64.so.1): frame" --symfs root sig.data
	sed s/aarch64/riscv64/ nofp.data >riscv.data
	said "40 samples have copies of stacks that Kiln does not unwind: they are of riscv64" --symfs root riscv.data
	grep -q ';leaf_hot ' folded
}
