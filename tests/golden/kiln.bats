# kiln.bats: .kiln files hold what they were made of, and say so to readers written from the documentation.
load common

@test "a file of version 1 reads as it always has" {
	"$kiln" fold -q "$golden/kiln/small.kiln" | diff "$golden/kiln/small.folded" -
}

@test "a reader written from the documentation sees the same" {
	python3 "$golden/read_kiln.py" "$golden/kiln/small.kiln" | diff "$golden/kiln/small.folded" -
}

@test "both agree on every profile of the corpus" {
	[ -d "$corpus/flamegraph/perf" ] || skip "no corpus"
	count=0
	for text in "$corpus"/flamegraph/perf/*.txt; do
		"$kiln" convert -q -o x.kiln "$text"
		"$kiln" fold -q "$text" >from_text
		"$kiln" fold -q x.kiln | cmp from_text -
		python3 "$golden/read_kiln.py" x.kiln | cmp from_text -
		count=$((count + 1))
	done
	[ "$count" -ge 9 ]
}

@test "writing what was read gives the same bytes" {
	"$kiln" convert -q -o again.kiln "$golden/kiln/small.kiln"
	cmp again.kiln "$golden/kiln/small.kiln"
}

@test "a pipe is as good as a file" {
	"$kiln" fold -q - <"$golden/kiln/small.kiln" | diff "$golden/kiln/small.folded" -
	cat "$golden/kiln/small.kiln" | "$kiln" fold -q - | diff "$golden/kiln/small.folded" -
	gzip <"$golden/kiln/small.kiln" | "$kiln" fold -q - | diff "$golden/kiln/small.folded" -
	zstd -q <"$golden/kiln/small.kiln" >x.zst
	"$kiln" fold -q x.zst | diff "$golden/kiln/small.folded" -
}

@test "a file without its index is read, and that is said" {
	head -c -1 "$golden/kiln/small.kiln" >torn.kiln
	run --separate-stderr "$kiln" fold torn.kiln
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"not finished"* ]]
	diff "$golden/kiln/small.folded" <(echo "$output")
	python3 "$golden/read_kiln.py" torn.kiln | diff "$golden/kiln/small.folded" -
}

@test "damage is refused in one line" {
	cp "$golden/kiln/small.kiln" damaged.kiln
	printf 'X' | dd of=damaged.kiln bs=1 seek=300 conv=notrunc status=none
	run "$kiln" fold damaged.kiln
	echo "$output"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"damaged.kiln: byte "* ]]
}

@test "a filtered profile keeps its times and threads" {
	"$kiln" convert -q --thread 4243 -o part.kiln "$golden/kiln/small.kiln"
	"$kiln" fold -q part.kiln >part
	grep -q 'worker_one;main;work;größe 250000' part
	run ! grep -q demo part
	"$kiln" fold -q --time ..1ms part.kiln | diff - <(echo 'worker_one;main;work;größe 250000')
	"$kiln" fold -q --by-thread part.kiln | grep -q '^worker one-4242/4243;main'
}
