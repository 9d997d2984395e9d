# equality.bats: does folding perf.data give what folding the `perf script` text gives?
load common

setup_file() {
	load common
	[ -z "$(missing)" ] || return 0
	export bin=$BATS_FILE_TMPDIR
	for name in threads forks calls deep; do
		build $name $name.c
		build $name-fp $name.c -fno-omit-frame-pointer
	done
	build templates templates.cc
	build templates-fp templates.cc -fno-omit-frame-pointer
	rustc -O -g -C force-frame-pointers=yes -o "$bin/traits" "$here/programs/traits.rs" || true
}

@test "the comparison sees a weight, a stack and a frame that differ" {
	printf 'a;b 5\na;c 6\n' >one
	for other in 'a;b 5\na;c 7\n' 'a;b 5\n' 'a;b 5\na;d 6\n' 'a;b 5\na;c 6\na;d 1\n' ''; do
		printf "$other" >other
		run -1 python3 "$here/compare_folds.py" /dev/null /dev/null one other
		run -1 python3 "$here/compare_folds.py" /dev/null /dev/null other one
	done
	run -0 python3 "$here/compare_folds.py" /dev/null /dev/null one one
	[ "$output" = "one: 11 of 11 equal (100.0%); 2 of 2 stacks" ]
}

# neighbours OURS: Kiln's name for a call that is the last instruction before b_next, which is also a_next, and
# also where nothing is before it.
neighbours() {
	printf 'x;%s;leaf 5\n' "$1" >ours
	python3 "$here/compare_folds.py" /dev/null text theirs ours
}

@test "the comparison knows the neighbour of a last call by all of its names, and no other function" {
	printf '.globl first,caller,a_next,b_next,leaf,other,alone\n.text\nfirst: nop\n.fill 16\n.size first,1
		caller: call leaf\n.size caller,.-caller\na_next: b_next: ret\n.size a_next,1\n.size b_next,1
		leaf: ret\n.size leaf,1\nother: ret\n.size other,1\n.fill 16\na_alone: alone: ret\n.size alone,1\n.size a_alone,1
		.type first,@function\n.type caller,@function\n.type a_next,@function\n.type b_next,@function
		.type leaf,@function\n.type other,@function\n.type alone,@function\n.type a_alone,@function\n' >code.s
	cc -shared -nostdlib -Wl,--build-id=none code.s -o code.so
	for next in b_next alone; do
		printf "x 1 1.0: cpu-clock:\n\t 10 leaf+0x0 ($PWD/code.so)\n\t 20 $next+0x0 ($PWD/code.so)\n\n" >text
		printf "x;$next;leaf 5\n" >theirs
		for ours in caller other first '[code.so]'; do
			run neighbours "$ours"
			echo "$next $ours: $output"
			case $next-$ours in
			b_next-caller | 'alone-[code.so]') [ "$status" -eq 0 ] ;;
			*) [ "$status" -eq 1 ] ;;
			esac
		done
	done
}

@test "the comparison knows the neighbour of a last call also below an address without a name" {
	printf '.globl first,next\n.text\nfirst: nop\n.size first,1\n.fill 16\nnext: ret\n.size next,1
		.type first,@function\n.type next,@function\n' >code.s
	cc -shared -nostdlib -Wl,--build-id=none code.s -o code.so
	printf "x 1 1.0: cpu-clock:\n\t 7f10 [unknown] ([unknown])\n\t 20 next+0x0 ($PWD/code.so)\n\n" >text
	printf 'x;next;[unknown] 5\n' >theirs
	for ours in '[code.so]' first; do
		printf 'x;%s;[unknown] 5\n' "$ours" >ours
		run python3 "$here/compare_folds.py" /dev/null text theirs ours
		echo "$ours: $output"
		case $ours in
		'[code.so]') [ "$status" -eq 0 ] ;;
		*) [ "$status" -eq 1 ] ;;
		esac
	done
}

@test "frame pointers: system calls, page faults, the vdso, signals, calls that do not return" {
	record calls -g -- "$bin/calls-fp"
	same calls
}

@test "frame pointers: threads whose names change" {
	record threads -g -- "$bin/threads-fp"
	same threads
}

@test "frame pointers: forks, and what only children map" {
	record forks -g -- "$bin/forks-fp"
	same forks
}

@test "frame pointers: C++ templates and what is inlined" {
	record templates -g -- "$bin/templates-fp"
	same templates
	same_without_inlined templates.data
}

@test "frame pointers: Rust" {
	[ -x "$bin/traits" ] || skip "no rustc"
	record traits -g -- "$bin/traits"
	same traits
}

@test "frame pointers: code that has none" {
	record python -g -- python3 -c 'import json; [json.loads(json.dumps(list(range(500)))) for _ in range(3000)]'
	same python
}

@test "frame pointers: as many frames as the kernel's limit, and more" {
	record deep -g -- "$bin/deep-fp" 200
	same deep
}

@test "node, with its map" {
	command -v node >/dev/null || skip "no node"
	record node -g -- sh -c 'echo $$ >pid; exec node --perf-basic-prof --interpreted-frames-native-stack "$1"' sh "$here/programs/tiers.js"
	same node
	rm -f "/tmp/perf-$(cat pid).map"
}

@test "the whole system" {
	record system -g -a -- "$bin/threads-fp"
	comms="swapper|perf|threads-fp|plain|changed|two_words|three_more_word|\[kworker.*|\(paren.*|x|1234|fif.*|a:b" same system
}

@test "two events" {
	perf record -q -F 2999 -e cpu-clock,page-faults -g -o two.data -- "$bin/calls-fp"
	same two
	kind=page-faults same two
}

