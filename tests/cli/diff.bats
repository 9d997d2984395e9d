# diff.bats: kiln diff: what changed from one profile to another.
load common

# before: 100 in all; after: 120. parse is gone, load is new, work has changed, io has not.
before_and_after() {
	cat >a.folded <<-'END'
	app;main;io 10
	app;main;parse 20
	app;main;parse;lex 10
	app;main;work 30
	app;main;work;inner 30
	END
	cat >b.folded <<-'END'
	app;main;io 10
	app;main;load 20
	app;main;work 60
	app;main;work;inner 30
	END
}

# In the files named: for every column the sum of its numbers.
sums() {
	awk -v columns="$1" '{ for (i = 1; i <= columns; i++) s[i] += $(NF - columns + i) }
		END { for (i = 1; i <= columns; i++) printf "%d%s", s[i], i < columns ? " " : "\n" }'
}

@test "the table: what changed most, by itself and with all it calls" {
	before_and_after
	run -0 "$kiln" diff a.folded b.folded
	diff - <<<"$output" <(cat <<-'END'
	before: a.folded: 100 samples
	after: b.folded: 120 samples (+20, +20.0%)
	Self  change      %   Total  change       %  Function
	  60     +30  +100%      90     +30  +50.0%  work
	         -20   gone             -30    gone  parse
	  20     +20    new      20     +20     new  load
	         -10   gone             -10    gone  lex
	                        120     +20  +20.0%  app
	                        120     +20  +20.0%  main
	... 2 more functions changed less than --threshold
	END
	)
}

@test "--sort, --rows and --threshold choose the rows" {
	before_and_after
	run -0 "$kiln" diff --sort total --rows 2 a.folded b.folded
	[[ ${lines[3]} == *work && ${lines[4]} == *parse ]]
	[ "${lines[5]}" = "... 4 more functions (--rows 0 shows all)" ]
	run -0 "$kiln" diff --sort name --threshold 20 a.folded b.folded
	[ "${#lines[@]}" -eq 6 ]
	[[ ${lines[3]} == *parse && ${lines[4]} == *work ]]
	[ "${lines[5]}" = "... 6 more functions changed less than --threshold" ]
	run -0 "$kiln" diff --threshold 0 a.folded b.folded
	[ "${lines[-1]}" = "... 2 more functions changed less than --threshold" ]
}

@test "folded: both columns, sorted, sums of both files" {
	before_and_after
	run -0 "$kiln" diff --to folded a.folded b.folded
	diff - <<<"$output" <(cat <<-'END'
	app;main;io 10 10
	app;main;load 0 20
	app;main;parse 20 0
	app;main;parse;lex 10 0
	app;main;work 30 60
	app;main;work;inner 30 30
	END
	)
	[ "$(sums 2 <<<"$output")" = "100 120" ]
	"$kiln" diff a.folded b.folded -o c.folded
	diff c.folded <(echo "$output")
}

@test "the other way round is the mirror; with itself nothing changes" {
	before_and_after
	swap() { sed -E 's/ ([0-9]+) ([0-9]+)$/ \2 \1/'; }
	diff <("$kiln" diff --to folded a.folded b.folded) <("$kiln" diff --to folded b.folded a.folded | swap)
	run -0 "$kiln" diff --to folded a.folded a.folded
	diff <(echo "$output") <(echo "$output" | swap)
	run -0 "$kiln" diff --threshold 0 a.folded a.folded
	[ "${lines[2]}" = "none of 7 functions changed by --threshold or more" ]
}

@test "-n: before is scaled to after, sums stay right" {
	before_and_after
	run -0 "$kiln" diff -n --to folded a.folded b.folded
	diff - <<<"$output" <(cat <<-'END'
	app;main;io 12 10
	app;main;load 0 20
	app;main;parse 24 0
	app;main;parse;lex 12 0
	app;main;work 36 60
	app;main;work;inner 36 30
	END
	)
	run -0 "$kiln" diff -n a.folded b.folded
	[ "${lines[0]}" = "before: a.folded: 100 samples, taken 1.2 times to compare" ]
	[[ ${lines[*]} != *" app "* ]]
	printf '%s\n' 'a;b 1' 'a;c 1' 'a;d 1' >few.folded
	echo 'x 100' >many.folded
	run -0 "$kiln" diff -n --to folded few.folded many.folded
	[ "$(sums 2 <<<"$output")" = "100 100" ]
}

