# info.bats: kiln info: what is in a profile?
load common

@test "folded text: samples, stacks, depth" {
	run -0 "$kiln" info small.folded
	diff - <<<"$output" <(cat <<-'END'
	stacks        7 nodes in the call tree, at most 5 frames deep
	samples       100 samples in 4 stacks (shown)
	END
	)
}

@test "--json is JSON with everything" {
	run -0 "$kiln" info --json small.folded
	python3 - "$output" <<-'END'
	import json, sys
	info = json.loads(sys.argv[1])
	assert info["deepest"] == 5 and info["tree_nodes"] == 7, info
	(stream,) = info["streams"]
	assert stream["kind"] == "samples" and stream["sum"] == 100 and stream["lost"] == 0, stream
	END
}

@test "truncated stacks are counted by reason" {
	printf '%s\n' 'a;[truncated:no-table];b 3' 'a;[truncated:no-table];c 1' 'a;[truncated:stack-short] 1' \
		'a;b 5' >cut.folded
	run -0 "$kiln" info cut.folded
	grep -qx '50.00% of samples have stacks that are not complete' <<<"$output"
	grep -qx ' *40.00  \[truncated:no-table\]' <<<"$output"
	grep -qx ' *10.00  \[truncated:stack-short\]' <<<"$output"
}

@test "code without symbols is named" {
	printf '%s\n' 'a;[libx.so] 3' 'a;b 1' >bare.folded
	run -0 "$kiln" info bare.folded
	grep -qx '75.00% of samples end in code without symbols' <<<"$output"
	grep -qx ' *75.00  \[libx.so\]' <<<"$output"
}

@test "several events of perf script text are all told" {
	needs_corpus
	run -0 "$kiln" info "$corpus/flamegraph/perf/perf-cycles-instructions-01.txt"
	grep -q 'event cycles' <<<"$output"
	grep -q 'event instructions' <<<"$output"
}

@test "what was skipped is told in the notes" {
	printf 'a;b 3\nnonsense\n\na 1\n' >odd.folded
	run -0 --separate-stderr "$kiln" info odd.folded
	grep -qE '^note .*1 of .*skipped.*line 2' <<<"$output"
	[ -z "$stderr" ]
}

@test "a module in brackets of its own has one pair of them" {
	printf '%s\n' 'a;[[vdso]] 3' 'a;b 1' >vdso.folded
	run -0 "$kiln" info vdso.folded
	grep -qx ' *75.00  \[vdso\]' <<<"$output"
}

@test "long names of kinds are whole" {
	printf 'x 7 1.0: 1000 context-switches:\n\t10 f (/a)\n\n' >switches.txt
	run -0 "$kiln" info switches.txt
	grep -q '^context-switches  1,000 context-switches in 1 sample' <<<"$output"
}

@test "times may begin at 0" {
	printf 'x 7 %s: 5 cycles:\n\t10 f (/a)\n\n' 0.0 0.0 2.0 >times.txt
	run -0 "$kiln" info times.txt
	grep -qx 'time span     2.00 s' <<<"$output"
}

@test "a time that is none is told, and nothing is written that could not be read" {
	printf 'x 7 %s: 5 cycles:\n\t10 f (/a)\n\n' 1.0 4611686018.427387904 >times.txt
	run -2 "$kiln" convert -o times.kiln times.txt
	[ "$output" = "kiln: times.txt: sample 2: its time, 4611686018427387904 ns, is above 2^62 ns" ]
	[ ! -e times.kiln ]
	printf 'x 7 %s: 5 cycles:\n\t10 f (/a)\n\n' 1.0 4611686018.427387903 >times.txt
	"$kiln" convert -q -o times.kiln times.txt
	run -0 "$kiln" info times.kiln
	grep -q '^time span ' <<<"$output"
}

@test "the two sides of a difference are told apart" {
	printf 'main;work 30 50\n' >two.folded
	run -0 "$kiln" info two.folded
	[[ "$output" == *"30 samples in 1 stack, before (shown)"* ]]
	[[ "$output" == *"50 samples in 1 stack, after"* ]]
	"$kiln" info --json two.folded | python3 -c 'import json, sys
sides = [(s["side"], s["sum"]) for s in json.load(sys.stdin)["streams"]]
assert sides == [(1, 30), (2, 50)], sides'
}
