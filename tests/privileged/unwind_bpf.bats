# unwind_bpf.bats: are the stacks that programs in the kernel find by tables whole, and right?
load common

setup_file() {
	load common
	build_programs
}

# check FILE HZ EVERY COMMAND...: its figures, in FILE.
check() {
	[ -x "$checkers/unwind_check" ] || skip "built without BPF"
	"$checkers/unwind_check" "${@:2}" >"$1.all" 2>said || { cat said; return 1; }
	grep -E '^[a-z_0-9-]+ [0-9.]+$' "$1.all" >"$1"
	cat said "$1"
}

figure() { awk -v name="$2" '$1 == name { print $2; found = 1 } END { if (!found) print 0 }' "$1"; }

# right FILE: each stack that was compared is what the walker in user space finds on the same registers and stack.
right() {
	[ "$(figure "$1" differ)" -eq 0 ]
	[ "$(figure "$1" equal)" -ge 50 ]
	[ "$(figure "$1" lost)" -eq 0 ]
	[ "$(figure "$1" no_room)" -eq 0 ]
}

@test "a program without frame pointers, 40 calls deep: whole and right" {
	check f 997 3 "$bin/busy" 3 1 40
	at_least "$(figure f complete_percent)" 99
	at_least "$(figure f frames_per_sample)" 44
	right f
}