@test "several files a side are added up; sides of more and of fewer are compared by their means" {
	before_and_after
	echo 'app;main;io 5' >c.folded
	run -0 "$kiln" diff --before a.folded c.folded --after b.folded c.folded --to folded
	[ "${lines[0]}" = "app;main;io 15 15" ]
	[ "$(sums 2 <<<"$output")" = "105 125" ]
	diff <(echo "$output") <("$kiln" diff --before a.folded --after b.folded --before=c.folded --after=c.folded --to folded)
	run -0 "$kiln" diff --before a.folded c.folded --after b.folded b.folded
	[ "${lines[0]}" = "before: 2 files, a.folded to c.folded: 105 samples" ]
	# 100 + 5 in two files are 52.5 each, and 120 + 5 + 5 in three are 43.33.
	run -0 "$kiln" diff --before a.folded c.folded --after b.folded c.folded c.folded
	[ "${lines[0]}" = "before: mean of 2 files, a.folded to c.folded: 52.50 samples" ]
	[[ "${lines[1]}" == "after: mean of 3 files, b.folded to c.folded: 43.33 samples (-9.17, -17.5%)" ]]
	run -0 "$kiln" diff --before a.folded c.folded --after b.folded c.folded c.folded --to folded
	[ "${lines[0]}" = "app;main;io 7.5 6.66" ] || [ "${lines[0]}" = "app;main;io 7.5 6.67" ]
	[ "$(sums 2 <<<"$output")" = "52 43" ]
}

@test "a run that is there twice on one side changes nothing" {
	needs_corpus
	unequal=$corpus/ab-runs/unequal
	run -0 "$kiln" diff --before "$unequal"/a[12].folded --after "$unequal/b1.folded"
	[ "${lines[0]}" = "before: mean of 2 files, a1.folded to a2.folded: 150 samples" ]
	[ "${lines[1]}" = "after: b1.folded: 150 samples (0, 0%)" ]
	[ "${lines[2]}" = "none of 3 functions changed by --threshold or more" ]
	run -0 "$kiln" diff --before "$unequal"/a[12].folded --after "$unequal/b1.folded" --to folded
	[ "$output" = "main;rest 50 50"$'\n'"main;work 100 100" ]
}

# Sides below 0 are neither new nor gone, and their percentage is that of the distance from 0.
@test "values below 0 can be compared" {
	printf 'main;a -5\nmain;b 3\nmain;c 1\n' >a.folded
	printf 'main;a 10\nmain;b -2\nmain;c 2\n' >b.folded
	run -0 "$kiln" diff a.folded b.folded
	[ "${lines[1]}" = "after: b.folded: 10 samples (+11, +1100%)" ]
	[[ "${lines[3]}" == *"10     +15  +300% "*" a" && "${lines[4]}" == *"-2      -5  -167% "*" b" ]]
	[[ "$output" != *new* && "$output" != *gone* ]]
}

@test "values of different kinds are refused, unless --any-kind" {
	cpu=$BATS_TEST_DIRNAME/../golden/pprof/period.pb
	waits=$BATS_TEST_DIRNAME/../../../shared/corpus/field/otlp-multi.json
	needs_corpus
	run -2 "$kiln" diff "$cpu" "$waits"
	[ "$output" = "kiln: $waits: its values are of the kind off_cpu, those of the files before it of cpu; choose a common one with --kind, or compare them with --any-kind" ]
	run -0 "$kiln" diff --any-kind "$cpu" "$waits"
	[ "${lines[0]}" = "kiln: otlp-multi.json: off_cpu is compared with cpu" ] || [[ "${lines[0]}" == *"off_cpu is compared with cpu" ]]
}

@test "what differs from build to build is no change, unless --exact" {
	cat >a.folded <<-'END'
	app-12/13;core::run::h0123456789abcdef;work.isra.0;hot 5
	app-12/13;core::run::h0123456789abcdef;work.isra.0.cold 1
	app-12/13;core::run::h0123456789abcdef;part;part.part.0;read+0x1f 2
	app-12/13;0x7f1234 1
	END
	cat >b.folded <<-'END'
	app-99/7;core::run::hfedcba9876543210;work;hot [clone .constprop.1] 5
	app-99/7;core::run::hfedcba9876543210;work 1
	app-99/7;core::run::hfedcba9876543210;part;read 2
	app-99/7;0x55550000 1
	END
	run -0 "$kiln" diff --to folded a.folded b.folded
	diff - <<<"$output" <(cat <<-'END'
	app;[unknown] 1 1
	app;core::run;part;read 2 2
	app;core::run;work 1 1
	app;core::run;work;hot 5 5
	END
	)
	[ "$("$kiln" diff --exact --to folded a.folded b.folded | wc -l)" -eq 8 ]
}

