# deep_stacks.bats: stacks of 20,000 frames keep their value and both of their ends, whatever their format.
load common

deep() { # FORMAT
	python3 -B "$BATS_TEST_DIRNAME/deep_stacks.py" "$1" >"$1.in"
}

# The ends of 8,192 frames, with the cut between them. Some formats have frames of a process around it.
@test "the middle of a deep stack is cut out, and told" {
	for format in folded perf-script bcc dtrace pprof go-raw cpuprofile firefox speedscope-sampled flamebearer; do
		echo "$format"
		deep "$format"
		"$kiln" fold --kind samples "$format.in" >out 2>said || "$kiln" fold "$format.in" >out 2>said
		grep -F '1 stack has more than 8,192 frames, up to 20,0' said
		grep -F 'the middle is cut out ([truncated:middle])' said
		awk '{
			value[/truncated:middle/] += $NF
			n = split($0, frames, ";")
			if (/truncated:middle/)
				good = n <= 8192 && n > 8180 && / 1$/ && frames[n] ~ /^inner/ && /(^|;)outer;f0;f1;f2;f3/
			else
				good = /(^|;)outer;beside 2$/
			bad += !good
		} END { exit bad || value[0] != 2 || value[1] != 1 }' <(sed 's/a.out`//g' out)
	done
}

# What begins in more than 8,192 others has no frame, and nothing else changes: its end is not that of another.
@test "the time of very deep spans is in the span at the limit" {
	for format in speedscope-evented chrome-spans; do
		deep "$format"
		"$kiln" fold "$format.in" >out 2>said
		grep -F 'in 8,192 others: their time is that of the innermost of these' said ||
			grep -F 'in more than 8,192 others: their time is that of the innermost of these' said
		run ! grep -E 'close events|without an end|not begun' said
		awk '{
			n = split($0, frames, ";")
			deep += n > 8000 && /(^|;)outer;f0;f1/ ? $NF : 0
			beside += /(^|;)outer;beside [0-9]+$/ ? $NF : 0
		} END { exit !(deep > 0 && beside == 2 * deep && NR == 2) }' out
	done
}

@test "stacks of one recursion that differ in their depth alone become one" {
	awk 'BEGIN { for (n = 20000; n < 20100; n++) { for (i = 0; i < n; i++) printf "f;"; print "end 1" } }' >f.folded
	[ "$("$kiln" fold -q f.folded | wc -l)" -eq 1 ]
	"$kiln" fold -q f.folded | grep -E ';end 100$'
	"$kiln" info f.folded 2>&1 | grep -F '100 stacks have more than 8,192 frames, up to 20,100'
}

# 40,000 stacks whose ends differ from one another: all their ends at full length would be 160 million rows.
@test "the ends of many different deep stacks have a limit of their own" {
	python3 -B - >many.json <<'PY'
import json
names = [str(i) for i in range(48000)]
print(json.dumps({"nodes": [{"id": i + 1, "callFrame": {"functionName": "f" + name, "url": "", "lineNumber": 0,
	"columnNumber": 0}, "children": [i + 2] if i + 2 <= len(names) else []} for i, name in enumerate(names)],
	"startTime": 0, "endTime": 40000, "samples": list(range(8001, 48001)), "timeDeltas": [1] * 40000}))
PY
	"$kiln" info --json many.json >many.info
	grep -F '39,808 stacks have' many.info
	grep -F '"samples":40000' many.info
}
