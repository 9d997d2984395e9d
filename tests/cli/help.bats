# help.bats: kiln help, kiln, -h: can somebody who knows nothing find the way?
load common

@test "help lists every command with what it does" {
	run -0 "$kiln" help
	[[ ${lines[0]} == "usage: kiln COMMAND [OPTIONS] [FILE]" ]]
	for name in draw top tree fold info convert completion help version; do
		grep -qE "^  $name +[a-z]" <<<"$output"
	done
}

@test "kiln alone, -h and --help say the same as help" {
	expected=$("$kiln" help)
	for way in "" -h --help; do
		run -0 "$kiln" $way
		[ "$output" = "$expected" ]
	done
}

@test "help CMD, CMD -h and CMD --help say the same, for every command" {
	for name in $("$kiln" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		expected=$("$kiln" help "$name")
		[[ $expected == "usage: kiln $name"* ]]
		run -0 "$kiln" "$name" -h
		[ "$output" = "$expected" ]
		run -0 "$kiln" "$name" --help
		[ "$output" = "$expected" ]
	done
}

@test "help fits into 80 columns" {
	for name in "" $("$kiln" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		run -0 "$kiln" help $name
		[ -z "$(grep -E '.{81,}' <<<"$output")" ]
		run -0 "$kiln" help --all $name
		[ -z "$(grep -E '.{81,}' <<<"$output")" ]
	done
}

@test "help of record fits on two screens and names the options of every mode; --all explains them" {
	run -0 "$kiln" help record
	[ "$(wc -l <<<"$output")" -le 50 ]
	"$kiln" help --all record >all
	for option in min state reads devices locks weight cheap; do
		grep -qE -- "[:,] --$option\b" <<<"$output"
		grep -qE -- "^  .{4}--$option\b" all
	done
	run ! grep -q -- --tee <<<"$output"
	grep -q -- '--tee FILE' all
}

@test "help of an unknown command names the nearest" {
	run "$kiln" help toop
	failed_with 2 "kiln: help: there is no command 'toop'; did you mean 'top'?"
}

@test "an unknown command names the nearest, or where to look" {
	run "$kiln" drwa
	failed_with 2 "kiln: unknown command 'drwa'; did you mean 'draw'? (kiln help)"
	run "$kiln" qqqqqqqq
	failed_with 2 "kiln: unknown command 'qqqqqqqq' (kiln help lists them)"
}

@test "a file instead of a command is explained" {
	run "$kiln" small.folded
	failed_with 2 "kiln: 'small.folded' is a file, not a command; draw it with: kiln draw small.folded"
}

@test "-h wins over missing input" {
	run -0 "$kiln" top -h </dev/null
}