@test "what runtimes number in every run is the same function" {
	printf '%s\n' 'java;Main$$Lambda$14/0x0000000800c03000.run;sun.reflect.GeneratedMethodAccessor12.invoke 3' 'app;run::{{closure}} 2' >a.folded
	printf '%s\n' 'java;Main$$Lambda$9/0x0000000800b01200.run;sun.reflect.GeneratedMethodAccessor7.invoke 4' 'app;run::{closure#1} 2' >b.folded
	run -0 "$kiln" diff --to folded a.folded b.folded
	[ "$output" = 'app;run::{{closure}} 2 2'$'\n''java;Main$$Lambda.run;sun.reflect.GeneratedMethodAccessor.invoke 3 4' ]
	run -0 "$kiln" diff a.folded b.folded
	[[ "$output" == *'Main$$Lambda.run'* && "$output" != *gone* ]]
	run -0 "$kiln" diff --exact --to folded a.folded b.folded
	[ "${#lines[@]}" -eq 4 ]
}

@test "-s strips hexadecimal numbers, --build-dir what a build's folder was" {
	printf '%s\n' 'main;obj<0x1a2b>.call 3' 'main;/home/me/one/lib/x.py:f 4' >a.folded
	printf '%s\n' 'main;obj<0xffff>.call 3' 'main;/srv/two/lib/x.py:f 4' >b.folded
	run -0 "$kiln" diff -s --build-dir /home/me/one/ --build-dir /srv/two --to folded a.folded b.folded
	[ "$output" = $'main;$SRC/lib/x.py:f 4 4\nmain;obj<0x...>.call 3 3' ]
}

@test "SVG: after's widths, a legend that names both sides" {
	before_and_after
	"$kiln" diff a.folded b.folded -o c.svg
	grep -q '>Differential Flame Graph<' c.svg
	grep -q '>after: b.folded against before: a.folded<' c.svg
	grep -q '>≤ -20%, gone<' c.svg
	grep -q 'id="subtitle".*>after: b.folded against before: a.folded<' c.svg
	grep -q '<title>work (90 samples, 75.00%; +30, +50.0%; self +30, +100%)</title>.*fill="rgb(240,92,72)"' c.svg
	grep -q '<title>io (10 samples, 8.33%; unchanged; self unchanged)</title>.*fill="rgb(228,228,226)"' c.svg
	grep -q '<title>load (20 samples, 16.67%; +20, new; self +20, new)</title>.*fill="rgb(240,92,72)"' c.svg
	run ! grep -q '<title>parse ' c.svg
}

@test "--negate: before's widths; --elided: only what is gone" {
	before_and_after
	"$kiln" diff --negate a.folded b.folded -o c.svg
	grep -q '<title>work (60 samples, 60.00%; +30, +50.0%; self +30, +100%)</title>.*fill="rgb(240,92,72)"' c.svg
	grep -q '<title>parse (30 samples, 30.00%; -30, gone; self -20, gone)</title>.*fill="rgb(88,144,244)"' c.svg
	grep -q 'widths: before<' c.svg
	"$kiln" diff --elided a.folded b.folded -o c.svg
	grep -q '>What Is Gone<' c.svg
	[ "$(grep -o '<title>[a-z]* (' c.svg | tr '\n' ' ')" = \
		"<title>all ( <title>app ( <title>main ( <title>parse ( <title>lex ( " ]
	grep -q '<title>parse (30 samples, 100.00%; ' c.svg
	run -0 "$kiln" diff --elided --to folded a.folded b.folded
	[ "$output" = $'app;main;parse 20 0\napp;main;parse;lex 10 0' ]
	run "$kiln" diff --elided a.folded a.folded -o d.svg
	failed_with 2 "kiln: nothing is gone: AFTER has all functions of BEFORE"
	run "$kiln" diff --elided --flamechart a.folded b.folded -o d.svg
	failed_with 2 "kiln: a flame chart cannot show what is gone: leave out --flamechart or --elided"
	[ ! -e d.svg ]
}