@test "tracepoints" {
	[ -d /sys/kernel/tracing/events ] || skip "no tracepoints"
	perf record -q -e sched:sched_switch,sched:sched_process_exit -g -o tracepoints.data -- "$bin/threads-fp"
	kind=sched:sched_switch same tracepoints
	kind=sched:sched_process_exit same tracepoints
}

@test "a pipe" {
	perf record -q -F 2999 -e cpu-clock -g -o - -- "$bin/calls-fp" >pipe.data
	same pipe
	"$kiln" fold -q --idle --all --kind cpu - <pipe.data | cmp pipe.cpu.kiln -
}

@test "compressed" {
	record compressed -z -g -- "$bin/threads-fp"
	same compressed
}

@test "one process, many programs" {
	for link in 1 2 3 4 5; do
		build chain$link chain.c -fno-omit-frame-pointer -DLINK=link_$link
	done
	record chain -g -- "$bin/chain1" "$bin/chain2" "$bin/chain3" "$bin/chain1" "$bin/chain4" "$bin/chain5"
	same chain
}

@test "a shell and what it starts" {
	record shell -g -- sh -c 'for i in 1 2 3 4 5; do ls -lR /usr/include/linux | sort -k5 | md5sum; done'
	same shell
}

@test "libraries at the addresses of libraries before them" {
	build plugins plugins.c -fno-omit-frame-pointer
	for size in 64 256 1024; do
		build plugin$size.so plugin.c -fno-omit-frame-pointer -shared -fPIC -DPLUGIN=plugin_$size -DPADDING="\"$size\""
	done
	record plugins -g -- "$bin/plugins" "$bin"/plugin64.so "$bin"/plugin256.so "$bin"/plugin1024.so
	same plugins
}

@test "a binary that is deleted while it runs" {
	cp "$bin/calls-fp" doomed
	record deleted -N -g -- sh -c './doomed & sleep 0.05; rm doomed; wait'
	same deleted
}

@test "no call chains" {
	record flat -- "$bin/calls-fp"
	same flat
}

@test "every field that a sample can have here" {
	record fields -g -a -s -d -W --phys-data --data-page-size --code-page-size --all-cgroups --namespaces \
		--switch-events --sample-cpu --sample-identifier --intr-regs=ax,bx --user-regs=ip,sp,bp --buildid-mmap -- "$bin/calls-fp"
	comms="swapper|perf|calls-fp" same fields
}

@test "files of old kernels that were made word by word" {
	golden=$here/../golden/perf-data
	for file in "$golden"/old-*.data; do
		perf script --symfs "$golden/root" -i "$file" 2>/dev/null | "$kiln" fold -q | diff "$golden/old.folded" -
	done
}

# perf's unwinder is not Kiln's, so libdwfl is asked. Nor are functions named after those inlined into
# them, as addr2line's answers make perf do: inlined functions have an oracle of their own.
unwound() {
	local name=$1
	shift
	record "$name" --call-graph "$@"
	shown "$checkers/dwfl_frames" "$name.data"
	same "$name" --no-inline --unwound
	same_without_inlined "$name.data"
}

@test "stack copies: threads" {
	unwound threads dwarf -- "$bin/threads"
}

@test "stack copies: signals, system calls, calls that do not return" {
	unwound calls dwarf -- "$bin/calls"
}

@test "stack copies: forks, and what only children map" {
	unwound forks dwarf -- "$bin/forks"
}

@test "stack copies: C++ and Rust" {
	unwound templates dwarf -- "$bin/templates"
	[ ! -x "$bin/traits" ] || unwound traits dwarf -- "$bin/traits"
}

@test "stack copies: deeper than perf script looks" {
	unwound deep dwarf,16384 -- "$bin/deep" 200
}

@test "stack copies: a program of the distribution" {
	unwound python dwarf,65528 -F 997 -- python3 -c 'import json; [json.loads(json.dumps(list(range(500)))) for _ in range(1500)]'
}

# perf writes a folder then: a file with the header, and a file for the records of each thread, in any order of time.
@test "perf record --threads: the folder is read as one recording, compressed and not" {
	perf record -q --threads -F 999 -e cpu-clock -g -o folder -- "$bin/calls-fp" 2>/dev/null || skip "perf cannot record so"
	# Functions have several names: stacks are compared by their numbers of frames.
	depths='{ all[gsub(/;/, ";")] += $NF } END { for (n in all) print n, all[n]; exit !NR }'
	"$kiln" fold -q folder | awk "$depths" | sort >own
	perf script -i folder 2>/dev/null | "$kiln" fold -q - | awk "$depths" | sort | diff own -
	perf record -q -z --threads -a -F 999 -e cpu-clock -o packed -- "$bin/threads" 2>/dev/null
	"$kiln" fold -q --idle packed | awk '{ all += $NF } END { print all }' >own
	perf script -i packed 2>/dev/null | "$kiln" fold -q --idle - | awk '{ all += $NF } END { print all }' | diff own -
	run -2 "$kiln" fold folder/data
	[ "$output" = "kiln: folder/data: no samples: perf record --threads has written them to the files data.0, data.1, ... beside it; name the folder" ]
	for part in folder/data.?; do [ ! -s "$part" ] || last=$part; done
	run -2 "$kiln" fold "$last"
	[[ $output == "kiln: $last: one thread's records of \`perf record --threads\`, without the header in \`data\`, which Kiln does not read: name the folder of both" ]]
	mkdir empty
	run -2 "$kiln" fold empty
	[ "$output" = "kiln: empty: is a directory; name a file in it" ]
	run -2 "$kiln" fold folder own
	rm folder/data.0
	ln -s data.0 folder/data.0
	run -1 "$kiln" fold folder
	[[ $output == "kiln: folder: cannot open file 2 of those that belong to it: "* ]]
}
