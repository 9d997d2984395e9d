# fold.bats: kiln fold: folded text.
load common

@test "folding folded text sorts and adds up, and is a fixed point" {
	printf 'b;c 1\na 2\nb;c 4\n' >in.folded
	run -0 "$kiln" fold in.folded
	[ "$output" = $'a 2\nb;c 5' ]
	"$kiln" fold small.folded >once
	"$kiln" fold once --format folded | cmp once
}

@test "lines are sorted by bytes, whatever the locale" {
	printf 'b 1\nB 1\na;é 1\na;z 1\n' >in.folded
	LC_ALL=en_US.UTF-8 "$kiln" fold in.folded >out
	LC_ALL=C sort -c out
	[ "$(wc -l <out)" -eq 4 ]
}

@test "a long output is written in pieces, by however many CPUs, as awk and sort write it" {
	awk 'BEGIN { srand(7); for (i = 0; i < 60000; i++) {
		depth = 1 + int(rand() * 12); line = "main"
		for (d = 0; d < depth; d++)
			line = line ";f" int(rand() * 3) (rand() < 0.2 ? "(int)" : "") (rand() < 0.001 ? "_a_name_that_is_long" : "")
		print line " " 1 + int(rand() * 9) } }' >in.folded
	awk '{ sum[$1] += $2 } END { for (s in sum) print s " " sum[s] }' in.folded | LC_ALL=C sort >expected
	[ "$(wc -c <expected)" -gt 1000000 ]
	"$kiln" fold in.folded | cmp - expected
	taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" "$kiln" fold in.folded | cmp - expected
}

@test "-o with another format's suffix is a slip" {
	run "$kiln" fold small.folded -o x.kiln
	failed_with 2 "kiln: fold: x.kiln: this command writes folded text; to write kiln use: kiln convert -o x.kiln"
	"$kiln" fold small.folded -o x.txt
	"$kiln" fold small.folded -o x.folded
	cmp x.txt x.folded
}

@test "from a pipe, from -, from a redirected file" {
	expected=$("$kiln" fold small.folded)
	[ "$(cat small.folded | "$kiln" fold)" = "$expected" ]
	[ "$(cat small.folded | "$kiln" fold -)" = "$expected" ]
	[ "$("$kiln" fold <small.folded)" = "$expected" ]
}

@test "gzip, zstd and xz, as files of any name and from pipes" {
	expected=$("$kiln" fold small.folded)
	for tool in gzip zstd xz; do
		$tool -qc small.folded >packed
		[ "$("$kiln" fold packed)" = "$expected" ]
		[ "$(cat packed | "$kiln" fold)" = "$expected" ]
	done
}

@test "perf script text, plain and packed" {
	needs_corpus
	in=$corpus/flamegraph/perf/perf-cycles-instructions-01.txt
	expected=$("$kiln" fold -q "$in")
	[ -n "$expected" ]
	for tool in gzip zstd xz; do
		[ "$($tool -qc "$in" | "$kiln" fold -q)" = "$expected" ]
	done
}

@test "-o writes the file when it is whole, and leaves nothing else" {
	"$kiln" fold small.folded -o out.folded
	cmp out.folded <("$kiln" fold small.folded)
	run "$kiln" fold missing.folded -o other.folded
	[ ! -e other.folded ]
	[ "$(ls | sort | tr '\n' ' ')" = "out.folded small.folded " ]
}

@test "columns that a table has no room for are said, not left out" {
	{ echo "Level,Function Name,Exclusive Samples$(printf ',x%.0s' {1..40})"; echo '1,main,3'; } >vsprof.csv
	{ echo "Function Stack,Module$(printf ',c%d:Self' {1..17})"; echo 'Total,'; echo ' main,a'; } >vtune.csv
	{ echo "Function Stack,Module$(printf ',x%.0s' {1..80}),CPU Time:Self"; echo 'Total,'; } >wide.csv
	run "$kiln" fold --format vsprof vsprof.csv
	failed_with 2 "kiln: vsprof.csv: line 1: more than 32 columns"
	run "$kiln" fold --format vtune vtune.csv
	failed_with 2 "kiln: vtune.csv: line 1: more than 16 columns of values"
	run "$kiln" fold --format vtune wide.csv
	failed_with 2 "kiln: wide.csv: line 1: more than 64 columns"
	{ echo '# a a'; printf '#%s\n' "$(printf ' .%.0s' {1..65})"; } >report.txt
	run "$kiln" fold --format perf-report report.txt
	failed_with 2 "kiln: report.txt: line 2: more than 64 columns"
}
