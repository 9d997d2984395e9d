# expansion.bats: may a small input become anything, however large?
bats_require_minimum_version 1.5.0

setup() {
	kiln=${KILN:?}
	cd "$BATS_TEST_TMPDIR" || return
	export LC_ALL=C.UTF-8
}

# refused WHAT ARGUMENTS...: in one line that names the file and the option.
refused() {
	local what=$1
	shift
	run -2 --separate-stderr "$kiln" "$@"
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "kiln: "*"$what: more than "*" MB; --max-expansion allows more" ]]
}

@test "what is unpacked is bounded" {
	awk 'BEGIN { for (i = 0; i < 200000; i++) print "main;" substr("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1, 20) " 1" }' | gzip >t.gz
	[ "$("$kiln" fold t.gz)" = "main;aaaaaaaaaaaaaaaaaaaa 200000" ]
	refused unpacked fold --max-expansion 512K t.gz
	[[ $stderr == "kiln: t.gz: "* ]]
}

@test "a tree that a transform makes is bounded" {
	awk 'BEGIN { for (i = 0; i < 1000; i++) { s = s (i ? ";" : "") "f" i; print s " 1" } }' >deep.folded
	"$kiln" top --reverse deep.folded >all
	refused "the tree of its stacks" top --reverse --max-expansion 1M deep.folded
	[[ $stderr == "kiln: deep.folded: "* ]]
	"$kiln" top --reverse --max-expansion 64M deep.folded | cmp - all
}

@test "what is written is bounded, and nothing is left behind" {
	awk 'BEGIN { for (i = 0; i < 3000; i++) { s = s (i ? ";" : "") "f"; print s " 1" } }' >deep.folded
	refused "the output" convert --max-expansion 1M -o out.folded deep.folded
	[[ $stderr == "kiln: deep.folded: "* ]]
	[ ! -e out.folded ]
	refused "the output" convert --max-expansion 1M -o out.speedscope.json deep.folded
	"$kiln" convert --max-expansion 3M -o out.folded deep.folded
	[ -s out.folded ]
}

@test "a size is asked for" {
	run -2 "$kiln" fold --max-expansion 0 deep.folded
	[[ $output == *"expected a size above 0"* ]]
}
