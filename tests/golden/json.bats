# json.bats: profiles in JSON, folded to what was worked out by hand; and what is said of damaged ones.
load common
suffix=json

@test "cpuprofile: a sample lasts until the next one, whatever their order" {
	same cpuprofile/samples --all
	same cpuprofile/back --all
	expected=cpuprofile/samples.idle same cpuprofile/samples --idle --kind samples
	"$kiln" fold --lines -q "$golden/cpuprofile/samples.json" | grep -q 'parse (app.js:12)'
	said 'samples of a node that is not there, skipped: 1' <"$golden/cpuprofile/samples.json"
}

@test "cpuprofile: without samples, functions count how often they were met" {
	same cpuprofile/hits
	run -2 "$kiln" fold --kind cpu "$golden/cpuprofile/hits.json"
}

@test "chrome-trace: self times of nested spans, a thread at a time" {
	same chrome-trace/spans
	said 'E events that end nothing, skipped: 1' <"$golden/chrome-trace/spans.json"
	grep -qF 'X events that outlast the one they begin in, cut off with it: 1' said
	grep -qF 'B events without an end, which last until their thread does: 1' said
	grep -qE '1 events without a time skipped, the first at line 1, byte [0-9]+' said
	same chrome-trace/cut
	said 'the trace breaks off at line' <"$golden/chrome-trace/cut.json"
}

@test "chrome-trace: CPU profiles in pieces come first" {
	same chrome-trace/profile --all
	expected=chrome-trace/profile.wall same chrome-trace/profile --kind wall
	[ "$("$kiln" fold -q --thread '^CrRendererMain' "$golden/chrome-trace/profile.json" | wc -l)" -eq 2 ]
	[ "$("$kiln" fold -q --time 50us.. "$golden/chrome-trace/profile.json" | wc -l)" -eq 1 ]
}

@test "speedscope: samples of every unit, and events" {
	same speedscope/sampled
	expected=speedscope/sampled.bytes same speedscope/sampled --kind bytes
	same speedscope/decimals
	same speedscope/evented
	said 'events that close what is not open' <"$golden/speedscope/evented.json"
	[ "$("$kiln" fold -q --thread two "$golden/speedscope/sampled.json" | wc -l)" -eq 2 ]
}

@test "firefox: tables of each thread, and tables that all share" {
	for name in old shared; do
		expected=firefox/threads same firefox/$name --all
		expected=firefox/threads.cpu same firefox/$name --kind cpu
		expected=firefox/threads.alloc same firefox/$name --kind native-alloc
		"$kiln" fold --lines -q "$golden/firefox/$name.json" | grep -qF 'main (a.c:12);step (a.c:20);JS fn (x.js:5)'
	done
}

@test "damaged JSON: where, and what was expected" {
	refused 'line 1, byte 13: expected '"',' or ']', got '2'" <<<'{"nodes":[ 2 2]}' --format cpuprofile
	refused 'line 2, byte 23: expected a value, got '"'x'" <<<'{"nodes":[],
"samples":x,"timeDeltas":[]}'
	refused 'the input ends where' <<<'{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{'
	refused 'the end, and no sample before it' <<<'{"traceEvents":[]}'
	refused 'the end, and no sample before it' <<<'{"meta":{"preprocessedProfileVersion":50},"threads":[]}'
	refused 'expected an object, got' <<<'{"meta":{"preprocessedProfileVersion":50},"threads":[7]}'
	refused 'the sum of all time deltas exceeds 2^61' --format cpuprofile \
		<<<'{"nodes":[{"id":1}],"samples":[1,1,1],"timeDeltas":[9e15,9e15,9e15]}'
	said 'samples whose nodes call themselves' --format cpuprofile \
		<<<'{"nodes":[{"id":1,"children":[2]},{"id":2,"children":[1]},{"id":3}],"samples":[1,3,2],"timeDeltas":[1,1,1]}'
}