@test "--reverse and other transforms apply to both sides" {
	before_and_after
	run -0 "$kiln" diff --reverse --to folded a.folded b.folded
	grep -qx 'io;main;app 10 10' <<<"$output"
	run -0 "$kiln" diff --focus '^work$' --to folded a.folded b.folded
	[ "$output" = $'work 30 60\nwork;inner 30 30' ]
}

@test "colours do not depend on what else changed" {
	before_and_after
	colour() { grep "<title>work (" "$1" | grep -o 'fill="[^"]*"'; }
	"$kiln" diff a.folded b.folded -o one.svg
	cat a.folded - <<<"other;huge 100" >a2.folded
	cat b.folded - <<<"other;huge 900" >b2.folded
	"$kiln" diff a2.folded b2.folded -o two.svg
	[ "$(colour one.svg)" = "$(colour two.svg)" ]
}

@test "--per-thread: a file for each thread, matched by name" {
	printf '%s\n' 'main;x 50' 'pool-1;y 30' 'pool-2;y 10' 'tiny;z 0.1' >a.folded
	printf '%s\n' 'main;x 60' 'pool-7;y 20' 'new;w 10' >b.folded
	run -0 "$kiln" diff --per-thread a.folded b.folded -o out.svg
	diff - <<<"$output" <(cat <<-'END'
	kiln: wrote out.main.svg
	kiln: wrote out.pool-.svg
	kiln: wrote out.new.svg
	kiln: 1 thread below 0.5% of the total left out
	END
	)
	grep -q '>Differential Flame Graph: pool-\*<' out.pool-.svg
	grep -q '<title>y (20.0 samples, 100.00%; -20.0, -50.0%; ' out.pool-.svg
	run -0 "$kiln" diff --per-thread a.folded b.folded
	[ "$(grep -c '^== ' <<<"$output")" -eq 3 ]
	# Each by itself: with -n a thread's own total is what it is compared by.
	"$kiln" diff -n --per-thread a.folded b.folded -o share.svg -q
	grep -q '<title>y (20.0 samples, 100.00%; unchanged; ' share.pool-.svg
	run "$kiln" diff --per-thread --to svg a.folded b.folded
	failed_with 2 "kiln: diff: --per-thread writes several files: name an output with -o"
}

@test "--per-thread: threads that the input tells, by rank among those of one name" {
	sample() { printf '%s %d [000] %s: 1 cpu-clock:\n\t1 %s (/bin/app)\n\n' "$@"; }
	{ sample 'job 1' 10 1.1 f; sample 'job 1' 10 1.2 f; sample 'job 2' 11 1.3 g; } >a.txt
	{ sample 'job 8' 70 1.1 f; sample 'job 9' 71 1.2 g; sample 'job 9' 71 1.3 g; } >b.txt
	"$kiln" diff --per-thread a.txt b.txt -o out.folded -q
	# The one that costs most is the first, whatever its name's number.
	[ "$(sums 2 <out.job_.folded)" = "2 2" ]
	[ "$(sums 2 <out.job_2.folded)" = "1 1" ]
}

@test "--per-thread: outermost frames are threads before stacks are turned round" {
	printf '%s\n' 'one;f;g 5' 'two;g 5' >a.folded
	printf '%s\n' 'one;f;g 6' 'two-1;g 5' >b.folded
	"$kiln" diff -q --per-thread --reverse a.folded b.folded -o out.folded
	diff out.one.folded <(echo 'g;f;one 5 6')
	diff out.two.folded <(echo 'g;two 5 0')
	diff out.two-.folded <(echo 'g;two-* 0 5')
	"$kiln" diff -q --per-thread --exact a.folded b.folded -o exact.folded
	[ -f exact.two-1.folded ]
}

@test "--per-thread: a thread that is gone, or new, has the widths of the side that has it" {
	printf '%s\n' 'old;f 5' 'both;g 5' >a.folded
	printf '%s\n' 'new;f 6' 'both;g 5' >b.folded
	"$kiln" diff -q --per-thread a.folded b.folded -o out.svg
	grep -q '<title>f (5 samples, 100.00%; -5, gone; self -5, gone)</title>' out.old.svg
	grep -q '<title>f (6 samples, 100.00%; +6, new; self +6, new)</title>' out.new.svg
	"$kiln" diff -q --per-thread --negate a.folded b.folded -o out.svg
	grep -q '<title>f (6 samples, 100.00%; +6, new; self +6, new)</title>' out.new.svg
	run -0 "$kiln" diff --per-thread --elided a.folded b.folded -o gone.svg
	diff - <<<"$output" <(printf 'kiln: %s\n' 'new: no function is gone' 'both: no function is gone' 'wrote gone.old.svg')
}

