# convert.bats: kiln convert: from any format to any other.
load common

@test "the suffix chooses" {
	"$kiln" convert small.folded -o x.kiln
	[ "$(head -c 5 x.kiln | tail -c 4)" = KILN ]
	"$kiln" convert x.kiln -o y.folded
	cmp y.folded <("$kiln" fold small.folded)
	"$kiln" convert x.kiln -o z.svg
	grep -q '<svg' z.svg
}

@test "--to chooses where no suffix does" {
	cmp <("$kiln" convert small.folded --to folded) <("$kiln" fold small.folded)
	"$kiln" convert small.folded --to kiln | "$kiln" fold - | cmp - <("$kiln" fold small.folded)
	"$kiln" convert small.folded --to folded -o odd.name
	cmp odd.name <("$kiln" fold small.folded)
}

@test "through .kiln and back nothing changes, for every perf case" {
	needs_corpus
	for in in "$corpus"/flamegraph/perf/*.txt; do
		[ -s "$in" ] || continue
		"$kiln" fold -q "$in" >direct || continue
		"$kiln" convert -q "$in" -o there.kiln
		"$kiln" fold -q there.kiln | diff direct - || { echo "$in"; return 1; }
	done
}

@test "a .kiln file is no more readable than what it was made of" {
	umask 022
	"$kiln" convert small.folded -o private.kiln
	[ "$(stat -c %a private.kiln)" = 644 ]
	chmod 600 private.kiln
	"$kiln" convert private.kiln -o again.kiln
	"$kiln" symbolize -q private.kiln -o private.kiln
	"$kiln" draw private.kiln -o picture.svg
	[ "$(stat -c %a again.kiln private.kiln picture.svg | xargs)" = "600 600 644" ]
	"$kiln" convert - -o input.kiln <private.kiln
	"$kiln" convert small.folded -o public.kiln
	"$kiln" diff -q public.kiln private.kiln -o second.kiln
	"$kiln" diff -q private.kiln public.kiln -o first.kiln
	"$kiln" diff -q public.kiln public.kiln -o none.kiln
	[ "$(stat -c %a input.kiln second.kiln first.kiln none.kiln | xargs)" = "600 600 600 644" ]
}

# An ended recorder leaves such a file: an index of no sections.
@test "a .kiln file without samples becomes each of the other formats" {
	cp "$BATS_TEST_DIRNAME/../fuzz/regressions/kiln/index-of-no-sections" empty.kiln
	for to in kiln pprof pprof-plain speedscope cpuprofile csv firefox flamebearer folded html; do
		"$kiln" convert empty.kiln --to $to >out.$to
	done
	for to in kiln pprof pprof-plain html; do
		run -0 --separate-stderr "$kiln" fold out.$to
		[ -z "$output" ]
	done
	run -2 "$kiln" convert empty.kiln --to svg
	[ "$output" = "kiln: nothing to draw: there are no samples, or none is selected" ]
}

@test "no suffix, an unknown one, an unknown format: told what there is" {
	run "$kiln" convert small.folded
	[ "$status" -eq 2 ]
	[[ $output == "kiln: convert: no output format: name an output with -o ("*.folded*"), or use --to FORMAT" ]]
	run "$kiln" convert small.folded -o x.docx
	[ "$status" -eq 2 ]
	[[ $output == "kiln: convert: x.docx: unknown suffix; expected one of "*.svg*", or --to FORMAT" ]]
	[ ! -e x.docx ]
	run "$kiln" convert small.folded --to docx
	[ "$status" -eq 2 ]
	[[ $output == "kiln: convert: --to: expected one of "*", got 'docx'" ]]
}

@test "a binary format is not written to a terminal" {
	on_terminal "NO_COLOR=1 '$kiln' convert small.folded --to kiln"
	failed_with 2 "kiln: convert: standard output is a terminal: name a file with -o, or redirect it"
}

# The labels of all samples of a pprof file that is not compressed, as its strings.
strings_of() {
	tr -c '[:print:]' '\n' <"$1" | grep -xE '(.?(thread|tid|pid|comm|cpu))' | sort -u | xargs
}

@test "a pprof file has the labels that are asked for, and sums what is the same without them" {
	cat >script.txt <<-'END'
		worker 7/8 [001] 1.5: 1 cycles:
		        1000 work (/bin/x)

		worker 7/9 [002] 1.6: 1 cycles:
		        1000 work (/bin/x)

	END
	"$kiln" convert script.txt -o usual.pb
	"$kiln" convert script.txt --labels cpu,tid -o some.pb
	"$kiln" convert script.txt --labels all -o all.pb
	"$kiln" convert script.txt --labels none -o none.pb
	[ "$(strings_of none.pb)" = "" ]
	[ "$("$kiln" info --json none.pb | grep -c '"samples":1,')" -ge 1 ]
	[ "$("$kiln" info --json all.pb | grep -c '"samples":2,')" -ge 1 ]
	"$kiln" fold -q --by-thread all.pb | cmp - <("$kiln" fold -q --by-thread script.txt)
	"$kiln" fold -q --by-thread usual.pb | cmp - <("$kiln" fold -q --by-thread script.txt)
	"$kiln" fold -q --by-cpu some.pb | cmp - <("$kiln" fold -q --by-cpu script.txt)
	run "$kiln" convert script.txt --labels thread,colour -o x.pb
	failed_with 2 "kiln: convert: --labels: expected some of thread, tid, pid, comm, cpu, or all, or none, separated by commas, got 'thread,colour'"
}

@test "for other programs: Speedscope, Firefox, .cpuprofile; read again they fold the same" {
	for suffix in speedscope.json firefox.json flamebearer.json cpuprofile; do
		"$kiln" convert small.folded -o "x.$suffix"
		python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "x.$suffix"
		"$kiln" fold "x.$suffix" | cmp - <("$kiln" fold small.folded)
		"$kiln" convert small.folded --to "${suffix%.json}" | cmp - "x.$suffix"
	done
}

# Ten minutes of 64 CPUs are some 10^14 cycles; with the six decimals of most formats they exceed 2^63.
@test "values of 10^13 and more stay the same in all formats that are read again" {
	printf 'main;rest 6000000000000\nmain;work 4000000000000\nmain;work;deep 90000000000000\n' >large.folded
	for to in speedscope firefox cpuprofile pprof kiln html; do
		"$kiln" convert large.folded --to $to >large
		cmp <("$kiln" fold large) large.folded
	done
}

@test "through other formats and back nothing changes, for every perf case and every kind" {
	needs_corpus
	for in in "$corpus"/flamegraph/perf/*.txt; do
		[ -s "$in" ] || continue
		"$kiln" fold -q --all "$in" >direct || continue
		for suffix in speedscope.json firefox.json cpuprofile; do
			"$kiln" convert -q "$in" -o "there.$suffix"
			"$kiln" fold -q --all "there.$suffix" | diff direct - || { echo "$in $suffix"; return 1; }
		done
	done
}

@test "files and lines go along; transforms are applied first" {
	cat >lines.txt <<-'END'
	app 12/13 [001] 4.5: 10 cycles:
	    4005 work+0x5 (/bin/app)
	  src/work.c:42
	    4000 main+0x0 (/bin/app)
	  src/main.c:7

	END
	for suffix in speedscope.json firefox.json cpuprofile; do
		"$kiln" convert lines.txt -o "l.$suffix"
		"$kiln" fold --lines "l.$suffix" | grep -qF 'main (main.c:7);work (work.c:42) 10'
		"$kiln" convert lines.txt --drop main -o "d.$suffix"
		[ "$("$kiln" fold "d.$suffix")" = 'app;work 10' ]
	done
	"$kiln" fold --by-thread l.firefox.json | grep -q '^app-12/13;'
	"$kiln" fold --by-thread l.speedscope.json | grep -q '^app-12/13;'
}

@test "the boxes of a flame graph for Pyroscope: where they are, how wide, and what is their own" {
	"$kiln" convert small.folded -o x.flamebearer.json
	python3 - <<-'END' | sort | diff - <("$kiln" fold small.folded)
	import json
	document = json.load(open("x.flamebearer.json"))
	graph, below = document["flamebearer"], []
	for level in graph["levels"]:
	    at, boxes = 0, []
	    for distance, total, own, name in zip(*[iter(level)] * 4):
	        at += distance
	        stack = next((b[2] for b in below if b[0] <= at and at + total <= b[1]), None)
	        stack = [] if stack is None else stack + [graph["names"][name]]
	        boxes.append((at, at + total, stack))
	        at += total
	        if own:
	            print(";".join(stack), own)
	    below = boxes
	assert graph["numTicks"] == 100 and graph["maxSelf"] == 40, graph
	END
	printf 'a -1\n' >minus.folded
	run -1 "$kiln" convert minus.folded -o minus.flamebearer.json
	[[ $output == *"a value is negative, which this format cannot have"* ]]
}

@test "a table of samples" {
	printf 'app 12/13 [001] 4.5: 10 cycles:\n\t4005 a,b;c (/bin/app)\n\n' >one.txt
	"$kiln" convert one.txt -o x.csv
	head -1 x.csv | grep -qx 'kind,unit,event,process,pid,thread,tid,cpu,time_ns,duration_ns,value,stack'
	grep -qx 'cycles,cycles,cycles,app,12,app,13,1,4500000000,,10,"app;a,b:c"' x.csv
	python3 - <<-'END' | sort >sums
	import csv, collections
	sums = collections.Counter()
	for row in csv.DictReader(open("x.csv")):
	    sums[row["stack"]] += int(row["value"]) if row["kind"] == "cycles" else 0
	for stack, value in sums.items():
	    print(stack, value)
	END
	"$kiln" fold one.txt | cmp - sums
}

@test "what a format cannot hold is said" {
	printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","name":"n","unit":"bytes","samples":[[0],[0]],"weights":[5,-9]}]}' >minus.json
	run "$kiln" convert minus.json -o minus.cpuprofile
	[ "$status" -eq 1 ]
	[[ $output == *"a value is negative"* ]]
	[ ! -e minus.cpuprofile ]
	"$kiln" convert minus.json -o minus.speedscope.json
	"$kiln" fold minus.speedscope.json | grep -qx 'a -4'
}

@test "the two sides of a difference stay apart" {
	printf '%s\n' 'a;b 3 5' 'b 0 2' >both.folded
	for suffix in folded kiln pb.gz speedscope.json firefox.json flamebearer.json; do
		"$kiln" convert both.folded -o "both.$suffix"
		"$kiln" fold "both.$suffix" | diff both.folded -
	done
	"$kiln" convert both.folded -o both.csv
	grep -qx 'samples:after,count,,,,,,,,,5,a;b' both.csv
	grep -q '"name":"samples:before"' both.speedscope.json
}

@test "a part of a profile has the stacks of that part only" {
	for i in 0 1 2 3; do
		printf 'app 7 [000] 10.%d00000: 1 cycles:\n\t7f0%d f%d+0x1 (/bin/app)\n\t7f09 main+0x1 (/bin/app)\n\n' "$i" "$i" "$i"
	done >times.txt
	"$kiln" convert -q --time 0.1..0.3 times.txt -o part.kiln
	run -0 "$kiln" fold -q part.kiln
	diff - <<<"$output" <(printf '%s\n' 'app;main;f1 1' 'app;main;f2 1')
	[ "$("$kiln" info -q --json part.kiln | jq .tree_nodes)" -eq 4 ] # app, main and the two
}
