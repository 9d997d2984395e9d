# outputs.bats: is a file that a command writes whole, or not there, whatever happens meanwhile?
load common

setup_file() {
	gcc -D_GNU_SOURCE -O1 -w -shared -fPIC -o "$BATS_FILE_TMPDIR/faults.so" "$BATS_TEST_DIRNAME/faults.c"
}

# faulty VARIABLE=VALUE... COMMAND...: with these faults (faults.c).
faulty() {
	ldd "$kiln" 2>/dev/null | grep -q libasan && skip "a sanitizer wants to be loaded first"
	env LD_PRELOAD="$BATS_FILE_TMPDIR/faults.so" "$@"
}

# Names of files that kiln convert writes.
outputs=(x.svg x.html x.folded x.kiln)

# as_before: the folder has what it had, with the same content.
as_before() {
	find . -type f ! -name before -print0 | sort -z | xargs -0 md5sum | diff before -
}

remember() {
	find . -type f ! -name before -print0 | sort -z | xargs -0 md5sum >before
}

# leaves_nothing SIGNAL FAULT... COMMAND...: ended by it, the command leaves all files as they were.
leaves_nothing() {
	local number
	number=$(kill -l "$1")
	run -$((128 + number)) faulty FAULT_SIGNAL="$number" "${@:2}"
	as_before || { echo "SIG$1: ${*:2}"; return 1; }
}

@test "a signal while a file is written: nothing is left of it, and the earlier file is as it was" {
	"$kiln" convert small.folded -o x.kiln
	for name in x.svg x.html x.folded palette.map; do echo "rgb->rgb(1,2,3)" >"$name"; done
	remember
	for signal in HUP INT QUIT PIPE ALRM TERM XCPU KILL; do
		leaves_nothing $signal "$kiln" convert small.folded -o x.folded
		[ $signal = KILL ] || leaves_nothing $signal FAULT_NAMELESS=1 "$kiln" convert small.folded -o x.folded
	done
	for fault in FAULT_NONE=1 FAULT_NAMELESS=1; do
		for name in x.svg new.html new.kiln; do
			leaves_nothing TERM $fault "$kiln" convert small.folded -o "$name"
		done
		leaves_nothing TERM $fault "$kiln" diff small.folded small.folded -o x.svg
		leaves_nothing TERM $fault "$kiln" symbolize x.kiln -o new.kiln
		leaves_nothing TERM $fault "$kiln" draw --cp small.folded -o x.svg
	done
	# What the caller ignores ends nothing.
	(trap '' HUP; faulty FAULT_SIGNAL=1 FAULT_NAMELESS=1 "$kiln" convert small.folded -o new.folded)
	[ -s new.folded ]
}

@test "a limit of the size of files is a failure to write" {
	echo earlier >x.html
	run bash -c 'ulimit -f 8; exec "$0" convert small.folded -o x.html' "$kiln"
	failed_with 1 "kiln: x.html: cannot write: File too large"
	[ "$(cat x.html)" = earlier ]
	[ "$(echo *)" = "small.folded x.html" ]
}

@test "where files must have names, and where reads and writes are short, files are the same" {
	for name in "${outputs[@]}"; do
		"$kiln" convert small.folded -o "$name"
		echo earlier >"again-$name"
		for fault in FAULT_NAMELESS=1 FAULT_SHORT=1; do
			faulty $fault "$kiln" convert small.folded -o "again-$name"
			cmp "$name" "again-$name"
			faulty $fault "$kiln" convert small.folded -o "new-$name"
			cmp "$name" "new-$name"
			rm "new-$name"
		done
	done
	for command in fold info top "diff small.folded" "draw --cp"; do
		"$kiln" $command x.kiln >out
		faulty FAULT_SHORT=1 "$kiln" $command x.kiln | cmp out
	done
	"$kiln" fold small.folded >out
	faulty FAULT_SHORT=1 "$kiln" fold - <x.kiln | cmp out
	[ "$(find . -name '*~')" = "" ]
}

@test "whichever system call fails: one line, or the right result, and nothing is left" {
	command -v strace >/dev/null || skip "no strace here"
	[ -z "$KILN_SANITIZER" ] || skip "a sanitizer has system calls of its own"
	python3 "$BATS_TEST_DIRNAME/faults.py" "$kiln" fold draw-cp convert-html diff-draw symbolize flamegraph.pl || return 1
}

@test "kiln classic --link replaces links, and nothing else" {
	mkdir links
	ln -s /nowhere links/flamegraph.pl
	"$kiln" classic --link links
	[ links/flamegraph.pl -ef "$kiln" ]
	[ "$(find links ! -type l)" = links ]
	rm links/flamegraph.pl
	echo mine >links/flamegraph.pl
	run "$kiln" classic --link links
	failed_with 1 "kiln: classic: links/flamegraph.pl: cannot make the link: File exists"
	[ "$(cat links/flamegraph.pl)" = mine ]
}
