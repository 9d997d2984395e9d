# producers_tracers.bats: tracers that are installed here look at programs whose shares are known; do
# the stacks that Kiln reads have these shares?
load producers

# A program whose shares are known runs, and bpftrace can look at it.
traced_shares() {
	need root gcc bpftrace
	bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1 || skip "bpftrace cannot load programs here"
	start shares
}

# folds_to_shares FILE: Kiln folds it to `folded`, where its functions have these shares.
folds_to_shares() {
	"$kiln" fold -q "$1" >folded
	head -n 3 folded
	share three_quarters 66 84 folded
	share one_quarter 16 34 folded
	grep -q "^shares;$running;.*main;three_quarters;spin [0-9]" folded
}

@test "bpftrace: user stacks with comm and pid, in two maps" {
	traced_shares
	bpftrace -e "profile:hz:199 /pid == $running/ { @[ustack, comm, pid] = count(); @named[comm, kstack, ustack(perf)] = count(); }
		interval:s:4 { exit(); }" >stacks.txt 2>said
	folds_to_shares stacks.txt
	# Each sample is in both maps, and nothing is lost.
	"$kiln" fold -q --kind named stacks.txt >named
	[ "$(sum folded)" -eq "$(sum named)" ]
	[ "$(sum folded)" -eq "$(sed -n 's/^, shares, .*\]: //p' stacks.txt | sum)" ]
	share three_quarters 66 84 named
}

@test "bpftrace -f json: the same shares, and every number that it says" {
	need python3
	traced_shares
	bpftrace -f json -e "profile:hz:199 /pid == $running/ { @[ustack, comm, pid] = count(); @named[comm, kstack, ustack(perf)] = hist(1);
		@sum[ustack] = stats(2); } interval:s:4 { exit(); }" >stacks.json 2>said
	folds_to_shares stacks.json
	"$kiln" fold -q --kind named stacks.json >named
	share three_quarters 66 84 named
	[ "$(sum folded)" -eq "$(sum named)" ]
	[ "$("$kiln" fold -q --kind sum stacks.json | sum)" -eq "$((2 * $(sum folded)))" ]
	python3 - <<-'END' | diff - <(sum folded)
	import json
	for line in filter(str.strip, open("stacks.json")):
	    for name, pairs in dict(json.loads(line, object_pairs_hook=list))["data"]:
	        if name == "@":
	            print(sum(count for key, count in pairs))
	END
}

@test "bpftrace: kernel stacks of everything, a histogram" {
	need root bpftrace
	bpftrace -e 'profile:hz:99 { @[kstack, comm] = count(); @h[kstack] = hist(1); } interval:s:2 { exit(); }' \
		>stacks.txt 2>said || skip "bpftrace cannot load programs here"
	"$kiln" fold -q stacks.txt >folded
	"$kiln" fold -q --kind h stacks.txt >histogram
	[ "$(sum folded)" -gt 0 ]
	[ "$(sum folded)" -eq "$(sum histogram)" ]
	[ "$(sum folded)" -eq "$(sed -n '/^@h/,$d; s/^.*\]: \([0-9]*\)$/\1/p' stacks.txt | sum)" ]
}

# as_napped POINTS: naps.c has waited where the folded file says, give or take so much of a percentage.
as_napped() {
	local percent
	percent=$(awk '{ printf "%d", 100 * $1 / ($1 + $2) + 0.5 }' napped)
	echo "long naps took $percent%"
	share long_nap $((percent - $1)) $((percent + $1)) folded
	share short_nap $((100 - percent - $1)) $((100 - percent + $1)) folded
}

@test "libbpf-tools: offcputime" {
	need root gcc offcputime
	start naps
	offcputime -p "$running" 3 >stacks.txt 2>said || skip "offcputime cannot load its program here"
	kill "$running"
	wait "$running" || true
	"$kiln" fold -q stacks.txt >folded
	cat folded
	as_napped 5
	[ "$(sum folded)" -eq "$(grep -E '^ +[0-9]+$' stacks.txt | sum)" ]
	"$kiln" info stacks.txt | grep -q '^off .* us in'
}

@test "xdebug: time and calls of PHP functions" {
	need php
	php -m | grep -qi xdebug || skip "needs php-xdebug"
	# It measures the time that passes: what else runs should not be in it.
	nice -n -20 php -d xdebug.mode=trace -d xdebug.start_with_request=yes -d xdebug.trace_format=1 \
		-d xdebug.output_dir=. -d xdebug.trace_output_name=trace "$programs/shares.php" >/dev/null
	"$kiln" fold -q trace.xt* >folded
	cat folded
	share three_quarters 70 80 folded
	share '{main}' 100 100 folded
	# From the entry of {main} to its exit, in microseconds.
	zcat -f trace.xt* | awk -F '\t' '$2 == 0 { t[$3] = $4 } END { printf "%d\n", (t[1] - t[0]) * 1e6 + 0.5 }' |
		diff - <(sum folded)
	"$kiln" fold -q --kind calls trace.xt* |
		diff - <(printf '%s\n' '{main};one_quarter;spin 60' '{main};str_repeat 1' '{main};three_quarters;spin 60')
}

