# manners.bats: what every command owes to its user, its shell and the next program in the pipe.
load common

lookers=(draw top tree fold info)

@test "no FILE reads profile.kiln" {
	"$kiln" convert small.folded -o profile.kiln
	run -0 "$kiln" fold </dev/null
	[ "$output" = "$("$kiln" fold small.folded)" ]
}

@test "no FILE, nothing piped and no profile.kiln: usage, and what to do" {
	for name in "${lookers[@]}"; do
		run "$kiln" "$name" </dev/null >/dev/null
		run --separate-stderr "$kiln" "$name" -o out </dev/null
		[ "$status" -eq 2 ]
		[[ ${stderr_lines[0]} == "usage: kiln $name"* ]]
		[ "${stderr_lines[-1]}" = "kiln: $name: no FILE given, and there is no profile.kiln or perf.data here: name a FILE, pipe a profile in, or record one with: kiln record -- COMMAND" ]
	done
}

@test "stdin on a terminal: usage, without waiting" {
	on_terminal "NO_COLOR=1 timeout 5 '$kiln' top"
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == "usage: kiln top"* ]]
	on_terminal "NO_COLOR=1 timeout 5 '$kiln' top -"
	[ "$status" -eq 2 ]
	[ "${lines[1]}" = "kiln: top: standard input is a terminal: name a FILE, or pipe a profile into kiln" ]
}

@test "a missing file, a folder, no permission" {
	for name in "${lookers[@]}"; do
		run "$kiln" "$name" missing.kiln -o out
		failed_with 1 "kiln: missing.kiln: cannot open: No such file or directory"
	done
	run "$kiln" top .
	[ "$status" -ne 0 ]
	[[ $output == "kiln: .: "*irectory* ]]
}

@test "two files are one too many" {
	run "$kiln" top small.folded small.folded
	failed_with 2 "kiln: top: expected one FILE, got 'small.folded' and 'small.folded'"
}

@test "unknown options name the nearest" {
	run "$kiln" top --srot self small.folded
	failed_with 2 "kiln: top: unknown option --srot; did you mean --sort?"
	run "$kiln" draw --qqqqqqqqqq small.folded
	failed_with 2 "kiln: draw: unknown option --qqqqqqqqqq; --help lists them"
	run "$kiln" fold -Z small.folded
	failed_with 2 "kiln: fold: unknown option -Z; --help lists them"
	run "$kiln" top --sort
	failed_with 2 "kiln: top: --sort needs an argument: BY"
	run "$kiln" top --csv=yes small.folded
	failed_with 2 "kiln: top: --csv takes no argument"
}

@test "an option may stand behind the file; -- ends the options" {
	[ "$("$kiln" top small.folded -n 1 --csv)" = "$("$kiln" top -n 1 --csv small.folded)" ]
	cp small.folded ./-odd
	[ "$("$kiln" fold -- -odd)" = "$("$kiln" fold small.folded)" ]
}

@test "an empty input" {
	: >empty
	for name in "${lookers[@]}"; do
		run "$kiln" "$name" empty -o out
		failed_with 2 "kiln: empty: byte 0: empty input; expected a profile: check the program that should have written it"
		run "$kiln" "$name" - -o out <empty
		failed_with 2 "kiln: <stdin>: byte 0: empty input; expected a profile: check the program that should have written it"
		[ ! -e out ]
	done
}

@test "binary garbage" {
	tail -c 100000 /bin/ls >garbage
	for name in "${lookers[@]}"; do
		run "$kiln" "$name" garbage -o out
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "kiln: garbage: unknown format; expected one of those that \`kiln formats\` lists (name one with --format)" ]]
	done
}

@test "a damaged compressed file" {
	for tool in gzip zstd xz; do
		cat small.folded /usr/bin/env | $tool -c | head -c 300 >cut
		run "$kiln" fold --format folded cut
		[ "$status" -eq 2 ]
		[[ $output =~ ^kiln:\ cut:\ byte\ [0-9]+:\ truncated\ $tool\ data$ ]]
	done
}