@test "what is compared with something of another name is said" {
	sample() { printf 'app 10 [000] %s: 1 %s:\n\t1 f (/bin/app)\n\n' "$@"; }
	sample 1.1 cpu-clock >a.txt
	sample 1.1 task-clock >b.txt
	run -0 "$kiln" diff --to folded a.txt b.txt
	[ "${lines[0]}" = "kiln: b.txt: task-clock is compared with cpu-clock" ]
	sample 1.1 cycles >b.txt
	run "$kiln" diff a.txt b.txt
	failed_with 2 "kiln: b.txt: its values are in cycles, those of the files before it in ns; choose a common one with --kind"
}

@test "a new function that calls what one that is gone called may be the same: a suggestion" {
	printf '%s\n' 'main;parse;lex 10' 'main;parse;build 10' 'main;parse 5' 'main;work 20' 'main;old;x 3' >a.folded
	printf '%s\n' 'main;read_all;lex 12' 'main;read_all;build 9' 'main;work 20' 'main;fresh;y 3' >b.folded
	run -0 --separate-stderr "$kiln" diff a.folded b.folded
	[ "$stderr" = "kiln: new function read_all may be a new name of parse: both have the same caller and share 2 of 2 callees" ]
	[[ $output == *gone*parse* && $output == *new*read_all* ]]
	"$kiln" diff a.folded b.folded -o c.svg 2>&1 | grep -q 'read_all may be a new name of parse'
	# Not one that costs more than twice as much, nor one that calls other functions, nor one of another caller.
	sed 's/ 12$/ 99/' b.folded >c.folded
	run -0 --separate-stderr "$kiln" diff a.folded c.folded
	[ "$stderr" = "" ]
	printf '%s\n' 'main;read_all;lex 12' 'main;read_all;other 9' 'main;work 20' >c.folded
	run -0 --separate-stderr "$kiln" diff a.folded c.folded
	[ "$stderr" = "" ]
	sed 's/main;read_all/start;read_all/' b.folded >c.folded
	run -0 --separate-stderr "$kiln" diff a.folded c.folded
	[ "$stderr" = "" ]
	# Where stacks are turned round, what looks like a caller was called.
	run -0 --separate-stderr "$kiln" diff --reverse <(echo 'main;old 10') <(echo 'main;fresh 10')
	[ "$stderr" = "" ]
	# Output that others read is not commented on.
	run -0 --separate-stderr "$kiln" diff --to folded --kind samples a.folded b.folded
	[ "$stderr" = "" ]
}

@test "JSON has the numbers of the inputs" {
	before_and_after
	"$kiln" diff -n a.folded b.folded -o c.json
	python3 - <<-'END'
	import json
	d = json.load(open("c.json"))
	assert d["format"] == "kiln-difference" and d["version"] == 1 and d["unit"] == "count", d
	assert d["before"] == {"name": "a.folded", "total": 100} and d["after"]["total"] == 120
	assert d["scale"] == 1.2
	by_name = {f["function"]: f for f in d["functions"]}
	assert by_name["work"]["self"] == [30, 60] and by_name["work"]["total"] == [60, 90]
	path = lambda i: [] if i is None else path(d["tree"][i]["caller"]) + [d["functions"][d["tree"][i]["function"]]["function"]]
	stacks = {";".join(path(i)): n["self"] for i, n in enumerate(d["tree"]) if any(n["self"])}
	assert stacks["app;main;parse;lex"] == [10, 0] and len(stacks) == 6, stacks
	assert all(n["caller"] is None or n["caller"] < i for i, n in enumerate(d["tree"]))
	END
}

@test "decimals in one file only" {
	printf 'a;b 1.5\n' >a.folded
	printf 'a;b 2\na;c 0.25\n' >b.folded
	run -0 "$kiln" diff --to folded a.folded b.folded
	[ "$output" = $'a;b 1.5 2\na;c 0 0.25' ]
}

