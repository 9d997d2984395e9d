# otlp_json.bats: OpenTelemetry's profiles as JSON: the same as their messages.
load common
messages=$golden/otlp
golden=$golden/otlp-json

folds() {
	"$kiln" fold -q --no-cache "$@"
}

# refused_json LINE: standard input is refused with these words and no other.
refused_json() {
	cat >input.json
	refused_as "$1" input.json --format otlp-json
}

@test "the files are what make.py makes" {
	made '*.folded' period.json
}

@test "as the message is, whatever its style; plain, compressed, through a pipe" {
	for file in everything dictionary-first plain; do
		folds --all "$golden/$file.json" | diff "$golden/everything.folded" -
		gzip -c "$golden/$file.json" | folds --all - | diff "$golden/everything.folded" -
		"$kiln" convert -q "$golden/$file.json" -o json.kiln
		"$kiln" convert -q "$messages/everything.otlp" -o message.kiln
		cmp message.kiln json.kiln
	done
}

@test "any profile is the same as its message" {
	python3 -B "$golden/make.py" many 40
	for message in many/*.otlp; do
		"$kiln" convert -q "$message" -o message.kiln
		for json in "${message%.otlp}".json "${message%.otlp}".plain.json; do
			"$kiln" convert -q "$json" -o json.kiln
			cmp message.kiln json.kiln
		done
	done
	[ "$(ls many/*.otlp | wc -l)" -eq 40 ]
}

@test "several objects, each with its own dictionary, one behind the other" {
	cat "$golden/everything.json" "$golden/plain.json" "$golden/everything.json" >three.json
	folds --all three.json | awk '{ n = $NF / 3; sub(/ [0-9]+$/, ""); print $0, n }' |
		diff "$golden/everything.folded" -
}

# From a pipe, one thread reads all.
as_from_a_pipe() {
	local piped=0 read=0

	"$kiln" fold --no-cache --format otlp-json - <"$1" >piped 2>piped.told || piped=$?
	"$kiln" fold --no-cache --format otlp-json "$1" >read 2>read.told || read=$?
	[ "$piped" -eq "$read" ]
	cmp piped read
	diff <(sed 's/<stdin>//' piped.told) <(sed "s|$1||" read.told)
}

@test "samples of large files are made messages ahead, where that is what they are" {
	for shape in one several spaced unread cut damaged; do
		python3 -B "$BATS_TEST_DIRNAME/otlp_large.py" "$shape" >large.json
		[ "$(stat -c %s large.json)" -gt $((16 << 20)) ]
		as_from_a_pipe large.json
	done
	grep -F "line 240002, byte" read.told
}

@test "what refers to nothing, and samples that cannot be, are counted and told" {
	told "$golden/odd.json" "$golden/odd.folded" \
		"4 of 6 samples skipped, first at sample 3: expected a stack of at most 1,048,576 frames, with locations that the file has" \
		"references to missing dictionary entries: 3"
}

@test "damage is told with its place" {
	head -c 100 "$golden/everything.json" | refused_json "line 1, byte 100: unexpected end of input; expected ',' or '}'"
	echo '{"resourceProfiles": []}' | refused_json "line 2: unexpected end: expected a profile"
	echo '{"resourceProfiles": 7}' | refused_json "line 1, byte 21: expected an object, got '7'"
	echo '{"dictionary": {"mappingTable": [{"memoryStart": "0x10"}]}}' | refused_json "line 1, byte 55: expected a number, got a string before this"
	echo '{"dictionary": {"linkTable": [{"traceId": "xyz0"}]}}' | refused_json "line 1, byte 48: expected hexadecimal digits in the string before this"
	echo '{"dictionary": {"attributeTable": [{"value": {"bytesValue": "a*"}}]}}' | refused_json "line 1, byte 64: expected base64 in the string before this"
	echo '{"dictionary": {"attributeTable": [{"value": {"doubleValue": "much"}}]}}' | refused_json "line 1, byte 67: expected a number, got a string before this"
	echo '{"resourceProfiles": [{"scopeProfiles": [{"profiles": [{"samples": [{"stackIndex": 1, "values": [5]}]}]}]}]}' |
		refused_json "sample 1: expected a stack of at most 1,048,576 frames, with locations that the file has"
	cat "$golden/everything.json" - <<<'[]' | refused_json "line 2, byte 3532: expected the end of the input, got '['"
}

# OpenTelemetry's eBPF profiler: 20 samples a second of CPU time. A sample with times is one observation a time.
@test "samples with a period of time are shown as time, and counted alike by all commands" {
	folds "$golden/period.json" | diff <(printf 'rest 150000000\nwork 200000000\n') -
	folds --kind samples "$golden/period.json" | diff <(printf 'rest 3\nwork 4\n') -
	"$kiln" info "$golden/period.json" | grep -q '^cpu  *350 ms in 7 samples (shown)$'
	[ "$("$kiln" top "$golden/period.json" | head -1)" = "350 ms in 7 samples" ]
	sed 's/"period": "50000000"/"period": "9000000000000000000"/' "$golden/period.json" >long.json
	[ "$("$kiln" top long.json | head -1)" = "7 samples" ]
	# Without a period, waits: 4 + 3 of unit ns, in 3 + 1 observations.
	sed 's/"count"/"nanoseconds"/; /"periodType"/,/^ *}/d; /"period"/d' "$golden/period.json" >waits.json
	"$kiln" info waits.json | grep -q '^samples  *7 ns in 4 samples (shown)$'
	[ "$("$kiln" top waits.json | head -1)" = "7 ns in 4 samples" ]
}