@test "a truncated .kiln is read up to the tear, or refused in one line" {
	needs_corpus
	"$kiln" convert -q "$corpus/flamegraph/perf/perf-cycles-instructions-01.txt" -o whole.kiln
	size=$(stat -c %s whole.kiln)
	for part in 1 9 40 $((size / 3)) $((size / 2)) $((size - 1)); do
		head -c "$part" whole.kiln >torn.kiln
		run "$kiln" top torn.kiln
		[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
		[ "$status" -eq 0 ] || [ "${#lines[@]}" -eq 1 ]
		[[ $output == *torn.kiln:* ]]
	done
}

@test "8,000 frames are drawn, and the ends of 10,000" {
	deep() { python3 -c "print(';'.join(f'f{i}' for i in range($1)), 7)"; }
	deep 8000 >deep.folded
	for name in "${lookers[@]}"; do
		"$kiln" "$name" -q deep.folded -o out
		[ -s out ]
	done
	[ "$("$kiln" fold deep.folded)" = "$(cat deep.folded)" ]
	[ "$("$kiln" top --csv deep.folded | wc -l)" -eq 8001 ]
	deep 10000 >too-deep.folded
	for name in "${lookers[@]}"; do
		run -0 "$kiln" "$name" too-deep.folded -o out
		echo "$output" | cat - out | grep -F '1 stack has more than 8,192 frames, up to 10,000: the middle is cut out'
	done
}

@test "a reader that leaves early ends Kiln silently" {
	seq 20000 | sed 's/.*/main;function_& &/' >many.folded
	for name in fold "tree --min 0" "top -n 0"; do
		run bash -c "set -o pipefail; '$kiln' $name many.folded | head -n 1"
		[ "$status" -eq 141 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "SIGPIPE ignored by the parent makes no difference" {
	seq 200000 | sed 's/.*/main;function_& &/' >many.folded
	run python3 -c 'import signal, subprocess, sys
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
k = subprocess.Popen([sys.argv[1], "fold", "many.folded"], stdout=subprocess.PIPE, restore_signals=False)
k.stdout.read(1); k.stdout.close(); sys.exit(0 if k.wait() == -13 else 1)' "$kiln"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a full disk is told" {
	for name in help version "fold small.folded" "top small.folded" "draw small.folded" "completion bash"; do
		run bash -c "'$kiln' $name >/dev/full"
		failed_with 1 "kiln: <stdout>: cannot write: No space left on device"
	done
	run "$kiln" fold small.folded -o /dev/full
	failed_with 1 "kiln: /dev/full: cannot write: No space left on device"
}

@test "a closed stdout is told, and no file takes its place" {
	run bash -c "'$kiln' fold small.folded >&-"
	failed_with 1 "kiln: <stdout>: cannot write: Bad file descriptor"
	run bash -c "'$kiln' fold small.folded -o out >&- 2>&- <&-"
	[ "$status" -eq 0 ]
	cmp out <("$kiln" fold small.folded)
}

@test "a folder that is not there" {
	run "$kiln" fold small.folded -o no/such/x.folded
	failed_with 1 "kiln: no/such/x.folded: cannot create: No such file or directory"
}

@test "-q silences all but errors" {
	printf 'a;b 3\nnonsense\na;c 1\na;d 1\n' >odd.folded
	run -0 --separate-stderr "$kiln" fold odd.folded
	[[ $stderr == "kiln: odd.folded: "* ]]
	run -0 --separate-stderr "$kiln" fold -q odd.folded
	[ -z "$stderr" ]
	run "$kiln" fold -q missing
	[ "$status" -eq 1 ]
	[ -n "$output" ]
}

@test "--kind: the kinds there are, and the events" {
	needs_corpus
	in=$corpus/flamegraph/perf/perf-cycles-instructions-01.txt
	run "$kiln" top --kind bogus "$in"
	[ "$status" -eq 2 ]
	[[ $output == *": no kind 'bogus' in this profile; it has: samples (instructions), samples (cycles), idle (cycles)" ]]
	run -0 --separate-stderr "$kiln" top "$in"
	[ "$stderr" = "kiln: $in: showing instructions (333 samples); --kind shows another event: cycles (111 samples)" ]
	run -0 --separate-stderr "$kiln" top --kind cycles "$in"
	[ -z "$stderr" ]
	[[ ${lines[0]} == "cycles: 102 samples" ]] # 9 of the 111 are idle
	run -0 --separate-stderr "$kiln" top --kind cycles --idle "$in"
	[[ ${lines[0]} == "cycles: 111 samples" ]]
}

@test "a bad pattern is explained where it is bad" {
	run "$kiln" top --focus 'a(b' small.folded
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "kiln: "*"--focus: "* ]]
}

@test "errors are coloured on a terminal only" {
	on_terminal "'$kiln' drwa"
	[[ $output == *$'\e['* ]]
	on_terminal "NO_COLOR=1 '$kiln' drwa"
	[[ $output != *$'\e['* ]]
}

@test "names cannot steer the terminal" {
	printf 'main;\e[31mred\a;\xc2\x9b31m 5\n' >evil.folded
	for name in top tree fold info; do
		run -0 "$kiln" "$name" --format folded evil.folded
		[[ $output != *$'\e'* && $output != *$'\a'* ]]
	done
	[ -z "$("$kiln" top --format folded evil.folded | grep $'\xc2\x9b')" ]
	[ -z "$("$kiln" tree --format folded evil.folded | grep $'\xc2\x9b')" ]
}

@test "a file that others truncate or overwrite while it is read is read as it was" {
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "main;f" i % 97 ";g" i, i % 7 + 1 }' >wide.folded
	"$kiln" convert wide.folded -o whole.kiln
	"$kiln" draw whole.kiln -o expected.svg
	for change in 'if=/dev/null bs=4096 seek=1' 'if=/dev/zero bs=1M count=1 conv=notrunc' 'if=/dev/null'; do
		cp whole.kiln in.kiln
		rm -f go
		mkfifo go
		# The pipe holds the picture up until somebody reads it; by then the input is mapped.
		"$kiln" draw in.kiln -o go 2>err &
		pid=$!
		until grep -q '/in\.kiln$' "/proc/$pid/maps"; do sleep 0.01; done
		dd $change of=in.kiln status=none
		cat go >got.svg
		wait "$pid"
		cmp got.svg expected.svg
	done
}

