# tree.bats: kiln tree: the call tree in a terminal.
load common

@test "the tree: shares, self where there is one, forks drawn" {
	run -0 "$kiln" tree small.folded
	diff - <<<"$output" <(cat <<-'END'
	100 samples
	Total%   Self%  Function
	100.00          app
	100.00          main
	 90.00   30.00  ├─work
	 40.00   40.00  │ ├─inner
	 20.00          │ └─work
	 20.00   20.00  │   inner
	 10.00   10.00  └─io
	END
	)
}

@test "ASCII where the locale is not UTF-8, or asked for" {
	expected=' 90.00   30.00  |-work'
	LC_ALL=C run -0 "$kiln" tree small.folded
	[ "${lines[4]}" = "$expected" ]
	[ "${lines[8]}" = ' 10.00   10.00  `-io' ]
	run -0 "$kiln" tree --ascii small.folded
	[ "${lines[4]}" = "$expected" ]
}

@test "--min leaves out, and says how much" {
	run -0 "$kiln" tree --min 15 small.folded
	[ -z "$(grep 'io$' <<<"$output")" ]
	[ "${lines[-1]}" = "... 1 branch below 15% (--min 0 shows all)" ]
	run -0 "$kiln" tree --min 0 small.folded
	[[ ${lines[-1]} != ...* ]]
}

@test "--min out of range is refused" {
	run "$kiln" tree --min 101 small.folded
	failed_with 2 "kiln: --min: expected a percentage from 0 to 100, got 101"
	run "$kiln" tree --min nan small.folded
	[ "$status" -eq 2 ]
}

@test "--depth cuts" {
	run -0 "$kiln" tree --depth 2 small.folded
	[ "$(tail -n +3 <<<"$output" | awk '{ print $NF }' | tr '\n' ' ')" = "app main " ]
}

@test "as wide as the terminal, however deep" {
	python3 -c '
for d in range(1, 120):
    print(";".join(f"function_number_{i}" for i in range(d)), 1)
    print(";".join([f"function_number_{i}" for i in range(d)] + ["aside"]), 1)' >deep.folded
	for columns in 60 80 132; do
		on_terminal "NO_COLOR=1 '$kiln' tree --min 0 deep.folded"
		[ "$(wc -L <<<"$output")" -le "$columns" ]
		grep -q function_number_118 <<<"$output"
	done
}

@test "colours only on a terminal" {
	on_terminal "'$kiln' tree small.folded"
	[[ $output == *$'\e['* ]]
	on_terminal "NO_COLOR=1 '$kiln' tree small.folded"
	[[ $output != *$'\e['* ]]
	run -0 "$kiln" tree small.folded
	[[ $output != *$'\e['* ]]
}
