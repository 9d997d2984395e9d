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

@test "no suffix, an unknown one, an unknown format: told what there is" {
	run "$kiln" convert small.folded
	[ "$status" -eq 2 ]
	[[ $output == "kiln: convert: to what? Name a file with -o ("*.folded*"), or say --to FORMAT" ]]
	run "$kiln" convert small.folded -o x.docx
	[ "$status" -eq 2 ]
	[[ $output == "kiln: convert: x.docx: its suffix names no format; known: "*.svg*" (or say --to FORMAT)" ]]
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
