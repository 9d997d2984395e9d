# classic.bats: kiln classic, and other tools' names.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset NO_COLOR COLUMNS
	export LC_ALL=C.UTF-8
	"$kiln" classic --link classic
	PATH=$PWD/classic:$PATH
	cat >perf.txt <<-'END'
	java 12/13 [000] 1.000001:     10 cycles:
	        ffffffff81000010 do_work+0x10 ([kernel.kallsyms])
	            7f0000000020 La/B;.run(I)V+0x20 (/tmp/perf-12.map)
	            7f0000000030 [unknown] (/usr/lib/libx.so)

	java 12/13 [000] 1.000002:     5 instructions:
	            7f0000000020 La/B;.run(I)V+0x20 (/tmp/perf-12.map)

	java 12/13 [000] 1.000003:     7 cycles:
	            7f0000000020 std::map<int, void (*)(int)>::at(int)+0x20 (/usr/bin/x)
	END
}

@test "without an installation it says how to get the links; with one it tells the folder" {
	run "$kiln" classic
	[ "$status" -eq 1 ]
	[[ $output == "kiln: classic: there is no "*"; kiln classic --link DIR makes a folder of links" ]]
	mkdir -p usr/bin usr/libexec/kiln/classic
	cp "$(readlink -f "$kiln")" usr/bin/kiln
	[ "$(usr/bin/kiln classic)" = "$PWD/usr/libexec/kiln/classic" ]
}

@test "every name of the list is a link, and knows its options" {
	"$kiln" classic --list | while read -r name about; do
		[ -n "$about" ]
		[ "$(readlink -f "classic/$name")" = "$(readlink -f "$kiln")" ]
		"$name" --help </dev/null | grep -q "^usage: $name "
	done
	[ "$(ls classic | wc -l)" = "$("$kiln" classic --list | wc -l)" ]
}

@test "a folder that cannot be made, and operands that nobody wants" {
	run "$kiln" classic --link perf.txt/there
	failed_with 1 "kiln: classic: perf.txt/there: cannot make the folder: Not a directory"
	run "$kiln" classic stackcollapse-perf.pl
	[ "$status" -eq 2 ]
}

@test "stackcollapse-perf.pl: the first event, cut as Perl cuts, a last stack that counts" {
	run -0 --separate-stderr stackcollapse-perf.pl perf.txt
	[ "$output" = $'java;[libx.so];a/B:.run;do_work 10\njava;std::map<int, void  7' ]
	[[ $stderr == *"1 samples of other events than cycles left out"* ]]
}

@test "stackcollapse-perf.pl: options, cut short, in any case, with one dash or two" {
	run -255 stackcollapse-perf.pl -a perf.txt
	[ "$output" = "kiln: stackcollapse-perf.pl: option a is ambiguous (all, addrs)" ]
	run -0 --separate-stderr stackcollapse-perf.pl -AL -TID --ev=cycles --ad perf.txt
	[ "${lines[0]}" = 'java-12/13;[libx.so <7f0000000030>];a/B:.run_[j];do_work_[k] 10' ]
	run -0 --separate-stderr stackcollapse-perf.pl --event-filter instructions --pid perf.txt
	[ "$output" = 'java-12;a/B:.run 5' ]
	run -0 --separate-stderr stackcollapse-perf.pl --event-filter nothing perf.txt
	[ -z "$output" ]
}

@test "stackcollapse-perf.pl: several files are one; source lines on request" {
	printf 'a 1 1.1: 3 cycles:\n\t 10 f+0x1 (/bin/a)\n  main.c:12\n\t 20 g (/bin/a)\n  a[20]\n' >one.txt
	printf 'b 1 1.1: 4 cycles:\n\t 10 h (/bin/b)\n' >two.txt
	run -0 --separate-stderr stackcollapse-perf.pl --src one.txt two.txt
	[ "$output" = $'a;g:a;f:main.c:12 3\nb;h 4' ]
}

@test "stackcollapse-perf.pl: nothing in, nothing out; a missing file is an error" {
	run -0 --separate-stderr stackcollapse-perf.pl </dev/null
	[ -z "$output" ]
	run stackcollapse-perf.pl nowhere.txt
	failed_with 1 "kiln: nowhere.txt: cannot open: No such file or directory"
}

@test "inferno-collapse-perf: templates stay whole, events without their modifiers" {
	sed -i 's/cycles:/cycles:u:/' perf.txt
	run -0 --separate-stderr inferno-collapse-perf --event-filter cycles --all -q -n 4 perf.txt
	[ "$output" = $'java;[libx.so];a/B:.run_[j];do_work_[k] 10\njava;std::map<int, void (*)(int)>::at 7' ]
	[ -z "$stderr" ]
}

@test "difffolded.pl: sorted, zero for what is missing, -n and -s joined" {
	printf 'b;0x1f 10\na 5\nzero 0\n' >one.folded
	printf 'b;0x2e 4\nnew  3\na 2\n' >two.folded
	run -0 difffolded.pl one.folded two.folded
	[ "$output" = $'a 5 2\nb;0x1f 10 0\nb;0x2e 0 4\nnew  0 3\nzero 0 0' ]
	run -0 difffolded.pl -ns one.folded two.folded
	[ "$output" = $'a 3 2\nb;0x... 6 4\nnew  0 3\nzero 0 0' ]
	run -0 inferno-diff-folded --normalize -s one.folded two.folded
	[ "$output" = $'a 3 2\nb;0x... 6 4\nnew 0 3\nzero 0 0' ]
}

@test "difffolded.pl: decimals, and what is no count" {
	printf 'a 0.5\na 0.25\nb 18446744073709551615\n' >one.folded
	printf 'a 1\nnothing\n' >two.folded
	run -0 --separate-stderr difffolded.pl one.folded two.folded
	[ "$output" = $'a 0.75 1\nb 18446744073709551615 0' ]
	[ "$stderr" = "kiln: two.folded: 1 lines skipped, first at line 2: expected frames and a number" ]
	run difffolded.pl one.folded
	failed_with 2 "kiln: difffolded.pl: usage: difffolded.pl [-hns] BEFORE.folded AFTER.folded >DIFF.folded"
}