@test "perf script report flamegraph: the samples of the recording, and known shares" {
	need gcc perf
	gcc -O0 -fno-omit-frame-pointer -o shares "$programs/shares.c"
	perf record -q -g -e cpu-clock:u -c 1000000 -o perf.data -- ./shares 3000 >said 2>&1 || skip "perf cannot record here"
	perf script report flamegraph -f json >said 2>&1 || skip "needs perf with its Python scripts"
	[ -e stacks.json ] || skip "needs perf with its Python scripts"
	"$kiln" fold -q stacks.json >folded
	[ "$(sum folded)" -eq "$(perf script -F comm -G | grep -c shares)" ]
	share three_quarters 70 80 folded
	share one_quarter 20 30 folded
}

@test "perf report -g folded: the stacks and numbers of the recording, however they are printed" {
	need gcc perf
	gcc -O0 -fno-omit-frame-pointer -o shares "$programs/shares.c"
	perf record -q -g -e cpu-clock:u -c 1000000 -o cpu.data -- ./shares 3000 >said 2>&1 || skip "perf cannot record here"
	"$kiln" fold -q cpu.data | sum >periods
	"$kiln" fold -q --kind samples cpu.data >samples
	for options in '--no-children -g folded,0,caller,count' '--no-children -g folded,0,callee,count -n' '-g folded,0,caller,count' \
		'-g folded,0,caller,count -s pid,sym' '--no-children -g folded,0,caller,count -s comm' \
		'--no-children -g folded,0,callee,count,address -F overhead,sample,period,comm,dso,sym'; do
		echo "$options"
		perf report --stdio $options -i cpu.data >report.txt 2>said
		"$kiln" fold -q report.txt >folded
		grep ';main;' samples | diff - <(grep ';main;' folded)
		sum samples | diff - <(sum folded)
		"$kiln" fold -q --kind samples report.txt | cmp - folded
	done
	perf report --stdio --no-children -g folded,0,period -i cpu.data 2>said | "$kiln" fold -q - >folded
	sum folded | diff periods -
	share three_quarters 66 84 folded
	perf report --stdio -g folded,0 -i cpu.data 2>said | "$kiln" fold -q - >folded
	share three_quarters 66 84 folded
	# A hundredth of a percent for each stack, up or down.
	awk -v periods="$(cat periods)" '{ sum += $NF } END { off = sum - periods; exit !(off * off <= (NR * periods / 10000) ^ 2) }' folded
}

@test "perf report: trees have the shares of perf script's stacks, as far as they are drawn" {
	need gcc perf
	gcc -O0 -fno-omit-frame-pointer -o shares "$programs/shares.c"
	perf record -q -g -e cpu-clock:u -c 1000000 -o cpu.data -- ./shares 3000 >said 2>&1 || skip "perf cannot record here"
	perf script -i cpu.data >script.txt 2>said
	"$kiln" fold -q script.txt | sed -E 's/\[[^];]*\]/[unknown]/g' >script.folded
	for options in '--no-children -g graph,0,caller' '--no-children -g graph,0,callee' '--no-children -g fractal,0,caller' \
		'--no-children -g fractal,0,callee' '-g graph,0,caller' '--no-children -g graph,0.5,caller' '-g graph,0.5,caller'; do
		echo "$options"
		perf report --stdio $options -i cpu.data >report.txt 2>said
		"$kiln" fold -q report.txt | sed -E 's/\[[^];.]*\]/[unknown]/g' >folded
		# Each stack within a hundredth of a percent; with a limit, those above it, and all functions by
		# themselves.
		python3 - "$options" <<-'END'
		import collections, sys
		def read(path, own):
		    sums = collections.Counter()
		    for line in open(path):
		        stack, value = line.rsplit(" ", 1)
		        sums[stack.rsplit(";", 1)[-1] if own else stack] += int(value)
		    return sums
		limited = "0.5" in sys.argv[1]
		for own in (False, True):
		    script, report = read("script.folded", own), read("folded", own)
		    total = sum(script.values())
		    for key in set(script) | set(report):
		        off = abs(script[key] - report[key]) / total
		        if limited and not own and (script[key] < total * 0.01 or "[...]" in key):
		            continue
		        print(key, off)
		        assert off <= (0.0002 if not own else 0.0001 * max(2, len(script))), key
		END
	done
}

@test "perf sched: the time between switches" {
	need root gcc perf
	gcc -O0 -fno-omit-frame-pointer -o naps "$programs/naps.c"
	perf record -q -a -g -m 16M -e sched:sched_switch -o switches.data -- ./naps 40 >said 2>&1 || skip "no tracepoints here"
	perf script -F time,comm,pid,tid,event,ip,sym,dso,trace -i switches.data >switches.txt 2>/dev/null
	"$kiln" fold -q --format perf-sched switches.txt | grep '^naps;' >folded
	cat folded
	as_napped 3
	# What passed between the lines about the program, whatever perf lost of them.
	awk '/sched:sched_switch:/ {
			match($0, / [0-9]+\.[0-9]+: /); time = substr($0, RSTART + 1, RLENGTH - 3) * 1000000
			if (match($0, /next_comm=naps next_pid=[0-9]+/)) { if (since) sum += time - since; since = 0 }
			if (match($0, /prev_comm=naps prev_pid=[0-9]+/)) since = time
		}
		END { printf "%.0f\n", sum }' switches.txt | diff - <(echo "$(($(sum folded) / 1000))")
	[ "$(sum folded)" -gt 100000000 ]
}
