# producers_json.bats: Node.js and Chromium write profiles of programs whose shares are known, and
# Speedscope reads what Kiln writes: do all of them agree?
bats_require_minimum_version 1.5.0

setup() {
	kiln=${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}
	here=$BATS_TEST_DIRNAME
	cd "$BATS_TEST_TMPDIR" || return
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
}

teardown() {
	[ -z "${running:-}" ] || kill "$running" 2>/dev/null || true
}

need() {
	command -v "$1" >/dev/null || skip "needs $1"
}

need_speedscope() {
	need node
	need chromium
	[ -d "$here/../browser/node_modules/speedscope" ] || skip "needs a browser driver and speedscope (npm)"
}

# share PATTERN LEAST MOST [OF]: that much of the folded lines with OF has a frame that matches.
share() {
	awk -v part="$1" -v least="$2" -v most="$3" -v of="${4:-.}" '
		$0 ~ of { all += $NF; if ($0 ~ part) some += $NF }
		END { printf "%s: %.1f%% of %d\n", part, all ? some * 100 / all : 0, all
			exit !(all && some * 100 / all >= least && some * 100 / all <= most) }' folded
}

# as_had PATTERN NAME: folded lines with it have the share that the program says this function has had.
as_had() {
	local percent
	percent=$(awk -v name="$2" '{ all += $2 } $1 == name { its = $2 } END { printf "%d", its * 100 / all }' had)
	echo "$2 has had $percent%"
	share "$1" $((percent - 8)) $((percent + 8)) ';spin'
}

recorded_by_node() {
	node --cpu-prof --cpu-prof-interval 500 --cpu-prof-name=shares.cpuprofile "$here/programs/shares.js" >had
}

