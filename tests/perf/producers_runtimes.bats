# producers_runtimes.bats: debuggers and runtimes that are installed here tell the stacks of programs whose
# shares are known; do the stacks that Kiln reads have these shares?
load producers

# stacks_of COMMAND...: its output 15 times, a moment apart, or oftener: until both functions of shares.c or what
# is like it were seen.
stacks_of() {
	local told=stacks.told
	: >"$told"
	for ((i = 0; i < 15 || (i < 100 && !($(seen "$three" "$told") * $(seen "$one" "$told"))); i++)); do
		"$@" 2>/dev/null >>"$told"
		sleep 0.0"$((RANDOM % 9 + 1))"
	done
	cat "$told"
}

three=three_quarters one=one_quarter

# seen NAME FILE: how many frames of the function a text tells.
seen() {
	grep -cw -- "$1" "$2"
}

# as_told TEXT FOLDED: below each function are as many stacks as the text tells.
as_told() {
	local name
	cat "$2"
	for name in "$three" "$one"; do
		[ "$(seen "$name" "$1")" -gt 0 ]
		[ "$(seen "$name" "$1")" -eq "$(grep -w -- "$name" "$2" | sum)" ]
	done
}

@test "gdb: thread apply all bt, and bt" {
	need gcc gdb
	gcc -g -O0 -o shares "$programs/shares.c"
	./shares &
	running=$!
	stacks_of gdb -p "$running" -batch -ex 'thread apply all bt' >stacks.txt
	grep -q '^#0' stacks.txt || skip "gdb may not look at other programs here"
	"$kiln" fold -q stacks.txt >folded
	as_told stacks.txt folded
	[ "$(sum folded)" -eq "$(grep -c '^#0' stacks.txt)" ]
	grep -q '^main;three_quarters;spin [0-9]' folded
	"$kiln" convert -q -o a.kiln stacks.txt
	"$kiln" info a.kiln | grep -E '^threads +1 thread'
	"$kiln" fold -q --lines a.kiln | grep -q '^main (shares.c:32);three_quarters (shares.c:16);spin (shares.c:1[01]) '
	gdb -p "$running" -batch -ex bt 2>/dev/null >one.txt
	[ "$("$kiln" fold -q one.txt | sum)" -eq 1 ]
}

@test "eu-stack: with and without modules and sources" {
	need gcc eu-stack
	gcc -g -O0 -o shares "$programs/shares.c"
	./shares &
	running=$!
	stacks_of eu-stack -p "$running" >stacks.txt
	grep -q '^#0' stacks.txt || skip "eu-stack may not look at other programs here"
	stacks_of eu-stack -a -m -s -p "$running" >sources.txt
	for stacks in stacks sources; do
		"$kiln" fold -q "$stacks.txt" >folded
		as_told "$stacks.txt" folded
		[ "$(sum folded)" -eq "$(grep -c '^TID' "$stacks.txt")" ]
		grep -q ';main;three_quarters;spin [0-9]' folded
	done
	"$kiln" convert -q -o a.kiln sources.txt
	"$kiln" fold -q --lines a.kiln | grep -q 'main (shares.c:32);three_quarters (shares.c:16);spin (shares.c:1[01]) '
}

@test "jstack: what runs in Java" {
	need javac java jstack
	javac -d . "$programs/Shares.java"
	java -cp . Shares &
	running=$!
	for ((try = 0; try < 100; try++)); do
		jstack "$running" 2>/dev/null | grep -q oneQuarter && break
		sleep 0.1
	done
	three=Shares.threeQuarters one=Shares.oneQuarter
	stacks_of jstack "$running" >dumps.txt
	dumps=$(grep -c '^Full thread dump' dumps.txt)
	"$kiln" fold -q dumps.txt >folded
	as_told dumps.txt folded
	# The one thread that runs is in every dump; all others wait, though the JVM calls some runnable.
	[ "$(sum folded)" -eq "$dumps" ]
	grep -q '^main;Shares.main;Shares.threeQuarters;Shares.spin [0-9]' folded
	"$kiln" fold -q --kind waiting dumps.txt >waiting
	grep -q "^waiter;.*;Shares.waitForever;java.lang.Object.wait;java.lang.Object.wait $dumps$" waiting
	grep -q "^acceptor;.*;Shares.acceptForever;.*;sun.nio.ch.Net.accept $dumps$" waiting
	run ! grep '^main' waiting
	"$kiln" fold -q --kind blocked dumps.txt >blocked
	[ ! -s blocked ]
}

