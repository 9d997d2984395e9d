# agreement.bats: fold, top, tree, info and the picture tell the same numbers about the same input.
load common

# Every number of top, tree and the picture, checked against fold's lines, counted by this program.
check() {
	"$kiln" fold -q "$@" >folded
	"$kiln" top -q --csv "$@" >top.csv
	"$kiln" tree -q --min 0 --width 0 "$@" >tree.txt
	"$kiln" draw -q --minwidth 0 "$@" -o picture.svg
	"$kiln" info -q --json "$@" >info.json
	python3 - <<-'END'
	import collections, csv, json, re, xml.etree.ElementTree as xml
	own, total, nodes = collections.Counter(), collections.Counter(), collections.Counter()
	selfs, whole = collections.Counter(), 0
	for line in open("folded", encoding="utf-8"):
	    stack, _, value = line.rstrip("\n").rpartition(" ")
	    frames, value = tuple(stack.split(";")), int(value)
	    whole += value
	    own[frames[-1]] += value
	    selfs[frames] += value
	    for name in set(frames):
	        total[name] += value
	    for depth in range(len(frames)):
	        nodes[frames[:depth + 1]] += value
	percent = lambda part: part * 100 / whole

	rows = collections.Counter(), collections.Counter()
	for row in csv.DictReader(open("top.csv", encoding="utf-8")):
	    name = row["function"].replace(";", ":")   # as folded text writes it
	    rows[0][name] += int(row["self"])
	    rows[1][name] += int(row["total"])
	    assert abs(float(row["total_percent"]) - percent(int(row["total"]))) <= 0.0101, row
	assert rows[0] == +own, "self of top and fold"
	for name, value in rows[1].items():   # names that modules tell apart may overlap in a stack
	    assert value >= total[name], (name, value, total[name])

	shown = sorted(float(line.split()[0]) for line in open("tree.txt", encoding="utf-8").readlines()[2:])
	expected = sorted(percent(v) for v in nodes.values() if v)
	assert len(shown) == len(expected), (len(shown), len(expected), "nodes of tree and fold")
	assert all(abs(a - b) <= 0.0101 for a, b in zip(shown, expected)), "shares of tree and fold"

	titles = collections.Counter()
	for title in xml.parse("picture.svg").iter("{http://www.w3.org/2000/svg}title"):
	    found = re.match(r"(.*) \(.*, ([0-9.]+)%\)$", title.text or "", re.S)
	    if found:
	        titles[round(float(found[2]), 2)] += 1
	boxes = sum(titles.values())
	assert boxes - 1 == len(expected), (boxes, len(expected), "boxes of the picture and fold")
	for a, b in zip(sorted(titles.elements())[:-1], expected):
	    assert abs(a - b) <= 0.0101, (a, b)

	info = json.load(open("info.json"))
	assert sum(s["sum"] for s in info["streams"] if s["shown"]) == whole, "sum of info and fold"
	assert info["deepest"] == max(map(len, nodes)), "depth of info and fold"
	END
}

@test "a small input" {
	check small.folded
}

@test "every perf case of the corpus" {
	needs_corpus
	for in in "$corpus"/flamegraph/perf/*.txt; do
		check "$in" || { echo "$in"; return 1; }
	done
}

@test "after transforms" {
	needs_corpus
	in=$corpus/flamegraph/perf/perf-cycles-instructions-01.txt
	check "$in" --kind instructions
	check small.folded --exclude io
	check small.folded --focus work
	check small.folded --drop work
	check small.folded --collapse-recursion
}
