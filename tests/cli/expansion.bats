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
	[[ $stderr == "kiln: "*"$what: more than "*" MB; --max-expansion raises the limit" ]]
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

# pprof's protobuf by hand: one sample with as many labels as the argument says.
labelled() {
	python3 - "$1" <<-'END'
	import sys
	def varint(n):
	    out = b""
	    while n > 127:
	        out, n = out + bytes([n & 127 | 128]), n >> 7
	    return out + bytes([n])
	def number(field, n): return varint(field << 3) + varint(n)
	def part(field, content): return varint(field << 3 | 2) + varint(len(content)) + content
	count = int(sys.argv[1])
	texts = [b"", b"samples", b"count", b"f"] + [b"key%d" % i for i in range(count)]
	sample = number(1, 1) + number(2, 1) + b"".join(part(3, number(1, 4 + i) + number(2, 3)) for i in range(count))
	sys.stdout.buffer.write(part(1, number(1, 1) + number(2, 2)) + part(2, sample) +
	    part(4, number(1, 1) + part(4, number(1, 1))) + part(5, number(1, 1) + number(2, 3)) +
	    b"".join(part(6, text) for text in texts))
	END
}

@test "what is more than a .kiln file may have is refused in other formats, too" {
	labelled 1024 >most.pb
	"$kiln" convert -q -o most.kiln most.pb
	run -0 "$kiln" fold most.kiln
	[ "$output" = "f 1" ]
	labelled 1025 >more.pb
	run -2 "$kiln" convert -o more.kiln more.pb
	[[ "$output" == "kiln: more.pb: a sample with more than 1024 labels; "* ]]
	[ ! -e more.kiln ]
}
