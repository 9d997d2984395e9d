# runtimes.bats: what stacks that debuggers and runtimes print are folded to; expected by hand, line by line.
bats_require_minimum_version 1.5.0

setup() {
	golden=$BATS_TEST_DIRNAME
	kiln=${KILN:-$golden/../../build/kiln}
	cd "$BATS_TEST_TMPDIR" || return
}

# folds FORMAT NAME [KIND]: NAME.txt, recognised by its content, from a file, a pipe and compressed.
folds() {
	local input=$golden/$1/$2.txt expected=$golden/$1/$2${3:+.$3}.folded kind=()
	[ -z "${3:-}" ] || kind=(--kind "$3")
	"$kiln" fold -q "${kind[@]}" "$input" | diff "$expected" -
	"$kiln" fold -q "${kind[@]}" <"$input" | diff "$expected" -
	gzip -c "$input" | "$kiln" fold -q "${kind[@]}" | diff "$expected" -
}

# says TEXT INPUT [OPTION...]: the input is folded all the same, and this is said of it.
says() {
	"$kiln" fold "${@:3}" "$2" >/dev/null 2>said
	grep -F -- "$1" said || { cat said; return 1; }
}

# refuses TEXT FORMAT CONTENT: exit code 2 and one line.
refuses() {
	local status=0
	printf '%b' "$3" | "$kiln" fold --format "$2" >/dev/null 2>said || status=$?
	[ "$status" -eq 2 ]
	[ "$(wc -l <said)" -eq 1 ]
	grep -F -- "$1" said || { cat said; return 1; }
}

@test "jstack: what runs, what waits, what is blocked" {
	folds jstack states
	folds jstack states waiting
	[ "$("$kiln" fold -q --kind blocked "$golden/jstack/states.txt")" = \
		"contender;java.lang.Thread.run;com.example.Work.spin 1" ]
	says "1 of 86 lines skipped, first at line 85" "$golden/jstack/states.txt"
}

@test "jstack: threads, times and lines" {
	"$kiln" convert -q -o a.kiln "$golden/jstack/states.txt"
	"$kiln" info a.kiln >info
	grep -E '^time span +10' info
	grep -E '^threads +8 threads' info
	"$kiln" fold -q --lines a.kiln | grep -F 'com.example.Work.spin (Work.java:4) 1'
}

@test "jstack: no sample, no success" {
	refuses "line 1: the end, and no sample before it" jstack '2024-05-01 12:00:00\n'
}

@test "javacore: what runs and what waits" {
	folds javacore threads
	folds javacore threads waiting
	refuses "line 1: expected a method of a thread" javacore \
		'4XESTACKTRACE                at a/B.c(B.java:1)\n'
}

@test "Java exceptions: causes have the frames of what they caused" {
	folds java-exceptions causes
	says "1 of 23 lines skipped, first at line 23: expected as many frames" \
		"$golden/java-exceptions/causes.txt"
	refuses "no sample" java-exceptions 'at noon (maybe\n'
}

@test "gdb: names with blanks, values with brackets, wrapped lines, several stacks a thread" {
	folds gdb names
	"$kiln" convert -q -o a.kiln "$golden/gdb/names.txt"
	"$kiln" fold -q --lines a.kiln | grep -F 'operator< (loop.cc:20);<signal handler called>;'
	"$kiln" info a.kiln | grep -E '^threads +3 threads'
	refuses "line 1: expected a frame" gdb '#0  0x00 in\n'
}

@test "eu-stack: modules, sources, return addresses, unnamed frames" {
	folds eu-stack threads
	"$kiln" convert -q -o a.kiln "$golden/eu-stack/threads.txt"
	"$kiln" fold -q --lines a.kiln | grep -F 'spin (b.c:4) 1'
	"$kiln" info a.kiln | grep -E '^threads +3 threads of 2 processes'
	refuses "no sample" eu-stack 'PID 1 - process\nTID 1:\n'
}

@test "faulthandler: stacks that it cut are told" {
	folds faulthandler threads
	says "1 of 22 lines skipped, first at line 19: expected a frame" "$golden/faulthandler/threads.txt"
	says "1 stacks lack their outermost frames" "$golden/faulthandler/threads.txt"
}

@test "go-raw: every value, inlined lines, names with blanks, places without names" {
	folds go-raw heap
	folds go-raw heap alloc_space
	"$kiln" fold -q --kind inuse_space "$golden/go-raw/heap.txt" | grep -Fx "main.main;[libc.so.6] -500"
	says "1 of 23 lines skipped, first at line 12" "$golden/go-raw/heap.txt"
	says "samples name locations that are not listed, 1 times" "$golden/go-raw/heap.txt"
	"$kiln" fold -q --all "$golden/go-raw/heap.txt" | grep -F 'main.outer;main.(*T).inner_[i];main.Map['
	"$kiln" convert -q -o a.kiln "$golden/go-raw/heap.txt"
	"$kiln" fold -q --lines a.kiln | grep -F 'main.outer (t.go:20);main.(*T).inner (t.go:17);main.Map['
	refuses "line 2: expected types such as" go-raw 'Samples:\n\n'
	refuses "line 3: expected a sample" go-raw 'Samples:\nsamples/count\n 1 2: 3\n'
	refuses "exceeds 2^63" go-raw 'Samples:\na/b\n 9223372036854775807: 3\n 1: 3\n'
}

@test "xctrace: references, weights, rows without a backtrace" {
	folds xctrace rows
	folds xctrace rows samples
	says "first at line 9: expected a reference to an id before it" "$golden/xctrace/rows.txt"
	says "no backtrace 2" "$golden/xctrace/rows.txt" --kind samples
	"$kiln" convert -q -o a.kiln "$golden/xctrace/rows.txt"
	"$kiln" info a.kiln >info
	grep -E '^threads +1 thread of 1 process' info
	grep -E '^time span +200 ms' info
	"$kiln" fold -q --lines a.kiln | grep -F 'at(unsigned long) const (a&b.cc:7) 1000000'
	refuses "line 2: the end, inside a tag that is not closed" xctrace '<?xml version="1.0"?>\n<trace-query-result'
	refuses "no </trace-query-result> before it" xctrace '<trace-query-result>'
}

@test "xctrace: the corpus as inferno folds it" {
	corpus=${KILN_CORPUS:-$golden/../../../shared/corpus}/inferno/collapse-xctrace
	[ -d "$corpus" ] || skip "no corpus"
	"$kiln" fold -q --kind samples "$corpus/basic.xml" | diff "$corpus/results/basic.folded" -
	[ "$("$kiln" fold -q "$corpus/basic.xml" | awk '{ sum += $NF } END { print sum }')" = 9581000000 ]
}