@test "top, tree and draw show both columns of what diff wrote" {
	before_and_after
	"$kiln" diff a.folded b.folded -o c.folded
	run -0 "$kiln" top c.folded
	[ "${lines[0]}" = "first column: 100 samples" ]
	[ "${lines[1]}" = "second column: 120 samples (+20, +20.0%)" ]
	[ "${lines[3]}" = "  60     +30  +100%      90     +30  +50.0%  work" ]
	run -0 "$kiln" top --csv c.folded
	[ "${lines[0]}" = self,self_percent,total,total_percent,before_self,before_total,module,function ]
	[ "${lines[1]}" = 60,50.00,90,75.00,30,60,,work ]
	run -0 "$kiln" top --csv --by-change --sort total c.folded
	diff - <<<"${lines[*]:1}" <(echo "60,50.00,90,75.00,30,60,,work 0,0.00,0,0.00,20,30,,parse 20,16.67,20,16.67,0,0,,load" \
		"0,0.00,120,100.00,0,100,,app 0,0.00,120,100.00,0,100,,main 0,0.00,0,0.00,10,10,,lex 30,25.00,30,25.00,30,30,,inner 10,8.33,10,8.33,10,10,,io")
	run -0 "$kiln" tree c.folded
	diff - <<<"$output" <(cat <<-'END'
	first column: 100 samples
	second column: 120 samples (+20, +20.0%)
	Before  After%   Change  Function
	100.00  100.00   +20.0%  app
	100.00  100.00   +20.0%  main
	 60.00   75.00   +50.0%  ├─work
	 30.00   25.00       0%  │ inner
	         16.67      new  ├─load
	 10.00    8.33       0%  ├─io
	 30.00             gone  └─parse
	 10.00             gone    lex
	END
	)
}

@test "SVG: colours of what a function calls, too, or of itself alone" {
	before_and_after
	"$kiln" diff a.folded b.folded -o total.svg
	"$kiln" diff --changes self a.folded b.folded -o self.svg
	python3 -c '
import re
def colours(file):
    found = re.findall(r"<title>(\w+) \([^<]*</title><rect[^>]* fill=\"rgb\((\d+),(\d+),(\d+)\)", open(file).read())
    return {name: "red" if int(r) > int(b) + 9 else "blue" if int(b) > int(r) + 9 else "grey" for name, r, g, b in found}
total, itself = colours("total.svg"), colours("self.svg")
assert total == {"all": "red", "app": "red", "main": "red", "work": "red", "load": "red", "inner": "grey", "io": "grey"}, total
assert itself == {"all": "grey", "app": "grey", "main": "grey", "work": "red", "load": "red", "inner": "grey", "io": "grey"}, itself'
	grep -q "Colours show by how much self values changed" self.svg
}

@test "both sides in one file, for other programs and the page: it is the same difference" {
	before_and_after
	"$kiln" diff a.folded b.folded -o both.svg
	for options in "" "-n" "--threshold 20" "--elided" "--sort name" "--focus ^work\$"; do
		"$kiln" diff $options a.folded b.folded | tail -n +3 >table
		"$kiln" diff $options --to folded a.folded b.folded | sort >folded
		[ -s table ]
		[ -s folded ]
		for file in both.folded both.kiln both.html both.pb.gz both.speedscope.json; do
			"$kiln" diff a.folded b.folded -o "$file"
			"$kiln" diff $options "$file" | tail -n +3 | diff table -
			"$kiln" diff $options --to folded "$file" | sort | diff folded -
		done
	done
	"$kiln" diff both.kiln -o again.svg
	cmp both.svg again.svg
	python3 -c '
import json
profiles = json.load(open("both.speedscope.json"))["profiles"]
assert [(p["name"], p["endValue"]) for p in profiles] == [("samples:before", 100), ("samples:after", 120)], profiles'
	run "$kiln" diff --before-time 1..2 both.kiln
	failed_with 2 "kiln: diff: --before-time, --after-time, --exact, --strip-hex and --build-dir work only with two files, not with one file of two columns"
}

@test "different units, two sides in one file, and too few files" {
	before_and_after
	run "$kiln" diff a.folded
	failed_with 2 "kiln: a.folded: has only one column of values: expected two profiles, as in: kiln diff BEFORE AFTER"
	run "$kiln" diff
	failed_with 2 "kiln: diff: expected two profiles: kiln diff BEFORE AFTER; or several per side: kiln diff --before A1 A2 --after B1 B2; or one file with two columns"
	run "$kiln" diff --before a.folded
	[ "$status" -eq 2 ]
	run "$kiln" diff - -
	failed_with 2 "kiln: diff: standard input can be only one of the files"
	"$kiln" diff a.folded b.folded -o c.folded
	run "$kiln" diff a.folded c.folded
	failed_with 2 "kiln: c.folded: it already has two columns: draw it with: kiln draw c.folded"
	run "$kiln" diff a.folded b.folded -o c.png
	failed_with 2 "kiln: diff: c.png: unknown suffix; expected one of .svg, .html, .folded, .json, .txt, .kiln, .pb.gz or .speedscope.json, or --to FORMAT"
	run "$kiln" diff a.folded missing.folded
	[ "$status" -ne 0 ]
	run -0 bash -c "'$kiln' diff - b.folded --to folded <a.folded"
	[ "$(sums 2 <<<"$output")" = "100 120" ]
}