@test "node --cpu-prof: known shares, files and lines, the whole time" {
	need node
	recorded_by_node
	"$kiln" fold -q shares.cpuprofile >folded
	as_had ';heavy;' heavy
	as_had ';light;' light
	as_had '[(]anonymous[)] [^;]*shares.js:[0-9:]*;spin' anonymous
	"$kiln" fold -q --lines shares.cpuprofile | grep -qF ';heavy (shares.js:10);spin (shares.js:3)'
	# All samples, and all time from the first one on, idle time included; the last one lasts the average, or until
	# the end.
	python3 - "$kiln" <<-'END'
	import itertools, json, subprocess, sys
	profile = json.load(open("shares.cpuprofile"))
	def total(kind):
	    lines = subprocess.run([sys.argv[1], "fold", "-q", "--idle", "--kind", kind, "shares.cpuprofile"],
	                           capture_output=True, text=True, check=True).stdout.splitlines()
	    return sum(int(line.rsplit(" ", 1)[1]) for line in lines)
	assert total("samples") == len(profile["samples"])
	times = list(itertools.accumulate(profile["timeDeltas"], initial=profile["startTime"]))[1:]
	between = (max(times) - min(times)) * 1000
	rest = (profile["endTime"] - max(times)) * 1000
	assert total("cpu") == between + min(rest, between // (len(times) - 1))
	END
}

@test "node --heap-prof: known shares, and the bytes of all nodes" {
	need node
	node --heap-prof --heap-prof-interval=16384 --heap-prof-name=blocks.heapprofile "$here/programs/blocks.js"
	"$kiln" fold -q blocks.heapprofile >folded
	cat folded
	share 'twoThirds' 62 71 'third|twoThirds'
	[ "$(awk '{ sum += $NF } END { print sum }' folded)" -eq "$(node -p 'const sum = node => node.children.reduce((all, child) => all + sum(child), node.selfSize);
		sum(JSON.parse(require("fs").readFileSync("blocks.heapprofile")).head)')" ]
}

@test "a heap snapshot of node with allocation stacks: known shares, and the sums of its tables" {
	need node
	node "$here/programs/blocks.js" blocks.heapsnapshot
	"$kiln" fold -q --kind alloc_space blocks.heapsnapshot >folded
	share 'twoThirds' 65 68 'third|twoThirds'
	for kind in inuse_space inuse_objects alloc_space alloc_objects; do
		echo "$kind $("$kiln" fold -q --kind $kind blocks.heapsnapshot | awk '{ sum += $NF } END { print sum }')"
	done | diff <(node -e '
		const h = JSON.parse(require("fs").readFileSync("blocks.heapsnapshot")), fields = h.snapshot.meta.node_fields;
		let inuse = 0, sizes = 0, counts = 0;
		for (let i = 0; i < h.nodes.length; i += fields.length)
			inuse += h.nodes[i + fields.indexOf("self_size")];
		const walk = nodes => { for (let i = 0; i < nodes.length; i += 5) {
			counts += nodes[i + 2]; sizes += nodes[i + 3]; walk(nodes[i + 4]); } };
		walk(h.trace_tree);
		console.log(`inuse_space ${inuse}\ninuse_objects ${h.snapshot.node_count}\nalloc_space ${sizes}\nalloc_objects ${counts}`);') -
}

@test "node --trace-events-enabled: the time that its events cover" {
	need node
	node --trace-events-enabled --trace-event-categories v8,node.environment,node.bootstrap "$here/programs/shares.js"
	"$kiln" fold node_trace.1.log >folded
	grep -qE '^node-[0-9]+;' folded
	covered node_trace.1.log wall
}

# covered FILE KIND: the values are, in all, the time that X events, B and E events of each thread cover.
covered() {
	python3 - "$1" <<-'END' >events
	import collections, json, sys
	threads = collections.defaultdict(list)
	begun = collections.defaultdict(list)
	for event in sorted(json.load(open(sys.argv[1]))["traceEvents"], key=lambda event: event.get("ts", 0)):
	    thread = event["pid"], event["tid"]
	    if event.get("ph") == "X":
	        threads[thread].append((event["ts"], event["ts"] + event.get("dur", 0)))
	    elif event.get("ph") == "B":
	        begun[thread].append(event["ts"])
	    elif event.get("ph") == "E" and begun[thread]:
	        threads[thread].append((begun[thread].pop(), event["ts"]))
	covered = 0
	for spans in threads.values():
	    end = 0
	    for start, stop in sorted(spans):
	        covered += max(0, stop - max(start, end))
	        end = max(end, stop)
	print(covered)
	END
	"$kiln" fold -q --kind "$2" "$1" | awk -v events="$(cat events)" '
		{ all += $NF } END { printf "%.0f ns, events %.0f us\n", all, events
			exit !(all >= events * 999 && all <= events * 1010) }'
}

@test "chromium --trace-startup: known shares of a page, the time that events cover" {
	need chromium
	chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
		--user-data-dir="$PWD/user" --trace-startup=toplevel,disabled-by-default-v8.cpu_profiler \
		--trace-startup-format=json --trace-startup-file="$PWD/trace.json" --trace-startup-duration=6 \
		"file://$here/programs/shares.html" >said 2>&1 3>&- &
	running=$!
	for ((i = 0; i < 120; i++)); do
		sleep 0.5
		[ ! -s trace.json ] || python3 -c 'import json; json.load(open("trace.json"))' 2>/dev/null || continue
		[ ! -s trace.json ] || break
	done
	kill $running && wait $running || true
	running=
	"$kiln" fold -q trace.json >folded
	share ';heavy' 55 78 ';(heavy|light)'
	grep -q '^Renderer-[0-9]*;CrRendererMain-[0-9]*;' folded
	"$kiln" fold -q --lines trace.json | grep -qF ';heavy (shares.html:'
	covered trace.json wall
	gzip -c trace.json | "$kiln" fold -q - | cmp - folded
}

@test "speedscope: what Kiln writes is as its schema says" {
	need_speedscope
	recorded_by_node
	printf 'a;b 1\na;c 2.5\n' >x.folded
	"$kiln" convert -q shares.cpuprofile -o shares.speedscope.json
	"$kiln" convert -q x.folded -o x.speedscope.json
	node "$here/speedscope.mjs" --schema shares.speedscope.json x.speedscope.json
	echo '{"$schema":"x"}' >bad.json
	run -1 node "$here/speedscope.mjs" --schema bad.json
}

# Node's profile as V8 wrote them when nodes were a tree.
as_in_2015() {
	python3 - <<-'END'
	import itertools, json
	new = json.load(open("shares.cpuprofile"))
	nodes = {node["id"]: node for node in new["nodes"]}
	def tree(node):
	    call = node["callFrame"]
	    return {"functionName": call["functionName"], "scriptId": call["scriptId"], "url": call["url"],
	            "lineNumber": call["lineNumber"] + 1, "columnNumber": call["columnNumber"] + 1,
	            "hitCount": node["hitCount"], "id": node["id"],
	            "children": [tree(nodes[child]) for child in node.get("children", [])]}
	times = list(itertools.accumulate(new["timeDeltas"], initial=new["startTime"]))[1:]
	json.dump({"head": tree(new["nodes"][0]), "startTime": new["startTime"] / 1e6, "endTime": new["endTime"] / 1e6,
	           "samples": new["samples"], "timestamps": times}, open("old.json", "w"))
	END
}

# The functions with at least 5 percent, as the page shows them and as Kiln lists them.
@test "speedscope itself shows the same times for what Kiln writes and what it reads" {
	need_speedscope
	recorded_by_node
	"$kiln" convert -q shares.cpuprofile -o shares.speedscope.json
	"$kiln" convert -q shares.cpuprofile -o again.cpuprofile
	as_in_2015
	node "$here/speedscope.mjs" shares.speedscope.json again.cpuprofile shares.cpuprofile old.json >shown
	cat shown
	"$kiln" top -q --json shares.cpuprofile >top.json
	"$kiln" fold -q --idle --lines shares.cpuprofile >new
	"$kiln" fold -q --idle --lines old.json | diff new -
	python3 - <<-'END'
	import collections, json
	self = collections.Counter()
	for row in json.load(open("top.json"))["functions"]:
	    self[row["function"]] += row["self"] / 1e9
	rows = [line.rstrip("\n").split(" ", 2) for line in open("shown")]
	for file in ("shares.speedscope.json", "again.cpuprofile", "shares.cpuprofile", "old.json"):
	    mine = {name: float(seconds) for which, seconds, name in rows if which == file}
	    assert "spin" in mine, file
	    for name, seconds in mine.items():
	        assert abs(seconds - self[name]) < 0.02 * self[name] + 0.002, (file, name, seconds, self[name])
	END
}

@test "Firefox's own profile: all samples and CPU time, stacks of a script, the time it took" {
	need firefox-esr
	cat >page.html <<-'END'
	<script>
	function spin(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s }
	function heavy(until) { while (performance.now() < until) spin(300000) }
	function light(until) { while (performance.now() < until) spin(300000) }
	heavy(performance.now() + 1500); light(performance.now() + 500)
	</script>
	END
	mkdir profile
	MOZ_PROFILER_STARTUP=1 MOZ_PROFILER_STARTUP_FEATURES=js,stackwalk,cpu MOZ_PROFILER_STARTUP_FILTERS=GeckoMain \
		MOZ_PROFILER_STARTUP_INTERVAL=5 MOZ_PROFILER_SHUTDOWN=$PWD/shutdown.json timeout 60 \
		firefox-esr --headless --no-remote --profile "$PWD/profile" --screenshot "$PWD/page.png" "file://$PWD/page.html"
	[ -s shutdown.json ] || skip "firefox-esr does not run here"
	python3 - "$kiln" <<-'END'
	import json, subprocess, sys
	def rows(process):
	    for thread in process["threads"]:
	        cpu = thread["samples"]["schema"].get("threadCPUDelta", 99)
	        for row in thread["samples"]["data"]:
	            yield 1, row[cpu] or 0 if cpu < len(row) else 0
	    for other in process["processes"]:
	        yield from rows(other)
	sums = [sum(column) for column in zip(*rows(json.load(open("shutdown.json"))))]
	for kind, expected in zip(("samples", "cpu"), sums):
	    folded = subprocess.run([sys.argv[1], "fold", "-q", "--kind", kind, "shutdown.json"], check=True, capture_output=True).stdout
	    found = sum(int(line.rsplit(b" ", 1)[1]) for line in folded.splitlines())
	    print(kind, found, expected)
	    assert found == expected
	END
	"$kiln" fold -q shutdown.json | grep ';spin' >folded
	share ';heavy;' 65 85
	share ';light;' 15 35
}