@test "a long name does not push the advice out of an error" {
	name=$(printf 'a%.0s' $(seq 130)).txt
	printf 'no format at all\n' >"$name"
	run -2 "$kiln" top "$name"
	[[ $output == "kiln: $name: unknown format; expected one of those that \`kiln formats\` lists (name one with --format)" ]]
	# What has no room lacks its middle: where it failed and what to do are there.
	folder=$(printf 'd%.0s' $(seq 250))
	mkdir -p "$folder/$folder/$folder/$folder"
	cp "$name" "$folder/$folder/$folder/$folder/é"
	run -2 "$kiln" top "$folder/$folder/$folder/$folder/é"
	[[ $output == "kiln: $folder/ddd"*...*"d/é: unknown format; expected one of those that \`kiln formats\` lists (name one with --format)" ]]
	# In the middle of a character nothing is cut.
	run -2 "$kiln" top --kind "$(printf 'é%.0s' $(seq 3000))" small.folded
	printf '%s' "$output" | iconv -f UTF-8 -t UTF-8 >/dev/null
	[[ $output == "kiln: small.folded: "*...*"samples"* ]]
}

@test "options that leave no sample are told, by each command that shows something" {
	for command in top fold tree draw; do
		run --separate-stderr "$kiln" $command --focus 'no such function' small.folded
		[[ "${stderr_lines[0]}" == "kiln: small.folded: no sample is left by the options that select" ]]
	done
	run --separate-stderr "$kiln" top -q --focus 'no such function' small.folded
	[ -z "$stderr" ]
}
