# manual.bats: the manual pages and the option tables tell the same options.
load common

docs=$BATS_TEST_DIRNAME/../../docs

commands_of_help() {
	"$kiln" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# "--long" and "-s" of every option in the help of a command; with a heading, only the group below it.
in_help() {
	"$kiln" help --all "$1" | awk -v from="$2" -v to="$3" '
		/^[A-Z][^.]*:$/ { on = 1; if (from != "" && index($0, from) != 1) on = 0; if (to != "" && $0 ~ to) on = 0 }
		on' | grep -oE '^  (-., |    )--[a-z0-9-]+' | grep -oE -- '--?[a-zA-Z0-9][a-z0-9-]*' | LC_ALL=C sort -u
}

# The same of a manual page, from its lists' items.
in_page() {
	sed -n 's/^\.It \(Fl .*\)/\1/p' "$1" | grep -oE 'Fl -?[a-zA-Z0-9][a-z0-9-]*' | sed 's/Fl /-/' | LC_ALL=C sort -u
}

common='^(Input|Values|Where to find|Detail of names|Select and transform|General)'

# A synonym that --help leaves out may be in the page, if it is really taken.
is_taken() {
	run "$kiln" "$@" --help
	[[ $output != *"unknown option"* ]]
}

@test "every option that only one command has is in its page, and the other way round" {
	for name in $(commands_of_help); do
		# These have those of draw, whose page has them.
		[[ $name == flamegraph || $name == diff ]] && common="$common|^Picture"
		in_help "$name" "" "$common" >help
		in_page "$docs/kiln-$name.1" >page
		missing=$(comm -23 help page)
		[ -z "$missing" ] || { echo "docs/kiln-$name.1 lacks:" $missing; return 1; }
		for option in $(comm -13 help page); do
			is_taken "$name" "$option" || { echo "docs/kiln-$name.1: there is no $option"; return 1; }
		done
	done
}

@test "every common option is in kiln.1, and the other way round" {
	diff <({ in_help top Input; in_help top Values; in_help top 'Where to find'; in_help top Detail; in_help top Select; in_help top General; } | LC_ALL=C sort -u) \
		<(in_page "$docs/kiln.1")
}

@test "values that a choice takes are in the page" {
	for name in $(commands_of_help); do
		"$kiln" completion fish | sed -n "s/.*from $name' -l \([a-z]*\) .* -x -a '\(.*\)'/\1 \2/p" |
			while read -r option values; do
				[ "$option" = format ] && continue # the readers, told by kiln formats
				[[ $name/$option == flamegraph/* && $option != palette ]] && continue # of draw
				[[ $name/$option == diff/order || $name/$option == diff/colors ]] && continue # of draw
				for value in $values; do
					grep -qw -- "$value" "$docs/kiln-$name.1" ||
						{ echo "kiln-$name.1: --$option $value"; exit 1; }
				done
			done
	done
}

@test "every page is named in kiln.1, is clean, and renders" {
	for page in "$docs"/kiln-*.1; do
		name=$(basename "$page" .1)
		grep -q "Xr $name 1" "$docs/kiln.1"
		mandoc -T lint -W warning "$page"
		mandoc -T ascii "$page" | col -b | grep -q "$name - "
	done
}