@test "Flight Recorder: what jfr print says, and known shares" {
	need javac java jcmd jfr
	javac -d . "$programs/Recorded.java"
	java -XX:StartFlightRecording=settings=profile,filename=ended.jfr -cp . Recorded 3000 Recorded.class >log
	java -XX:StartFlightRecording=settings=default -cp . Recorded 60000 Recorded.class >log &
	running=$!
	for ((try = 0; try < 100; try++)); do
		sleep 0.3
		jcmd "$running" JFR.dump filename="$PWD/dumped.jfr" >log 2>&1 && "$kiln" fold -q dumped.jfr 2>/dev/null | grep -q heavy && break
	done
	for file in ended dumped; do
		python3 "$BATS_TEST_DIRNAME/jfr_print.py" jfr "$file.jfr" | LC_ALL=C sort >told
		[ "$(cut -d ' ' -f 1 told | sort -u | wc -l)" -gt 4 ]
		for kind in $(cut -d ' ' -f 1 told | sort -u); do
			"$kiln" fold -q --lines --by-thread --kind "$kind" "$file.jfr" |
				sed -E "s|^([^;]*)-[0-9]+/[0-9]+;|$kind \1;|; s|^\[unknown\]-\?/\?;|$kind ;|"
		done | LC_ALL=C sort | diff told -
	done
	"$kiln" fold -q ended.jfr | grep 'Recorded.spin' >spin
	share Recorded.heavy 60 90 spin
}

@test "Java exceptions: traces of a program that fails as often as it says" {
	need javac java
	javac -d . "$programs/Failing.java"
	java -cp . Failing 2>log
	"$kiln" fold -q log | diff - <(printf '%s\n' \
		'Failing.main;Failing.fail 100' \
		'Failing.main;Failing.wrap 600' \
		'Failing.main;Failing.wrap;Failing.inner;java.base/java.lang.Iterable.forEach;Failing.lambda$inner$0 300')
}

@test "faulthandler: all threads of Python" {
	need python3
	python3 "$programs/shares.py" told
	"$kiln" fold -q told >folded
	cat folded
	grep -v waiter folded | grep -v '^[^;]*:<module> ' >main
	awk '/:three_quarters/ { three += $NF } { all += $NF } END { print three / all; exit !(three / all > 0.65 && three / all < 0.85) }' main
	[ "$(sum folded)" -eq "$(grep -c 'most recent call first' told)" ]
	[ "$(grep waiter folded | sum)" -eq "$(grep -c Timeout told)" ]
	"$kiln" convert -q -o a.kiln told
	"$kiln" info a.kiln | grep -E '^threads +2 threads'
}

@test "Go's profiles as text: totals as the file states them, and known shares" {
	command -v go >/dev/null || skip "needs go"
	GOCACHE=$PWD/cache GO111MODULE=off go build -o text "$programs/text_profiles.go"
	./text
	read -r _ _ objects bytes made allocated _ < <(head -1 heap.txt | tr -d '[:]')
	for value in "inuse_objects $objects" "inuse_space $bytes" "alloc_objects $made" "alloc_space $allocated"; do
		[ "$("$kiln" fold -q --kind "${value% *}" heap.txt | awk '{ n += $NF } END { print n }')" -eq "${value#* }" ]
	done
	"$kiln" fold -q heap.txt | awk '/main.quarter;main.leaf / { a = $NF } /main.threeQuarters;main.leaf / { b = $NF }
		END { exit !(a == 100 * 4096 && b >= 300 * 4096 && b < 310 * 4096) }' # and the list of blocks
	[ "$("$kiln" fold -q goroutine.txt | awk '{ n += $NF } END { print n }')" -eq "$(awk 'NR == 1 { print $NF }' goroutine.txt)" ]
	"$kiln" fold -q goroutine.txt | grep -qx 'main.wait 7'
	for profile in block mutex; do # within a nanosecond for each record
		go tool pprof -raw $profile.txt 2>/dev/null | awk '/^Locations/ { exit } /^ +[0-9]+ +[0-9]+: / { n += $1; ns += $2 } END { print n, ns }' >raw
		read -r contentions delay <raw
		[ "$("$kiln" fold -q --kind contentions $profile.txt | awk '{ n += $NF } END { print n }')" -eq "$contentions" ]
		"$kiln" fold -q $profile.txt | awk -v is="$delay" '{ n += $NF } END { d = n - is; exit !(d * d <= 100 && n > 0) }'
	done
}

