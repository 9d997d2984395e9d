# jfr.bats: recordings of Java Flight Recorder, against what make.py put into them, and one of JDK 17 against what
# `jfr print` says of it.
load common
golden=$golden/jfr

# kinds FILE [OPTION...]: what all kinds of kinds.folded fold to.
kinds() {
	local kind
	for kind in $(cut -d ' ' -f 1 "$golden/kinds.folded" | sort -u); do
		"$kiln" fold -q --kind "$kind" "${@:2}" "$1" | sed "s/^/$kind /"
	done | LC_ALL=C sort
}

refused() {
	refused_as "$2" "$1" --format jfr
}

# header [SIZE [VERSION [RATE]]]: the header of a chunk, with integers that are not compressed.
header() {
	printf 'FLR\0'
	printf "%b" "$(printf '%04x0001%016x%032x%016x%016x%016x%016x%08x' "${2:-2}" "${1:-0}" 0 1000000000 0 0 "${3:-1000}" 0 | sed 's/../\\x&/g')"
}

@test "the files are what make.py makes" {
	made 'recorded.*'
}

@test "integers that are compressed and that are not; plain, compressed, through a pipe" {
	for file in compressed plain; do
		kinds "$golden/$file.jfr" | diff <(LC_ALL=C sort "$golden/kinds.folded") -
		"$kiln" fold -q --kind running "$golden/$file.jfr" | sed 's/^/running /' | diff <(grep '^running' "$golden/kinds.folded") -
		for tool in cat gzip zstd xz; do
			command -v "$tool" >/dev/null || continue
			$tool <"$golden/$file.jfr" | "$kiln" fold -q --kind allocated - | sed 's/^/allocated /' |
				diff <(grep '^allocated' "$golden/kinds.folded") -
		done
	done
}

@test "a recording of JDK 17: each stack, line and value as jfr print says" {
	# tests/perf/programs/Recorded.java for 1,200 ms, with the events of these kinds alone in its settings; jfr_print.py
	# wrote recorded.folded.
	for kind in $(cut -d ' ' -f 1 "$golden/recorded.folded" | sort -u); do
		"$kiln" fold -q --lines --by-thread --kind "$kind" "$golden/recorded.jfr.gz" | sed -E "s|^([^;]*)-[0-9]+/[0-9]+;|$kind \1;|"
	done | LC_ALL=C sort | diff <(LC_ALL=C sort "$golden/recorded.folded") -
	"$kiln" fold -q "$golden/recorded.jfr.gz" | awk '/heavy;Recorded.spin / { a = $NF } /light;Recorded.spin / { b = $NF }
		END { exit !(a > 2 * b && a < 4.5 * b) }'
}

@test "what a recording says about itself: times, threads, the process, losses" {
	"$kiln" info --json "$golden/compressed.jfr" >info
	python3 - <<-'PY'
	import json
	info = json.load(open("info"))
	meta = info["meta"]
	assert meta["started"] == "2023-11-14T22:13:20Z" and meta["command"] == "/srv/App x", meta
	assert info["threads"] == 2 and info["processes"] == 1, info
	first = info["streams"][0]
	assert (first["kind"], first["unit"], first["delivered"], first["losses"]) == (
		"cpu", "ns", 2, {"lost by the sampler": 3}), first
	assert [(s["kind"], s["event"], s["sum"]) for s in info["streams"] if s["kind"] == "samples"] == [
		("samples", "cpu-time", 2), ("samples", "running", 9), ("samples", "waiting", 1)], info["streams"]
	PY
	"$kiln" fold -q --by-thread --lines --kind running "$golden/compressed.jfr" |
		grep -F 'worker-1-4711/12;java.lang.Thread.run (Thread:840);App$Inner.工😀 (App:15) 1'
	"$kiln" convert -q -o x.csv --kind park "$golden/compressed.jfr"
	# A duration of 3 ticks, and a start before the chunk's.
	grep -F 'park,ns,,App,4711,worker-1,12,,1699999999999999850,1,1,' x.csv
}

@test "a range of time" {
	sum() { "$kiln" fold -q --kind "$1" "${@:2}" "$golden/recorded.jfr.gz" | awk '{ n += $NF } END { print n + 0 }'; }
	for kind in running allocation-samples; do
		first=$(sum "$kind" --time ..0.6) second=$(sum "$kind" --time 0.6..)
		[ "$first" -gt 0 ]
		[ "$second" -gt 0 ]
		[ "$((first + second))" -eq "$(sum "$kind")" ]
	done
}

