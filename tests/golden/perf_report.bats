# perf_report.bats: what `perf report -g folded` prints is folded to what was worked out by hand, line by line.
load common

@test "numbers of two events, and what perf lost" {
	same perf-report/counts
	expected=perf-report/counts.page-faults same perf-report/counts --kind page-faults
	"$kiln" info "$golden/perf-report/counts.txt" >said
	grep -qF 'samples       105 samples' said
	grep -qF -- '- lost by perf: 3' said
	grep -qF 'page-faults   1,234 page-faults' said
}

@test "percentages, from the callee on" {
	cp "$golden/perf-report/percents.txt" .
	told percents.txt "$golden/perf-report/percents.folded" \
		'values are percentages that perf report rounds to 0.01% of the event count; with -g folded,0,caller,count it prints numbers'
	"$kiln" fold -q --inlined percents.txt | grep -qx 'run;idle_\[i\] 788815'
}

@test "rows of callers: each stack counts once" {
	same perf-report/children
	sed 's/$/\r/' "$golden/perf-report/children.txt" | "$kiln" fold - | diff "$golden/perf-report/children.folded" -
}

@test "places in the code, and nothing that tells the order" {
	cp "$golden/perf-report/places.txt" .
	told places.txt "$golden/perf-report/places.folded" \
		'the report has no Symbol column that shows the order of frames; assuming -g caller (outermost first)'
	"$kiln" fold -q --lines places.txt | grep -qx 'app;main (a.c:9);operator new (new.cc:50);do_syscall_64 2000000'
}

@test "trees: what perf draws of a recording" {
	# perf 6.1 of one recording of a program whose functions call one another as the names say:
	# perf report --stdio [--no-children] -g KIND,LIMIT,ORDER. The sums of functions are the report's rows.
	cp "$golden"/perf-report/tree*.txt .
	for name in tree tree_children; do
		told "$name.txt" "$golden/perf-report/tree.folded" \
			'values are percentages that perf report rounds to 0.01% of the event count; with -g folded,0,caller,count it prints numbers'
	done
	same perf-report/tree_callee
	same perf-report/tree_fractal
	cut -d ' ' -f 1 "$golden/perf-report/tree_callee.folded" | diff - <(cut -d ' ' -f 1 "$golden/perf-report/tree_fractal.folded")
}

@test "trees: what is not drawn, and what cannot be read of them" {
	report 'Overhead  Symbol  ' '    60.00%  [.] g   ' '    40.00%  [.] f   ' '            |' '            ---main' \
		'               |' '               |--30.00%--a' '               |          f' '' '               |' |
		said 'values are percentages'
	diff folded <(printf '%s\n' '[...];g 600' 'main;[...];f 100' 'main;a;f 300')
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' '            |' '            |--526--main' '            |          f' |
		refused 'line 9: expected a branch such as `|--75.00%--spin`, or a frame below one: print the report with -g folded,0,caller,count'
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' '            72.05%' '                f' '                main' |
		refused 'line 8: expected a branch such as'
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' '            |' '            |--60.00%--main' '            |          f' '        x' |
		refused 'line 11: expected a branch such as'
	report 'Overhead  Symbol  ' '   xx       [.] f   ' '            |' '            ---f' | refused 'expected a row with a percentage'
	report 'Children      Self  Symbol' '   100.00%    50.00%  [.] f' '            |' '            ---f' '               main' |
		refused 'expected stacks that do not contain one another: print the report with --no-children'
}

# report COLUMNS ROW STACK...: a report of 100 samples with one row.
report() {
	printf '# Samples: 100  of event '\''cycles'\''\n# Event count (approx.): 1000\n#\n# %s\n' "$1"
	printf '# %s\n#\n' "$(sed 's/[^ ]/./g' <<<"$1")"
	printf '%s\n' "${@:2}"
}

@test "stacks that are not all there, or more than there are" {
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' '90 main;f' | said 'cycles: the stacks cover 90.0% of the report'
	diff folded <(echo 'main;f 90')
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' '1000 main;f' '500 f' | said 'cover 150% of the report: it includes stacks of callers'
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' '100 main;f' '1% f' 'x' |
		said '2 of 10 lines skipped, first at line 9: expected a percentage or a number, and frames'
}

@test "reports without stacks, and such as are parts of others" {
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' | refused 'record with -g, and print the report with -g folded,0'
	report 'Children      Self  Symbol' '   100.00%    50.00%  [.] main' '   100.00%   100.00%  [.] f' '100 f;main' |
		refused 'line 9: expected stacks that do not contain one another: print the report with --no-children'
	report 'Children      Self  Module' '   100.00%    50.00%  app' '100 main;f' | refused 'print the report with --no-children'
	report 'Overhead  Symbol  ' '   100.00%  [.] f   ' '9223372036854775807 f' '9223372036854775807 f' | refused 'exceeds 2^63'
}
