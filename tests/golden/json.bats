# json.bats: profiles in JSON, folded to what was worked out by hand; and what is said of damaged ones.
load common
suffix=json

@test "bpftrace -f json: all maps, whatever they count" {
	same bpftrace-json/maps
	expected=bpftrace-json/maps.size same bpftrace-json/maps --kind size
	expected=bpftrace-json/maps.stats same bpftrace-json/maps --kind stats
	expected=bpftrace-json/maps.avg same bpftrace-json/maps --kind avg
	said '1 maps without keys skipped, the first at line 6' <"$golden/bpftrace-json/maps.json"
	grep -qF '2 values that are not numbers skipped, the first at line 8' said
	grep -qF 'bpftrace lost 3 events' said
	refused 'line 3, byte 63: unexpected end of input; expected' --format bpftrace-json <<<'{"type":"map","data":{"@":{"a":1}}}
{"type":"map","data":{"@":'
	refused 'unexpected end: expected a sample' <<<'{"type":"attached_probes","data":{"probes":2}}'
	refused 'the sum of all values exceeds 2^63' --format bpftrace-json \
		<<<'{"data":{"@":{"a":9223372036854775807,"b":1}}}'
}

@test "cpuprofile: a sample lasts until the next one, whatever their order" {
	same cpuprofile/samples --all
	same cpuprofile/back --all
	expected=cpuprofile/samples.idle same cpuprofile/samples --idle --kind samples
	"$kiln" fold --lines -q "$golden/cpuprofile/samples.json" | grep -q 'parse (app.js:12)'
	said 'samples with a node that does not exist, skipped: 1' <"$golden/cpuprofile/samples.json"
}

@test "cpuprofile: without samples, functions count how often they were met" {
	same cpuprofile/hits
	run -2 "$kiln" fold --kind cpu "$golden/cpuprofile/hits.json"
}

@test "cpuprofile: the tree that V8 wrote until 2016" {
	same cpuprofile/tree
	same cpuprofile/evenly
	same cpuprofile/counted
	"$kiln" fold -q --lines "$golden/cpuprofile/tree.json" | grep -qF 'main (app.js:4);(anonymous) /srv/app.js:9:2 (app.js:9);work (lib.js:30) 200000'
	[ "$("$kiln" fold -q --idle "$golden/cpuprofile/tree.json" | awk '{ all += $NF } END { print all }')" -eq 900000 ]
	refused 'unexpected end of input; expected' <<<'{"head":{"functionName":"(root)","children":[{"functionName":"a"'
	# As deep as anybody could write them.
	python3 -c 'print("{\"head\":" + "{\"functionName\":\"f\",\"hitCount\":1,\"children\":[" * 3000)' |
		refused 'more than 4096 nested arrays and objects'
}

@test "heapprofile: the bytes of every function" {
	# node --heap-prof --heap-prof-interval=1048576; the selfSize of all nodes, added up by Python: 53673360.
	same heapprofile/push
	same heapprofile/app
	[ "$("$kiln" fold -q "$golden/heapprofile/push.json" | awk '{ n += $NF } END { print n }')" -eq 53673360 ]
	"$kiln" fold -q --lines "$golden/heapprofile/app.json" | grep -Fx 'load (app.js:5);parse (app.js:10) 500'
	refused 'a node has a selfSize below 0; expected bytes' <<<'{"head":{"callFrame":{"functionName":"a"},"selfSize":-1,"id":1}}'
	refused 'unexpected end: expected a sample' <<<'{"head":{"callFrame":{"functionName":"a"},"selfSize":0,"id":1}}'
	refused 'the sum of all values exceeds 2^63' \
		<<<'{"head":{"callFrame":{"functionName":"a"},"selfSize":9223372036854775807,"id":1,"children":[{"callFrame":{"functionName":"b"},"selfSize":1,"id":2}]}}'
}

@test "heapsnapshot: what was allocated, and what of it is in use" {
	# Cut from one of Node.js 20: 38 nodes are left, and the whole trace tree, added up by Python.
	same heapsnapshot/push
	expected=heapsnapshot/push.alloc same heapsnapshot/push --kind alloc_space
	while read -r kind sum; do
		[ "$("$kiln" fold -q --kind "$kind" "$golden/heapsnapshot/push.json" | awk '{ n += $NF } END { print n }')" -eq "$sum" ]
	done <<-'END'
		inuse_space 4080
		inuse_objects 38
		alloc_space 7640176
		alloc_objects 1559
	END
	local meta='"meta":{"node_fields":["self_size","trace_node_id"],"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],"trace_node_fields":["id","function_info_index","count","size","children"]}'
	local functions='"trace_function_infos":[0,0,0,0,0,0,1,1,2,0,7,1]' strings='"strings":["(root)","f","a.js"]'
	[ "$("$kiln" fold -q --lines - <<<"{\"snapshot\":{$meta},\"nodes\":[24,2,8,0],$functions,\"trace_tree\":[1,0,0,0,[2,1,3,72,[]]],$strings}")" = '[no stack] 8
f (a.js:7) 24' ]
	refused 'the snapshot has no allocation stacks; take it with' <<<"{\"snapshot\":{$meta},\"nodes\":[24,0],\"trace_tree\":[],$strings}"
	refused 'expected `node_fields` with' <<<'{"snapshot":{"meta":{"node_fields":["self_size"]}},"nodes":[24,0]}'
	refused 'expected a trace node: id, function, count, size and an array' <<<"{\"snapshot\":{$meta},\"trace_tree\":[1,0,0,-1,[]]}"
	refused 'the sum of all sizes exceeds 2^63' <<<"{\"snapshot\":{$meta},\"nodes\":[9223372036854775807,1,1,1]}"
	refused 'expected an object with a size and a trace node' <<<"{\"snapshot\":{$meta},\"nodes\":[1,-2]}"
	# An id costs what an object costs, however large it is.
	[ "$("$kiln" fold -q - <<<"{\"snapshot\":{$meta},\"nodes\":[8,0,24,9007199254740991],$functions,\"trace_tree\":[1,0,0,0,[9007199254740991,1,3,72,[]]],$strings}")" = '[no stack] 8
f 24' ]
}

@test "d3: values with those of the children, or without" {
	same d3/tree
	# perf script report flamegraph -f json, with fewer samples.
	same d3/perf
	said 'a node has less than its children: the values of all nodes are taken for their own' <"$golden/d3/perf.json"
	"$kiln" convert -q --to speedscope "$golden/d3/perf.json" | grep -q '"frame":"kernel"'
	said 'values that are no whole numbers, rounded: 2' <<<'{"name":"a","value":2.6,"children":[{"name":"b","value":1.2,"delta":4}]}'
	grep -qF '1 differences of a comparison skipped' said
	"$kiln" fold -q input | diff - <(printf '%s\n' 'a 2' 'a;b 1')
	refused 'expected a value from 0 to 2^63' <<<'{"name":"a","value":-1,"children":[]}'
	refused 'the sum of all values exceeds 2^63' <<<'{"name":"a","children":[{"name":"b","value":9223372036854775807},{"name":"c","value":1}]}'
	refused 'expected a sample' <<<'{"name":"a","value":0,"children":[]}'
}

@test "flamebearer: the boxes of Pyroscope, of one side or two" {
	same flamebearer/single
	same flamebearer/double
	"$kiln" info "$golden/flamebearer/double.json" | grep -E '^lock'
	[ "$("$kiln" diff -q "$golden/flamebearer/double.json" --to folded 2>/dev/null | wc -l)" -eq 4 ]
	said 'boxes that are above no other box, skipped with what is above them: 1' \
		<<<'{"flamebearer":{"names":["total","a"],"levels":[[0,9,0,0],[0,5,5,1],[7,2,2,1]]}}'
	"$kiln" fold -q input | diff - <(echo 'a 5')
	refused 'expected 4 numbers for each box of a level' <<<'{"flamebearer":{"names":["total"],"levels":[[0,9,0]]}}'
	refused 'expected boxes with a distance, a width and a part of it that is their own' \
		<<<'{"flamebearer":{"names":["total"],"levels":[[0,9,10,0]]}}'
	refused 'expected a sample' <<<'{"flamebearer":{"names":["total"],"levels":[[0,9,0,0]]}}'
}

@test "chrome-trace: what Hermes samples in React Native" {
	# As ChromeTraceSerializer of facebook/hermes writes it: values are texts, and names have their place.
	same chrome-trace/hermes
	"$kiln" fold -q --lines "$golden/chrome-trace/hermes.json" | grep -qF ';main (index.bundle:12);work (index.bundle:30) 2'
	sed 's/"traceEvents":.*/"traceEvents":[],/' "$golden/chrome-trace/hermes.json" | "$kiln" fold -q - | grep -qx 'process-6052;thread-6105;\[root\];main;work 2'
}

@test "chrome-trace: self times of nested spans, a thread at a time" {
	same chrome-trace/spans
	said 'E events without a matching B event, skipped: 1' <"$golden/chrome-trace/spans.json"
	grep -qF 'events that end after the one that they began in, continued outside it: 1, for 8.00 µs' said
	grep -qF 'B events without an end, extended to the end of their thread: 1' said
	grep -qE '1 events without a time skipped, the first at line 1, byte [0-9]+' said
	same chrome-trace/cut
	said 'the trace is truncated at line' <"$golden/chrome-trace/cut.json"
}

# An E event whose B event is before it in the file, at the same time, ends a span that took no time.
@test "chrome-trace: what begins and ends in one moment takes no time" {
	same chrome-trace/one-moment
	[ -z "$("$kiln" fold "$golden/chrome-trace/one-moment.json" 2>&1 >folded)" ]
}

# Spans of 15 us and of 12 us: what is left of one when the span that it is in ends is not lost.
@test "chrome-trace: spans that overlap keep their time" {
	same chrome-trace/crossing
	said 'continued outside it: 2, for 7.00 µs' <"$golden/chrome-trace/crossing.json"
}

@test "chrome-trace: processes and threads may have names instead of numbers" {
	same chrome-trace/text-ids
	"$kiln" fold -q --by-thread "$golden/chrome-trace/text-ids.json" | grep -q '^main-'
}

# The end is 6 s after the last of four samples, 1 ms each.
@test "cpuprofile: the last sample lasts the average interval, as in DevTools" {
	"$kiln" fold -q "$corpus/field/lateend.cpuprofile" | diff <(printf 'busy 3000000\nlast 1000000\n') -
	"$kiln" info "$corpus/field/lateend.cpuprofile" | grep -q '^cpu  *4.00 ms in 4 samples'
	sed 's/"endTime":[0-9]*/"endTime":4500/' "$corpus/field/lateend.cpuprofile" >early.cpuprofile
	"$kiln" fold -q early.cpuprofile | diff <(printf 'busy 3000000\nlast 500000\n') -
	# What Kiln writes has the end of the last sample, however long that is.
	printf 'a;b 1\na;c 1000\n' >long.folded
	"$kiln" convert -q long.folded -o long.cpuprofile
	"$kiln" fold -q long.cpuprofile | diff long.folded -
}

@test "chrome-trace: CPU profiles in pieces come first" {
	same chrome-trace/profile --all
	expected=chrome-trace/profile.wall same chrome-trace/profile --kind wall
	run -0 --separate-stderr "$kiln" fold "$golden/chrome-trace/profile.json"
	[[ $stderr == *"showing cpu; --kind shows another event: Profile (1 sample), "* ]]
	[ "$("$kiln" fold -q --thread '^CrRendererMain' "$golden/chrome-trace/profile.json" | wc -l)" -eq 2 ]
	[ "$("$kiln" fold -q --time 50us.. "$golden/chrome-trace/profile.json" | wc -l)" -eq 1 ]
}

@test "chrome-trace: samples, and the call stacks that spans begin in" {
	same chrome-trace/frames
	expected=chrome-trace/frames.cycles same chrome-trace/frames --kind cycles
	expected=chrome-trace/frames.wall same chrome-trace/frames --kind wall
	"$kiln" fold -q --lines "$golden/chrome-trace/frames.json" | grep -qF ';[root];render (main.bundle:20) 1'
	said 'call stacks with missing frames, left out: 1' <"$golden/chrome-trace/frames.json"
	grep -qF 'call stacks with cycles, or with more than 8,192 frames, left out: 1' said
	grep -qF '1 events without a time skipped, the first at line 7' said
	"$kiln" fold -q --time 2600us.. --kind cycles "$golden/chrome-trace/frames.json" |
		diff - <(printf '%s\n' 'app-5;thread-6 1' 'process;thread-99;main 1')
}

@test "chrome-trace: a short input does not become any number of stacks" {
	python3 - >input.json <<-'END'
	import json
	frames = {str(i): {"name": "f", **({"parent": i - 1} if i else {})} for i in range(8000)}
	samples = [{"ts": i, "pid": 1, "tid": i, "sf": 7999} for i in range(1000)]
	print(json.dumps({"traceEvents": [], "stackFrames": frames, "samples": samples}))
	END
	said 'call stacks beyond the first 4,194,304 different ones, left out: ' <input.json | tail -n 1
	[ "$(awk '{ all += $NF } END { print all }' folded)" -eq 1000 ]
}

@test "speedscope: samples of every unit, and events" {
	same speedscope/sampled
	expected=speedscope/sampled.bytes same speedscope/sampled --kind bytes
	same speedscope/decimals
	same speedscope/large
	same speedscope/evented
	said 'close events without an open event' <"$golden/speedscope/evented.json"
	[ "$("$kiln" fold -q --thread two "$golden/speedscope/sampled.json" | wc -l)" -eq 2 ]
}

@test "gecko: what Firefox itself writes, with addresses in libraries and scripts" {
	# Cut from what firefox-esr 153 wrote of a page that computes, with MOZ_PROFILER_STARTUP=1,
	# MOZ_PROFILER_SHUTDOWN=file and the features js,stackwalk,cpu: some stacks of two processes; paths
	# are left out, so that no machine has the libraries. Expected is what the Firefox Profiler's
	# processGeckoProfile makes of it, added up by Python.
	same gecko/firefox
	expected=gecko/firefox.cpu same gecko/firefox --kind cpu
	"$kiln" fold -q --lines "$golden/gecko/firefox.json" | grep -qF ';spin_outer (page.html:3);'
	said 'frames without names, in binaries that are not on this machine: ' <"$golden/gecko/firefox.json"
	# Sorted keys have rows before what their columns are, and processes before threads.
	python3 -c 'import json, sys; json.dump(json.load(sys.stdin), sys.stdout, sort_keys=True)' \
		<"$golden/gecko/firefox.json" >sorted.json
	"$kiln" fold -q sorted.json | diff "$golden/gecko/firefox.folded" -
}

@test "gecko: inside of what the tools in Firefox save" {
	{
		printf '{"label": "simple", "markers": [], "profile": '
		cat "$golden/gecko/firefox.json"
		printf ', "fileType": "Recorded Performance Data", "version": 2}'
	} >saved.json
	"$kiln" fold -q saved.json | diff "$golden/gecko/firefox.folded" -
}

# Its meta is as in a raw profile.
@test "firefox: the first processed profiles, without a version, are none of gecko's" {
	cat >processed.json <<-'END'
		{"meta": {"interval": 1, "processType": 0, "startTime": 1460221352723.438, "version": 3},
		 "threads": [{"name": "GeckoMain", "libs": [],
		  "frameTable": {"length": 1, "func": [0], "address": [-1]},
		  "funcTable": {"length": 1, "name": [0], "resource": [-1]},
		  "stackTable": {"length": 1, "prefix": [null], "frame": [0]}, "stringArray": ["work"],
		  "samples": {"length": 2, "stack": [0, 0], "time": [0, 1]}}]}
	END
	"$kiln" fold -q processed.json | grep -q ';work 2$'
}

@test "gecko: addresses in a library that is here have names" {
	local path address start
	path=$(ldd "$kiln" | sed -n 's/.*=> \(.*libc.so.6\) .*/\1/p')
	address=$(nm -D "$path" | sed -n 's/^\(0*[0-9a-f]*\) T qsort\(@.*\)\?$/\1/p' | head -1)
	[ "$address" ] || skip "needs nm and libc"
	start=4096
	cat >raw.json <<-END
	{"meta": {"version": 34, "startTime": 1000, "interval": 1, "processType": 0},
	"libs": [{"name": "libc.so.6", "path": "$path", "start": $start, "end": 99999999, "offset": 0, "codeId": ""}],
	"threads": [{"name": "GeckoMain", "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 2.5], [1, 3]]},
	"stringTable": ["0x$(printf %x $((0x$address + start)))", "0x$(printf %x $((0x$address + start + 1)))"],
	"frameTable": {"schema": {"location": 0}, "data": [[0], [1]]},
	"stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [null, 1]]}}]}
	END
	[[ "$("$kiln" fold -q raw.json)" == "process;GeckoMain;qsort"*" 2" ]]
}

@test "gecko: other formats of Firefox, and damage" {
	# What the Firefox Profiler saved in 2016 is processed already.
	printf '%s' '{"meta": {"version": 3, "startTime": 1, "processType": 0, "interval": 1}, "threads": [{"name": "main",
		"stackTable": {"length": 1, "prefix": [null], "frame": [0]}, "frameTable": {"length": 1, "func": [0]},
		"funcTable": {"length": 1, "name": [0]}, "stringArray": ["main"], "samples": {"length": 2, "stack": [0, 0], "time": [1, 2]}}]}' >2016.json
	[ "$("$kiln" fold -q 2016.json | awk '{ n += $NF } END { print n }')" -eq 2 ]
	cat >raw.json <<-'END'
	{"meta": {"version": 13, "product": "Firefox", "stackwalk": 1}, "threads": [{"name": "GeckoMain",
	"samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 2.5]]}, "stringTable": ["(root)"],
	"frameTable": {"schema": {"location": 0}, "data": [[0]]},
	"stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0]]}}]}
	END
	[ "$("$kiln" fold raw.json)" = "process;GeckoMain;(root) 1" ]
	run -2 "$kiln" info --format firefox raw.json
	[[ "$output" == "kiln: raw.json: a raw profile without meta.preprocessedProfileVersion: read it with --format gecko; "* ]]
	refused 'a profile that the Firefox Profiler has processed: read it with --format firefox' --format gecko \
		<<<'{"meta": {"preprocessedProfileVersion": 50}, "threads": []}'
	sed 's/"schema": {"prefix": 0, "frame": 1}, //' raw.json | refused 'expected the `schema` of a table' --format gecko
	head -c 200 raw.json | refused 'unexpected end of input' --format gecko
	sed 's/"threads": \[/&"{}", /' raw.json | said 'processes that are text inside of the JSON, as Firefox 49 wrote them, skipped: 1'
	sed 's/\[\[0, 2.5\]\]/[[9, 1], [0, 2.5]]/' raw.json | said 'samples with a stack that does not exist, skipped: 1'
	refused 'unexpected end: expected a sample' --format gecko <<<'{"meta": {}, "threads": []}'
}

@test "firefox: tables of each thread, and tables that all share" {
	for name in old shared; do
		expected=firefox/threads same firefox/$name --all
		expected=firefox/threads.cpu same firefox/$name --kind cpu
		expected=firefox/threads.alloc same firefox/$name --kind native-alloc
		"$kiln" fold --lines -q "$golden/firefox/$name.json" | grep -qF 'main (a.c:12);step (a.c:20);JS fn (x.js:5)'
	done
}

@test "firefox: threads are added while others are read, where nothing that they need is to come" {
	for shape in first behind own last; do
		python3 -B "$golden/firefox_large.py" "$shape" >large.json
		for cpus in 0 0,1; do
			taskset -c "$cpus" "$kiln" fold -q --format firefox --kind cpu large.json | diff expected.folded -
		done
		[ "$("$kiln" fold -q --format firefox --kind samples large.json | awk '{ n += $NF } END { print n }')" -eq 80000 ]
	done
	python3 -B "$golden/firefox_large.py" none >large.json
	[ "$("$kiln" info --json large.json | grep -o '"kind":"[a-z]*"')" = '"kind":"samples"' ]
	python3 -B "$golden/firefox_large.py" cut >large.json
	refused 'unexpected end of input; expected' <large.json
}

@test "damaged JSON: where, and what was expected" {
	refused 'line 1, byte 13: expected '"',' or ']', got '2'" <<<'{"nodes":[ 2 2]}' --format cpuprofile
	refused 'line 2, byte 23: expected a value, got '"'x'" <<<'{"nodes":[],
"samples":x,"timeDeltas":[]}'
	refused 'unexpected end of input; expected' <<<'{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{'
	refused 'unexpected end: expected a sample' <<<'{"traceEvents":[]}'
	refused 'unexpected end: expected a sample' <<<'{"meta":{"preprocessedProfileVersion":50},"threads":[]}'
	refused 'expected an object, got' <<<'{"meta":{"preprocessedProfileVersion":50},"threads":[7]}'
	refused 'the sum of all time deltas exceeds 2^61' --format cpuprofile \
		<<<'{"nodes":[{"id":1}],"samples":[1,1,1],"timeDeltas":[9e15,9e15,9e15]}'
	said 'samples with node cycles' --format cpuprofile \
		<<<'{"nodes":[{"id":1,"children":[2]},{"id":2,"children":[1]},{"id":3}],"samples":[1,3,2],"timeDeltas":[1,1,1]}'
}

# Broken, it takes a quarter of an hour.
@test "speedscope: 400,000 profiles without samples before one that has some do not make it hang" {
	python3 -c 'empty = """{"type":"sampled","name":"t","unit":"none","startValue":0,"endValue":0,"samples":[],"weights":[]},"""
print("""{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[""",
      empty * 400000, """{"type":"sampled","name":"t","unit":"none","startValue":0,"endValue":3,"samples":[[0]],"weights":[3]}]}""")' >many.json
	[ "$(timeout 60 "$kiln" fold -q many.json)" = "a 3" ]
}