@test "go tool pprof -raw: time in inlined functions, labels, blocks on the heap" {
	need go
	GOCACHE=$PWD GOFLAGS=-mod=mod go build -o shares "$programs/shares.go"
	./shares . 60000000
	go tool pprof -raw cpu.pb.gz >cpu.txt
	go tool pprof -raw heap.pb.gz >heap.txt
	"$kiln" fold -q --kind cpu cpu.txt >folded
	cat folded
	share main.once 9 20 folded
	share main.twice 22 35 folded
	share main.fourTimes 50 65 folded
	[ "$(sum folded)" -eq "$(sed -n '/^samples/,/^Locations/s/^ *[0-9]* *\([0-9]*\): .*/\1/p' cpu.txt | sum)" ]
	"$kiln" fold -q --kind alloc_space heap.txt >folded
	# A block of 1 KiB each, and what holds them.
	for blocks in Hundred:100 TwoHundred:200 FourHundred:400; do
		grep "main.allocate${blocks%:*};main.allocate " folded |
			awk -v blocks="${blocks#*:}" '{ sum += $NF } END { print sum; exit !(sum > blocks * 1024 && sum < blocks * 1100) }'
	done
}

@test "GHC: ticks and bytes add up to what the report states" {
	need ghc
	cp "$programs/shares.hs" .
	ghc -v0 -O1 -prof -o shares shares.hs || skip "needs ghc-prof"
	./shares +RTS -P -RTS
	"$kiln" fold -q --kind ticks shares.prof >folded
	cat folded
	share Main.threeQuarters 70 80 folded
	share Main.oneQuarter 20 30 folded
	[ "$(sum folded)" -eq "$(sed -n 's/.*(\([0-9]*\) ticks.*/\1/p' shares.prof)" ]
	[ "$("$kiln" fold -q shares.prof | sum)" -ge 990 ]
	# The report leaves out what the profiler took itself.
	"$kiln" fold -q --kind bytes shares.prof | sum |
		awk -v stated="$(sed -n 's/.*total alloc = *\([0-9,]*\) bytes.*/\1/p' shares.prof | tr -d ,)" \
			'{ exit !($1 >= stated && $1 < stated * 1.01 + 1e6) }'
}

@test "jfr print: as many samples as jfr print --json has, and known shares" {
	need javac java jfr
	javac -d . "$programs/Shares.java"
	timeout 6 java -XX:StartFlightRecording=filename=run.jfr,settings=profile -cp . Shares >said 2>&1 || true
	[ -s run.jfr ] || skip "needs Java with Flight Recorder"
	jfr print --stack-depth 64 --events jdk.ExecutionSample run.jfr >events.txt
	"$kiln" fold -q events.txt >folded
	cat folded
	[ "$(sum folded)" -eq "$(jfr print --json --events jdk.ExecutionSample run.jfr | grep -c '"type": "jdk.ExecutionSample"')" ]
	share Shares.threeQuarters 65 85 folded
	share Shares.oneQuarter 15 35 folded
}

@test "stackprof: the stacks that it prints itself, and known shares" {
	need ruby stackprof
	ruby -r stackprof -e 'StackProf.run(mode: :cpu, raw: true, out: "dump", interval: 1000) { load ARGV[0] }' "$programs/shares.rb" ||
		skip "needs the library stackprof"
	stackprof --json dump >dump.json
	"$kiln" fold -q --kind samples dump.json | sort >folded
	stackprof --stackcollapse dump | awk '{ n = $NF; sub(/ [^ ]*$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' |
		sort | diff - folded
	share 'Object#three_quarters' 65 85 folded
	share 'Object#one_quarter' 15 35 folded
}
