# malformed.bats: what is damaged in the corpus is refused, or skipped and counted; either way the line is named.
load common

# What is wrong with each of inferno's inputs: the line, or why there is none to name.
damaged() {
	cat <<-'END'
		collapse-dtrace/only-header-lines.txt refused line 2
		collapse-guess/invalid-perf-with-empty-line-after-event-line.txt skipped line 3
		collapse-guess/unknown-format.txt refused unknown format
		collapse-perf/empty-line.txt skipped line 6
		collapse-perf/no-events.txt refused byte 0: empty
		collapse-perf/weird-stack-line.txt skipped line 5
		collapse-sample/bad-stack-line.txt skipped line 22
		collapse-sample/end-before-call-graph-end.txt skipped line 34
		collapse-sample/end-before-call-graph-start.txt refused line 18
		collapse-sample/invalid-samples-field.txt skipped line 22
		collapse-sample/no-four-spaces.txt skipped line 22
		collapse-sample/odd-indentation.txt skipped line 22
		collapse-sample/skipped-indentation.txt skipped line 23
		collapse-sample/stack-line-only-indent-chars.txt skipped line 22
		collapse-vsprof/empty-file.csv refused byte 0: empty
		collapse-vsprof/incorrect-header.csv refused unknown format
		collapse-vsprof/invalid-depth.csv refused line 3
		collapse-vsprof/invalid-function-name.csv refused line 3
		collapse-vsprof/invalid-number-of-calls.csv refused line 3
		collapse-vsprof/missing-function-name.csv refused line 2
		collapse-vtune/bad-stack-line.csv refused line 7
		collapse-vtune/end-before-header.csv refused unknown format
		collapse-vtune/invalid-time-field.csv refused line 2
		collapse-vtune/skipped-indentation.csv refused line 7
		diff-folded/bad_before.txt skipped line 3
		flamegraph/bad-lines/bad-lines.txt skipped line 3
		flamegraph/empty/empty.txt refused byte 0: empty
	END
}

# A header that says nothing can be read by its format's name only.
named() {
	cat <<-'END'
		collapse-guess/unknown-format.txt perf-script line 2
		collapse-vsprof/incorrect-header.csv vsprof line 1
		collapse-vtune/end-before-header.csv vtune line 1
	END
}

# inputs: all that inferno collapses, compares or draws; not its settings, and not what it says of them.
inputs() {
	(cd "$corpus/inferno" && find collapse-* diff-folded flamegraph -type f ! -path '*/results/*' ! -path '*/nameattr/*' \
		! -name '*.svg' ! -name '*.map' | sort)
}

@test "damaged inputs of the corpus name the line, from a file and from a pipe" {
	[ -d "$corpus/inferno" ] || skip "no corpus"
	while read -r file how what; do
		local code=0 said=$what
		[ "$how" = skipped ] && said="lines skipped, first at $what: expected" || code=2
		for input in "$corpus/inferno/$file" -; do
			run -"$code" "$kiln" fold "$input" <"$corpus/inferno/$file"
			grep -qE "^kiln: [^:]*: .*$said" <<<"$output" || { echo "$file: $output"; false; }
		done
	done < <(damaged)
	while read -r file format what; do
		run -2 "$kiln" fold --format "$format" "$corpus/inferno/$file"
		[[ $output == "kiln: $corpus/inferno/$file: $what: "* ]] || { echo "$file: $output"; false; }
	done < <(named)
}

@test "all other inputs of the corpus are read without a line left out" {
	[ -d "$corpus/inferno" ] || skip "no corpus"
	local read=0
	while read -r file; do
		damaged | grep -q "^$file " && continue
		run -0 "$kiln" fold "$corpus/inferno/$file"
		[[ $output != *skipped* ]] || { echo "$file: $output"; false; }
		read=$((read + 1))
	done < <(inputs)
	for file in "$corpus"/flamegraph/perf/*.txt "$corpus"/flamegraph/example-*.txt* "$corpus"/v8/script-*; do
		run -0 "$kiln" fold "$file"
		[[ $output != *skipped* ]] || { echo "$file: $output"; false; }
		read=$((read + 1))
	done
	[ "$read" -gt 40 ]
}
