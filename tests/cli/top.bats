# top.bats: kiln top: functions by self and total.
load common

@test "the table: self, total with recursion counted once, shares" {
	run -0 "$kiln" top small.folded
	diff - <<<"$output" <(cat <<-'END'
	100 samples
	Self       %  Total       %  Function
	  60   60.00     60   60.00  inner
	  30   30.00     90   90.00  work
	  10   10.00     10   10.00  io
	   0    0.00    100  100.00  app
	   0    0.00    100  100.00  main
	END
	)
}

@test "where all is less than nothing, what is least comes first" {
	printf 'a;b -5\na;d;c -10\na 3\n' >less.folded
	run -0 "$kiln" top less.folded
	diff - <<<"$output" <(cat <<-'END'
	-12 samples
	Self       %  Total       %  Function
	 -10   83.33    -10   83.33  c
	  -5   41.67     -5   41.67  b
	   0    0.00    -10   83.33  d
	   3  -25.00    -12  100.00  a
	END
	)
}

@test "--sort total and name" {
	run -0 "$kiln" top --sort total small.folded
	[ "$(awk 'NR > 2 { print $NF }' <<<"$output" | tr '\n' ' ')" = "app main work inner io " ]
	run -0 "$kiln" top -s name small.folded
	[ "$(awk 'NR > 2 { print $NF }' <<<"$output" | tr '\n' ' ')" = "app inner io main work " ]
}

@test "-n says how many more there are" {
	run -0 "$kiln" top -n 2 small.folded
	[ "${#lines[@]}" -eq 5 ]
	[ "${lines[4]}" = "... 3 more functions (-n 0 shows all)" ]
}

@test "30 functions unless told, all of them in CSV and JSON" {
	for i in $(seq 40); do echo "main;f$i $i"; done >many.folded
	run -0 "$kiln" top many.folded
	[ "${#lines[@]}" -eq 33 ]
	[ "${lines[32]}" = "... 11 more functions (-n 0 shows all)" ]
	run -0 "$kiln" top -n 0 many.folded
	[ "${#lines[@]}" -eq 43 ]
	run -0 "$kiln" top --csv many.folded
	[ "${#lines[@]}" -eq 42 ]
	[ "$("$kiln" top --json many.folded | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["functions"]))')" = 41 ]
}

@test "--csv has a header and quotes what must be quoted" {
	echo 'main;operator,(int, "x") 3' >odd.folded
	run -0 "$kiln" top --csv odd.folded
	[ "${lines[0]}" = self,self_percent,total,total_percent,module,function ]
	[ "$(python3 -c 'import csv, sys; print(list(csv.reader(sys.stdin))[1])' <<<"$output")" = \
		"['3', '100.00', '3', '100.00', '', 'operator,(int, \"x\")']" ]
}

@test "--json is JSON with the same numbers" {
	run -0 "$kiln" top --json small.folded
	python3 - "$output" <<-'END'
	import json, sys
	top = json.loads(sys.argv[1])
	assert top["total"] == 100 and top["kind"] == "samples" and top["unit"] == "count", top
	work = [f for f in top["functions"] if f["function"] == "work"]
	assert work == [{"function": "work", "module": "", "kind": "native", "self": 30, "self_percent": 30.00,
	                 "total": 90, "total_percent": 90.00}], work
	END
}

@test "--csv and --json exclude each other" {
	run "$kiln" top --csv --json small.folded
	failed_with 2 "kiln: expected --csv or --json, not both"
}

@test "a terminal's width is kept, a pipe gets whole names" {
	long=$(printf 'x%.0s' {1..200})
	echo "main;$long 5" >long.folded
	columns=60 on_terminal "NO_COLOR=1 '$kiln' top long.folded"
	[ "$(wc -L <<<"$output")" -eq 60 ]
	[[ $output == *…* ]]
	run -0 "$kiln" top long.folded
	[[ $output == *"$long"* ]]
}

@test "colours on a terminal, unless NO_COLOR, TERM=dumb or -o" {
	on_terminal "'$kiln' top small.folded"
	[[ $output == *$'\e['* ]]
	for way in NO_COLOR=1 TERM=dumb; do
		on_terminal "$way '$kiln' top small.folded"
		[[ $output != *$'\e['* ]]
	done
	on_terminal "'$kiln' top small.folded -o top.txt"
	run ! grep -q $'\e' top.txt
	grep -q inner top.txt
}

