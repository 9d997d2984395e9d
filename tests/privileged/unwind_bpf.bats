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

# right FILE: each stack that was compared is what the walker in user space finds on the same registers and stack;
# some are longer than the copy, and a rule in a thousand is an expression.
right() {
	[ "$(figure "$1" differ)" -eq 0 ]
	[ "$(figure "$1" equal)" -ge 50 ]
	at_least "$(figure "$1" equal)" "$(($(figure "$1" compared) * 95 / 100))"
	[ "$(figure "$1" unable)" -le $(($(figure "$1" compared) / 100)) ]
	[ "$(figure "$1" lost)" -eq 0 ]
	[ "$(figure "$1" no_room)" -eq 0 ]
}

# checked FILE COMMAND...: all of its stacks are right.
checked() {
	check "$1" 997 5 "${@:2}"
	at_least "$(figure "$1" samples)" 300
	right "$1"
	[ "$(figure "$1" walked)" -eq "$(figure "$1" copies)" ]
}

# whole FILE PERCENT COMMAND...: and this share of them reaches the entry. Samples before the program's file is mapped do
# not count: there is no stack yet. The next test limits how many there are.
whole() {
	checked "$1" "${@:3}"
	at_least "$(($(figure "$1" samples) - $(figure "$1" end_no-mapping)))" 300
	at_least "$(figure "$1" complete_percent)" "$2"
}

# tabled FILE: less than 0.5% of its stacks were lost for want of a table.
tabled() { [ "$(($(figure "$1" end_no-table) * 200))" -le "$(figure "$1" samples)" ]; }

# bats test_tags=kernels
@test "a program without frame pointers, 40 calls deep: 99.5% of its stacks are whole, and all are right" {
	checked busy "$bin/busy" 3 1 40
	# It has none until its file is mapped, which takes slow machines a while: no more than is not its own CPU time.
	samples=$(figure busy samples)
	others=$((samples - $(grep -xE '[0-9]+' busy.all) * 997 / 1000000000))
	[ "$others" -ge 0 ] || others=0 # samples are missed, too
	start=$(figure busy end_no-mapping)
	[ "$start" -le $((others + samples / 200)) ]
	[ "$(figure busy end_complete)" -ge $(((samples - start) * 995 / 1000)) ]
	at_least "$(figure busy frames_per_sample)" 44
	tabled busy
}

@test "tables come late: stacks are copied until then, and are whole" {
	LATE=200 whole late 99.5 "$bin/busy" 2 1 40
	tabled late
	at_least "$(figure late walked)" 200
}

@test "four threads of it" {
	whole threads 99.5 "$bin/busy" 1 4 40
}

# bats test_tags=kernels
@test "perl and python: 99%" {
	whole perl 99 perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(34)'
	whole python 99 /usr/bin/python3 -c 'f = lambda n: n if n < 2 else f(n-1) + f(n-2); f(35)'
}

@test "the compiler, which another program starts: 99%" {
	seq 2000 | sed 's/.*/int f&(int x){for(int i=0;i<x;i++)x+=i*&;return x;}/' >many.c
	whole cc1 99 gcc -O2 -c many.c -o many.o
	tabled cc1
}

@test "tables are kept on disk: the second time they are read, and only what is missing is made" {
	whole first 99 perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(34)'
	[ "$(find "$HOME/.cache/kiln" -name '*.unwind' | wc -l)" -ge 2 ] # perl and libc
	whole second 99 perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(34)'
	[ "$(figure second kept_tables)" -ge 2 ]
	rm -r "$HOME/.cache/kiln"
	whole third 99 perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(34)'
	[ "$(figure third kept_tables)" -eq 0 ]
}

@test "openssl, whose loops are written by hand: 95%" {
	command -v openssl >/dev/null || skip "no openssl"
	whole openssl 95 openssl speed -seconds 1 -bytes 1024 sha256 aes-128-cbc rsa2048
}

@test "no room for tables: stacks end where one is missing, and it is counted" {
	export TABLE_BYTES=65536
	check f 997 1000000 "$bin/busy" 2 1 40
	[ "$(figure f no_room)" -ge 1 ] # libc's
	[ "$(figure f table_kb)" -le 64 ]
	local walked=$(($(figure f samples) - $(figure f copies)))
	[ "$walked" -ge 100 ]
	at_least "$(figure f frames_per_sample)" 40 # of the program itself: its table has room
	at_least "$(figure f end_no-table)" "$((walked * 95 / 100))"
	# To the sample: each has one end.
	[ "$(awk '/^end_/ { n += $2 } END { print n }' f)" -eq "$(figure f samples)" ]
}
