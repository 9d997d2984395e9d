# fold.bats: what `perf script` text and folded text are folded to; expected by hand, line by line.
load common

@test "perf script: the first event, by its periods" {
	"$kiln" fold -q "$golden/perf-script/all.txt" | diff "$golden/perf-script/all.cycles.folded" -
}

@test "perf script: another event, with marks" {
	"$kiln" fold -q --all --kind cpu-clock "$golden/perf-script/all.txt" |
		diff "$golden/perf-script/all.cpu-clock.folded" -
}

# Android's simpleperf: before, no frame had a name, and the total was the same.
@test "perf script: tabs between the columns of frames, under classic names, too" {
	field=$corpus/field
	"$kiln" fold -q "$field/simpleperf_tabs.txt" | diff "$field/simpleperf_tabs.folded" -
	for name in stackcollapse-perf.pl inferno-collapse-perf; do
		ln -s "$kiln" $name
		./$name "$field/simpleperf_tabs.txt" | diff "$field/simpleperf_tabs.folded" -
	done
	# A tab is in front of instructions, too, which -F insn adds.
	printf 'app 7 1.5: 9 cycles:\n\t%16x\tinsn: 48 89\n\t%16x main (/bin/app)\n\n' 16 32 | "$kiln" fold -q - |
		diff <(echo 'app;main 9') -
}

# The event's unit is that of samples, too: "count".
@test "perf script: idle samples of an event whose name has a colon are counted once" {
	field=$corpus/field
	"$kiln" fold -q --idle "$field/idle_event_with_colon.txt" |
		diff "$field/idle_event_with_colon.idle.folded" -
	[ "$("$kiln" fold -q --idle --kind samples "$field/idle_event_with_colon.txt" | awk '{ n += $NF } END { print n }')" -eq 2 ]
	"$kiln" draw -q "$field/idle_event_with_colon.txt" -o x.svg
	grep -q 'idle samples left out (50.00% of all)' x.svg
}

@test "perf script: lines that end with carriage returns" {
	sed 's/$/\r/' "$golden/perf-script/all.txt" >crlf.txt
	diff <("$kiln" info "$golden/perf-script/all.txt") <("$kiln" info crlf.txt)
	for kind in cycles:u cpu-clock idle; do
		diff <("$kiln" fold -q --all --idle --kind $kind "$golden/perf-script/all.txt") \
			<("$kiln" fold -q --all --idle --kind $kind crlf.txt)
	done
}

@test "perf script: nothing but programs and frames" {
	"$kiln" fold "$golden/perf-script/bare.txt" 2>said | diff "$golden/perf-script/bare.folded" -
	grep -qF '1 of 20 lines skipped, first at line 19: expected an event line' said
	[ "$("$kiln" fold -q --kind cpu-clock "$golden/perf-script/bare.txt")" = 'swapper;idle 1' ]
	sed 's/$/\r/' "$golden/perf-script/bare.txt" >crlf.txt
	"$kiln" fold crlf.txt 2>said | diff "$golden/perf-script/bare.folded" -
	grep -qF '1 of 20 lines skipped, first at line 19: expected an event line' said
}

@test "folded text with decimals, comments and carriage returns" {
	"$kiln" fold -q "$golden/folded/decimals.txt" | diff "$golden/folded/decimals.folded" -
}

@test "folded text with values below 0, as Kiln writes it" {
	"$kiln" fold "$golden/folded/negative.txt" 2>said | diff "$golden/folded/negative.folded" -
	grep -qF '2 of 9 lines skipped, first at line 7' said
	"$kiln" fold -q "$golden/folded/negative.folded" | diff "$golden/folded/negative.folded" -
	printf 'a 1\na;b -2 3\n' >two # one number only: the line that has two is of one as well
	"$kiln" fold -q two | diff - <(printf 'a 1\na;b -2 3\n')
	printf 'a 5 -1\na;b -2 3\n' | "$kiln" fold -q - | diff - <(printf 'a 5 -1\na;b -2 3\n')
}

@test "a picture says what of its values is below 0, for which there is no width" {
	"$kiln" draw -q "$golden/folded/negative.folded" -o x.svg
	grep -qF -- '-9.25 samples in negative values not drawn' x.svg
	printf 'a -1\n' >below
	run -2 "$kiln" draw below
	[[ "$output" == *"no value is above 0" ]]
}

@test "folded: a name may start with #, as what Kiln writes of private methods does; comments do not count" {
	printf '# main 12\n#\n#comment\n#tick;read 5\nmain 2\n' >x.folded
	"$kiln" fold x.folded | diff <(printf '#tick;read 5\nmain 2\n') -
	"$kiln" fold x.folded | "$kiln" fold | diff <(printf '#tick;read 5\nmain 2\n') -
	"$kiln" info x.folded | grep -q '^comments *3$'
	"$kiln" diff x.folded x.folded --to folded | diff <(printf '#tick;read 5 5\nmain 2 2\n') -
}

@test "a byte order mark before text is no part of it" {
	for name in folded/decimals perf-script/all perf-report/counts jstack/states bcc/profile vsprof/samples; do
		(printf '\357\273\277' && cat "$golden/$name.txt") >marked
		diff <("$kiln" fold -q "$golden/$name.txt") <("$kiln" fold -q marked)
		diff <("$kiln" fold -q "$golden/$name.txt") <("$kiln" fold -q - < <(cat marked))
		diff <("$kiln" fold -q "$golden/$name.txt") <(gzip -c marked | "$kiln" fold -q -)
	done
	printf '\357\273\277' | refused 'expected a profile: check the program'
}

# As from a perf.data file: names are whole, without parameters and the types that are returned.
@test "names with round brackets are not cut" {
	cp "$corpus/field/operator_call.txt" names.txt || skip "no corpus"
	run -0 "$kiln" fold names.txt
	[ "$output" = "app;main;handle /srv/app (x)/b.js:12:3;pick;ns::Op<int>::operator() 5" ]
	ln -s "$(realpath "$kiln")" stackcollapse-perf.pl
	run -0 ./stackcollapse-perf.pl names.txt
	[ "$output" = "app;main;LazyCompile:*handle /srv/app ;void ;ns::Op<int>::operator 5" ]
}