@test "a wrong number and a wrong choice name the option" {
	run "$kiln" top -n many small.folded
	failed_with 2 "kiln: top: --rows: expected a whole number, got 'many'"
	run "$kiln" top --sort size small.folded
	failed_with 2 "kiln: top: --sort: expected one of self, total, name, got 'size'"
}

@test "counts with decimals keep them" {
	printf '%s\n' 'a;b 1.5' 'a;c 2.25' 'a;d 1003' >decimals.folded
	run -0 "$kiln" top decimals.folded
	[ "${lines[0]}" = "1,006.75 samples" ]
	[ "${lines[2]}" = "1,003.00   99.63  1,003.00   99.63  d" ]
	[ "${lines[4]}" = "    1.50    0.15      1.50    0.15  b" ]
}

@test "samples of one stack that are read together are as many as they were" {
	for i in 1 2 3 4; do
		printf 'app 7/%d [000] %d.5: 1000 cycles:\n\t7f %s+0x1 (/bin/app)\n\t7e main+0x1 (/bin/app)\n\n' $((7 + i % 2)) $i "$([ $i = 4 ] && echo rest || echo work)"
	done >four.txt
	"$kiln" top -q four.txt >top.txt
	[ "$(head -n 1 top.txt)" = "cycles: 4,000 cycles in 4 samples" ]
	"$kiln" top -q --thread 8 four.txt >top.txt
	[ "$(head -n 1 top.txt)" = "cycles: 2,000 cycles in 2 samples" ]
	"$kiln" top -q --include work four.txt >top.txt
	[ "$(head -n 1 top.txt)" = "cycles: 3,000 cycles in 3 samples" ]
}

@test "samples are those that are shown: of a part that was written, and beside idle ones" {
	for i in 1 2 3 4; do
		printf 'app 7 [000] %d.5: 1000 cycles:\n\t7f work+0x1 (/bin/app)\n\n' $i
		printf 'swapper 0 [001] %d.6: 1000 cycles:\n\tff cpuidle_enter ([kernel.kallsyms])\n\n' $i
	done >idle.txt
	[ "$("$kiln" top -q idle.txt | head -n 1)" = "cycles: 4,000 cycles in 4 samples" ]
	[ "$("$kiln" top -q --idle idle.txt | head -n 1)" = "cycles: 8,000 cycles in 8 samples" ]
	[ "$("$kiln" info --json idle.txt | python3 -c 'import json, sys; print(json.load(sys.stdin)["idle_samples"])')" -eq 4 ]
	for part in part.kiln part.pb.gz; do
		"$kiln" convert -q --time 0..1.5 idle.txt -o $part
		[ "$("$kiln" top -q $part | head -n 1)" = "cycles: 2,000 cycles in 2 samples" ]
	done
}

@test "--skip leaves out the first functions: pages after one another are the whole" {
	printf 'main;f%d 1\n' {1..25} >many.folded
	run -0 --separate-stderr "$kiln" top --sort name -n 0 --csv many.folded
	whole=$output
	all=
	for skip in 0 10 20; do
		run -0 --separate-stderr "$kiln" top --sort name -n 10 --skip $skip --csv many.folded
		all+=$(tail -n +2 <<<"$output")$'\n'
	done
	[ "$all" = "$(tail -n +2 <<<"$whole")"$'\n' ]
	run -0 --separate-stderr "$kiln" top --sort name -n 10 --skip 20 many.folded
	[[ $output != *more* ]]
	run -0 --separate-stderr "$kiln" top --skip 99 --json many.folded
	[ "$(jq -c '[.functions_count, .functions]' <<<"$output")" = "[26,[]]" ]
}

@test "functions whose rows would look alike say what differs" {
	cat >v8.txt <<-'END'
	node 12/12 [000] 100.000000: 1000 cycles:
		7f01 JS:*f /srv/a.js:1:20+0x1 (/tmp/perf-12.map)
		7f03 main+0x3 (/usr/bin/node)

	node 12/12 [000] 100.100000: 2000 cycles:
		7f11 JS:~f /srv/a.js:1:20+0x1 (/tmp/perf-12.map)
		7f03 main+0x3 (/usr/bin/node)
	END
	sed -i 's/^\\t/\t/' v8.txt
	"$kiln" top v8.txt >table
	cat table
	[ "$(grep -c 'f /srv/a.js:1:20 (interpreted)$' table)" -eq 1 ]
	[ "$(grep -c 'f /srv/a.js:1:20 (jit)$' table)" -eq 1 ]
	grep -q ' main$' table
	# On a narrow terminal the name is cut, and not what differs.
	"$kiln" top --width 60 v8.txt | grep -q '… (jit)$'
}