@test "real runs: crc32_little is gone, crc32_z new, everything else within the noise" {
	needs_corpus
	cd "$corpus/ab-runs"
	run -0 "$kiln" diff --before g-A-*.folded.gz --after g-B-*.folded.gz --rows 2
	[[ ${lines[3]} == *gone*crc32_little && ${lines[4]} == *new*crc32_z ]]
	run -0 "$kiln" diff --before g-A-*.folded.gz --after g-Aprime-*.folded.gz --threshold 2
	[[ $output != *gone* && $output != *new* ]]
}

# Folded text is merged line by line, everything else as profiles; --kind asks for profiles.
# Writes one.folded, two.folded and three.folded by a seed: sorted or not, with names that change or not.
random_files() {
	python3 - "$1" <<-'END'
	import random, sys
	r = random.Random(int(sys.argv[1]))
	names = ["a", "a b", "a1", "a.cold_", "b", "b(int)", "b!", "größe", "x 7", "k_[k]", "", "c;d", "main"]
	if r.random() < 0.6:
	    names += ["a.cold", "a.isra.0", "b.part.1_[k]", "b_[k]", "app-1/2", "w-3", "0x12345678", "o<0x1f>", "/b/x", "f" * 300]
	in_order = r.random() < 0.4
	for name in "one", "two", "three":
	    lines = []
	    for _ in range(r.choice([1, 3, 40, 200])):
	        stack = ";".join(r.choice(names) for _ in range(r.choice([1, 2, 5, 60])))
	        if stack.strip(" "):
	            lines += [f"{stack} {r.choice([0, 1, 2, 10, 300, 2**40])}\n"] * r.choice([1, 1, 1, 2])
	    if in_order:
	        lines.sort(key=lambda line: line.rsplit(" ", 1)[0].encode())
	    with open(name + ".folded", "w") as f:
	        f.writelines(lines)
	        if r.random() < 0.2:
	            f.write("# the end\n\n")
	END
}

@test "merged line by line or as profiles: the same" {
	for seed in $(rounds 60); do
		random_files "$seed"
		for options in "one.folded two.folded" "-n two.folded one.folded" "--exact one.folded two.folded" \
			"-s --build-dir /b one.folded three.folded" "-s --exact -n one.folded two.folded" \
			"--before one.folded two.folded --after three.folded" "-n --before one.folded --after one.folded three.folded"; do
			"$kiln" diff -q --to folded $options >lines || echo "exit $?" >lines
			"$kiln" diff -q --to folded --kind samples $options >profiles || echo "exit $?" >profiles
			cmp lines profiles || { echo "seed $seed: $options"; diff lines profiles | head; return 1; }
		done
	done
}

@test "lines in any order give what sorted ones give" {
	mkdir sorted shuffled
	for seed in $(rounds 12); do
		random_files "$seed"
		for file in *.folded; do
			LC_ALL=C sort "$file" >"sorted/$file"
			python3 -c 'import random, sys; lines = sys.stdin.readlines(); random.Random(1).shuffle(lines); print(*lines, sep="", end="")' \
				<"$file" >"shuffled/$file"
		done
		for options in "--to folded" "-n --to folded" "-s --to folded" "--exact --to folded" "--to svg" "--to table --rows 0 --sort name"; do
			for order in sorted shuffled; do
				(cd $order && "$kiln" diff -q $options one.folded two.folded >"../$order.out" || echo "exit $?" >"../$order.out")
			done
			cmp sorted.out shuffled.out || { echo "seed $seed: $options"; diff sorted.out shuffled.out | head; return 1; }
		done
	done
}