@test "kinds of frames, and modules" {
	for kind in running waiting; do
		"$kiln" top -q --json --kind "$kind" "$golden/compressed.jfr" >"$kind"
	done
	python3 - <<-'PY'
	import json
	rows = {row["function"]: (row["kind"], row["module"])
		for name in ("running", "waiting") for row in json.load(open(name))["functions"]}
	assert rows == {
		"App.w\u00f6rk": ("inlined", ""), "App.loop": ("jit", ""), "App.main": ("interpreted", ""), "App.deep": ("jit", ""),
		"App.serve": ("interpreted", ""), "App$Inner.\u5de5\U0001f600": ("baseline", ""),
		"java.lang.Thread.run": ("interpreted", "java.base"), "sun.nio.ch.EPoll.wait": ("native", "java.base"),
		"read": ("native", "libc.so.6"), "do_syscall": ("kernel", "[kernel]"),
		"[no stack]": ("meta", "")}, rows
	PY
}

@test "what is missing or cannot be right is told" {
	run --separate-stderr "$kiln" fold "$golden/plain.jfr"
	[ "$status" -eq 0 ]
	echo "$stderr"
	grep -qx "kiln: $golden/plain.jfr: 1 of 25 events skipped, first at byte 15092: expected a duration of at most 2^62 ns" <<<"$stderr"
	grep -qx "kiln: $golden/plain.jfr: 1 of 23 samples have stacks that the recorder cut: record with a larger stackdepth" <<<"$stderr"
	grep -qx "kiln: $golden/plain.jfr: samples whose stack is not in the file: 1" <<<"$stderr"
	grep -qx "kiln: $golden/plain.jfr: the recorder lost events of 4096 bytes" <<<"$stderr"
}

@test "of a recording that was cut, the chunks before the cut are read" {
	head -c 9000 "$golden/compressed.jfr" >cut.jfr
	run --separate-stderr "$kiln" fold --kind running cut.jfr
	echo "$stderr"
	[ "$status" -eq 0 ]
	[ "$(echo "$output" | awk '{ n += $NF } END { print n }')" -eq 6 ]
	grep -q "chunks skipped: 1, first at byte [0-9]*: expected metadata" <<<"$stderr"
	# Samples whose stack is behind the cut are shown without it, also one of a thread that waits.
	head -c 4500 "$golden/compressed.jfr" >cut.jfr
	run --separate-stderr "$kiln" fold --kind running cut.jfr
	echo "$stderr"
	[ "$(echo "$output" | awk '{ n += $NF } END { print n }')" -eq 7 ]
	grep -q "the chunk at byte 0 has no end: what is behind its last complete event is missing" <<<"$stderr"
	# A file in the middle of which bytes are damaged: what is behind them in the same chunk is missing.
	{ head -c 3000 "$golden/compressed.jfr"; printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; tail -c +3017 "$golden/compressed.jfr"; } >damaged.jfr
	run --separate-stderr "$kiln" fold --kind running damaged.jfr
	echo "$stderr"
	[ "$status" -eq 0 ]
	[ -n "$output" ]
}

@test "damage is told with its place" {
	printf 'FLR\0\0\2' >short.jfr
	refused short.jfr 'byte 6: unexpected end: expected the rest of a chunk'\''s header of 68 bytes'
	printf 'FLX\0' >other.jfr
	refused other.jfr 'byte 0: expected a chunk, which starts with FLR\0'
	header 0 1 >old.jfr
	refused old.jfr "byte 4: expected version 2 of Flight Recorder's format, got 1.1; record with JDK 11 or later"
	header 0 2 0 >stopped.jfr
	refused stopped.jfr 'byte 56: expected 1 to 10,000,000,000 ticks per second'
	header 68 >empty.jfr
	refused empty.jfr 'byte 68: unexpected end: expected the metadata of the chunk at byte 0; the recording did not end: record with dumponexit=true, or use jcmd PID JFR.dump'
	head -c 1000 "$golden/compressed.jfr" >cut.jfr
	refused cut.jfr 'byte 1000: unexpected end: expected the metadata of the chunk at byte 0; the recording did not end: record with dumponexit=true, or use jcmd PID JFR.dump'
}