# Several megabytes, so that both CPUs write parts of it in turn: against what awk adds up.
@test "large files in any order" {
	for side in 1 2; do
		python3 - $side <<-'END' >$side.folded
		import random, sys
		r = random.Random(int(sys.argv[1]))
		for _ in range(30000):
		    n = r.randrange(20000)
		    print(f"main;{n % 7};function_with_a_long_name_{n % 97}::" + "x" * (n % 211) + f";leaf_{n} {r.randrange(100)}")
		END
	done
	awk '{ v = $NF; sub(/ [0-9]+$/, ""); all[$0]; if (FILENAME == "1.folded") a[$0] += v; else b[$0] += v }
		END { for (s in all) if (a[s] || b[s]) print s, a[s] + 0, b[s] + 0 }' 1.folded 2.folded | LC_ALL=C sort >expected
	"$kiln" diff --exact --to folded 1.folded 2.folded | LC_ALL=C sort | cmp - expected
	"$kiln" diff --exact --to folded 1.folded 2.folded >two
	taskset -c "$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/')" "$kiln" diff --exact --to folded 1.folded 2.folded | cmp - two
	LC_ALL=C sort -c <(sed -E 's/ [0-9]+ [0-9]+$//' two)
	# Shares come to the other side's total, whoever writes them.
	"$kiln" diff -n --exact --to folded 1.folded 2.folded >shares
	[ "$(sums 2 <shares)" = "$(sums 2 <expected | awk '{ print $2, $2 }')" ]
	"$kiln" diff -n --exact --to folded --kind samples 1.folded 2.folded | cmp - shares
}

@test "unsorted, compressed, piped, with carriage returns: the same" {
	before_and_after
	"$kiln" diff --to folded a.folded b.folded >sorted
	tac a.folded >tac.folded
	"$kiln" diff --to folded tac.folded b.folded | diff sorted -
	gzip -k a.folded
	"$kiln" diff --to folded a.folded.gz b.folded | diff sorted -
	cat a.folded | "$kiln" diff --to folded - b.folded | diff sorted -
	sed 's/$/\r/' b.folded >cr.folded
	"$kiln" diff --to folded a.folded cr.folded | diff sorted -
	"$kiln" diff --to folded <(cat a.folded) <(cat b.folded) | diff sorted -
}

@test "bad lines in sorted text are told as ever" {
	before_and_after
	echo 'zzz' >>a.folded
	run -0 "$kiln" diff --to folded a.folded b.folded
	[ "${lines[0]}" = "kiln: a.folded: 1 of 6 lines skipped, first at line 6: expected frames and a number, such as \`main;parse;read 12\`" ]
	[ "${#lines[@]}" -eq 7 ]
	echo 'main 3' >c.folded
	echo 'what is this' >d.folded
	run "$kiln" diff --to folded c.folded d.folded
	[ "$status" -eq 2 ]
}

@test "two times of one recording: half-open, together the whole, and nothing has changed from one to itself" {
	for i in 0 1 2 3 4 5 6 7; do
		printf 'app 7 [000] 10.%d00000: 1 cycles:\n\t7f0%d f%d+0x1 (/bin/app)\n\n' "$i" $((i % 3)) $((i % 3))
	done >times.txt
	run -0 "$kiln" diff -q --before-time ..0.3 --after-time 0.3.. --to folded --exact times.txt times.txt
	diff - <<<"$output" <(printf '%s\n' 'app;f0 1 2' 'app;f1 1 2' 'app;f2 1 1')
	run -0 "$kiln" diff -q --before-time ..0.3 --after-time 0.3.. times.txt times.txt
	[ "${lines[0]}" = "before: times.txt, ..0.3: 3 cycles" ]
	[ "${lines[1]}" = "after: times.txt, 0.3..: 5 cycles (+2, +66.7%)" ]
	run -0 "$kiln" diff -q --before-time 0.1..0.5 --after-time 0.1..0.5 --threshold 0 times.txt times.txt
	[ "${lines[1]}" = "after: times.txt, 0.1..0.5: 4 cycles (0, 0%)" ]
	[ "${lines[2]}" = "none of 3 functions changed by --threshold or more" ]
	"$kiln" diff -q --to json --before-time 0.1..0.5 --after-time 0.1..0.5 times.txt times.txt |
		jq -e '[.tree[], .functions[] | .self[0] == .self[1] and .total[0] == .total[1]] | all and length > 3' >/dev/null
	run -2 "$kiln" diff --before-time later times.txt times.txt
	failed_with 2 "kiln: times.txt: --before-time: expected FROM..TO in seconds from the start, or FROM.. or ..TO, got 'later'"
	echo 'a;b 1' >one.folded
	run -2 "$kiln" diff --after-time 1.. one.folded one.folded
	failed_with 2 "kiln: one.folded: --after-time: the input does not have the time of a sample"
}
