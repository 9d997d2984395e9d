# record_targets.bats: whom does a recording see, and with which names?
load common

setup_file() {
	load common
	build_programs
}

# in_each_way: how samples of CPU time can be taken here.
in_each_way() {
	echo perf
	"$kiln" record -q --recorder bpf -o probe.kiln -- true 2>/dev/null && printf '%s\n' bpf 'bpf --untimed'
	return 0
}

# bats test_tags=kernels
@test "the whole system: other processes, kernel threads, idle CPUs" {
	"$bin/busy" 60 >/dev/null &
	before=$(used_ms $!)
	"$kiln" record -a -d 1s -o p.kiln 2>said
	used=$(($(used_ms $!) - before))
	kill %1
	# As much as it could get beside others, less what it had before and after.
	shown=$(shown_ms p.kiln '^busy;.*deeper;leaf')
	echo "$shown of $used ms"
	[ "$shown" -gt 0 ]
	[ "$shown" -le $((used + 20)) ]
	[ "$(value p.kiln "i['processes']")" -ge 2 ]
	grep -q 'kernel threads' said
	grep -q 'idle' said
}

# bats test_tags=kernels
@test "idle CPUs are a kind of their own" {
	"$kiln" record -q -a -d 1s -o p.kiln
	idle=$(value p.kiln "i['idle_samples']")
	work=$("$kiln" fold -q --kind samples p.kiln | awk '{ n += $NF } END { print n + 0 }')
	all=$("$kiln" fold -q --kind samples --idle p.kiln | awk '{ n += $NF } END { print n + 0 }')
	[ "$work" -eq "$(value p.kiln "s['delivered']")" ]
	[ "$all" -eq $((work + idle)) ]
	# A second of which nobody used much: none of what was idle is drawn.
	[ "$("$kiln" fold -q p.kiln | grep -c 'do_idle.*\(halt\|default_idle\)$' || true)" -eq 0 ]
}

# bats test_tags=kernels
@test "nothing of what a command takes turns with is taken for its own" {
	cp "$bin/busy" other
	for cpu in $(seq 0 $(($(nproc) - 1))); do taskset -c "$cpu" ./other 60 >/dev/null & done
	in_each_way >ways
	while read -r way; do
		# Some 1,000 switches between the two, and the start, when the kernel samples most often.
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -o p.kiln -- sh -c 'for i in $(seq 200); do sleep 0.001; done; exec "$0" 1' "$bin/busy" >/dev/null
		"$kiln" fold -q --kind samples --by-process p.kiln | grep -v '^sleep-' >folded
		cut -c 1-200 folded
		run -1 grep '^other-' folded
		"$kiln" fold -q p.kiln | grep -q '^busy;.*deeper;leaf'
	done <ways
	kill $(jobs -p)
}

# bats test_tags=kernels
@test "a system-wide recording for as long as a command runs" {
	cp "$bin/busy" ./alone # a name of its own: others may run the same on this machine
	"$kiln" record -a -o p.kiln -- ./alone 1 >own 2>said
	grep -q 'the command and its children' said
	python3 -c 'import sys; own, shown = map(float, sys.argv[1:]); print(own, shown); assert abs(own - shown) < 0.05 * own' \
		"$(($(cat own) / 1000000))" "$(shown_ms p.kiln '^alone;.*deeper;leaf')"
}

# bats test_tags=kernels
@test "a process, its threads and the children it starts" {
	sh -c "until [ -e go ]; do sleep 0.05; done; '$bin/busy' 1 1 >/dev/null; '$bin/busy' 1 3 >/dev/null; true" &
	"$kiln" record -q -p $! -o p.kiln &
	until_recording $!
	touch go
	wait $!
	at_least "$(share p.kiln '(^|;)_start.*deeper;leaf')" 20
	at_least "$(share p.kiln 'start_thread.*deeper;leaf|clone.*deeper;leaf')" 40
	[ "$(value p.kiln "i['threads']")" -ge 4 ]
}

@test "several processes, as pgrep prints them; while another command runs" {
	"$bin/busy" 3 >/dev/null &
	first=$!
	"$bin/busy" 3 >/dev/null &
	run -0 "$kiln" record -q -p "$first
	$!" -o p.kiln -- sleep 1
	[ "$(value p.kiln "i['processes']")" -eq 2 ]
	kill %1 %2
}

# bats test_tags=kernels
@test "a process and a thread of another one; what is named twice is sampled once" {
	"$bin/busy" 60 >/dev/null &
	first=$!
	"$bin/busy" 60 2 >/dev/null &
	second=$!
	until_threads $second 3
	thread=$(ls /proc/$second/task | tail -n 1)
	before=$(used_ms $first)
	"$kiln" record -q -p "$first,$first" -t "$thread,$first" -d 1s -o p.kiln
	used=$(($(used_ms $first) - before))
	kill $first $second
	[ "$(value p.kiln "i['processes']")" -eq 2 ]
	[ "$(value p.kiln "i['threads']")" -eq 2 ]
	adds_up p.kiln
	"$kiln" fold -q --by-process p.kiln >folded
	# One thread: not more samples than it has had CPU time.
	own=$(grep "^busy-$first;" folded | awk '{sum += $NF} END {printf "%d", sum / 1e6}')
	echo "$own of $used ms"
	[ "$own" -gt 0 ]
	[ "$own" -le $((used * 11 / 10 + 20)) ]
}

# bats test_tags=kernels
@test "one thread" {
	"$bin/busy" 60 2 >/dev/null &
	target=$!
	until_threads $target 3
	thread=$(ls /proc/$target/task | tail -n 1)
	"$kiln" record -q -t "$thread" -d 1s -o p.kiln
	[ "$(value p.kiln "i['threads']")" -eq 1 ]
	export -f used_ms until_used
	"$kiln" record -q -t "$thread" -o p.kiln -- bash -c "until_used $target/task/$thread 100"
	kill $target
	at_least "$(value p.kiln "s['delivered']")" 50
	at_least "$(share p.kiln 'deeper;leaf')" 99
}

# bats test_tags=kernels
@test "one CPU" {
	[ -e /sys/devices/system/cpu/cpu1 ] || skip "there is only one"
	cp "$bin/busy" ./pinned # a name of its own: others may be busy on that CPU
	"$kiln" record -q -a -C 1 -o p.kiln -- taskset -c 0 ./pinned 0.3 >/dev/null
	[ "$(shown_ms p.kiln '^pinned;.*leaf')" -eq 0 ]
	"$kiln" record -q -a -C 0 -o p.kiln -- taskset -c 0 ./pinned 0.3 >/dev/null
	[ "$(shown_ms p.kiln '^pinned;.*leaf')" -gt 250 ]
}

# bats test_tags=kernels
@test "processes that live for milliseconds have names" {
	cat >spawn.sh <<-END
		for i in \$(seq 40); do "$bin/busy" 0.02 >/dev/null; done
	END
	"$kiln" record -q -o p.kiln -- sh spawn.sh
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 50
}

@test "fork and exec: the child's code is the child's" {
	in_each_way | while read -r way; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -o p.kiln -- perl -e 'for (1) { fork or do { my $t = times; 1 while times - $t < 0.5; exit }; wait; exec @ARGV }' "$bin/busy" 1
		at_least "$(share p.kiln '^busy;.*main;.*deeper;leaf')" 15
		at_least "$(share p.kiln '^perl;.*(Perl_runops|perl_run)')" 15
		[ "$way" != "bpf --untimed" ] || continue # then a process has one name
		[ "$("$kiln" fold -q p.kiln | grep -cE '^busy;.*(Perl_|perl_run)|^perl;.*deeper;leaf' || true)" -eq 0 ]
	done
}

# bats test_tags=kernels
@test "libraries that are loaded while it runs" {
	cat >plug.c <<-'END'
		volatile unsigned long plug_sink;
		__attribute__((noinline)) void plug_inner(void) { for (int i = 0; i < 1000000; i++) plug_sink += i; plug_sink++; }
		void plug(void) { for (int i = 0; i < 300; i++) plug_inner(); plug_sink++; }
	END
	cat >host.c <<-'END'
		#include <dlfcn.h>
		#include <unistd.h>
		int main(int c, char **v) { (void)c; usleep(300000); ((void (*)(void))dlsym(dlopen(v[1], RTLD_NOW), "plug"))(); return 0; }
	END
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o plug.so plug.c
	gcc -O2 -o host host.c -ldl
	in_each_way | while read -r way; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -o p.kiln -- ./host ./plug.so
		at_least "$(share p.kiln 'main;plug;plug_inner')" 90
	done
}

# bats test_tags=kernels
@test "a binary that is deleted and replaced while it runs" {
	in_each_way >ways
	while read -r way; do
		cp "$bin/busy" gone
		./gone 30 >/dev/null &
		until [ "/proc/$!/exe" -ef gone ]; do sleep 0.01; done # not before it is executed
		rm gone
		cp /bin/true gone
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -p $! -d 1s -o p.kiln
		kill $!
		at_least "$(share p.kiln 'main;.*deeper;leaf')" 90
	done <ways
}

# bats test_tags=kernels
@test "a process in other namespaces" {
	mkdir hidden
	unshare --mount --pid --fork sh -c "mount -t tmpfs none hidden && cp '$bin/busy' hidden/secret && hidden/secret 30 >/dev/null" &
	until pgrep -nx secret; do sleep 0.05; done
	in_each_way >ways
	while read -r way; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -p "$(pgrep -nx secret)" -d 1s -o p.kiln
		at_least "$(share p.kiln 'main;.*deeper;leaf')" 90
	done <ways
	[ ! -e hidden/secret ]
	kill "$(pgrep -nx secret)"
	wait
}

# bats test_tags=kernels
@test "code of a just-in-time compiler: names from its map, in its own namespaces" {
	cat >jit.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		/* push rbp; mov rbp, rsp; mov ecx, 2000000000; 1: dec ecx; jnz 1b; pop rbp; ret */
		static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x00, 0x94, 0x35,
			0x77, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
		int main(void)
		{
			char *at = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
			memcpy(at, code, sizeof(code));
			sprintf(path, "/tmp/perf-%d.map", getpid());
			FILE *f = fopen(path, "w");
			fprintf(f, "%lx %lx made_up_function\n", (long)at, sizeof(code));
			fclose(f);
			((void (*)(void))at)();
			return 0;
		}
	END
	gcc -O2 -o jit jit.c
	in_each_way | while read -r way; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -d 2s -o p.kiln -- ./jit || true
		at_least "$(share p.kiln 'main;made_up_function')" 90
		# No table describes the made-up function: its caller is what its frame pointer says.
		"$kiln" info p.kiln | grep -E '^frame pointers +[0-9,]+ of [0-9,]+ user stacks contain code without'
	done
	rm -f /tmp/perf-*.map
}

# bats test_tags=kernels
@test "code whose unwind table has a rule that only an expression can say" {
	cat >by_expression.s <<-'END'
		.globl by_expression
		.type by_expression, @function
		by_expression:
		.cfi_startproc
		push %rbx
		.cfi_escape 0x0f, 4, 0x77, 8, 0x38, 0x22 # the CFA is: rsp + 8; 8; plus
		call *%rdi
		pop %rbx
		.cfi_def_cfa %rsp, 8
		ret
		.cfi_endproc
		.size by_expression, .-by_expression
		.section .note.GNU-stack, "", @progbits
	END
	cat >calls.c <<-'END'
		volatile unsigned long sink;
		void by_expression(void (*f)(void));
		__attribute__((noinline)) void called(void) { for (long i = 0; i < 1000000000; i++) sink += i; sink++; }
		int main(void) { by_expression(called); return sink == 1; }
	END
	gcc -O2 -fomit-frame-pointer -o calls calls.c by_expression.s
	in_each_way | while read -r way; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -o p.kiln -- ./calls
		at_least "$(share p.kiln '^calls;_start;.*main;by_expression;called')" 97
	done
}

# ---- Commands of many processes ----

# What prints its CPU time and that of the processes it started.
prints_own() {
	cat >"$1"
	cat >>"$1" <<-'END'
	import resource
	used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
	print(sum(u.ru_utime + u.ru_stime for u in used))
	END
}

many_processes() {
	prints_own many.py <<-'END'
	import os
	for _ in range(400):
	    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
	END
}

# The group of a recorder, wherever perf events have their hierarchy.
group_of() {
	find /sys/fs/cgroup -type d -name "kiln-$1-*" 2>/dev/null
}

# Can a control group be made for commands here?
needs_groups() {
	"$kiln" record -q -o probe.kiln -- cat /proc/self/cgroup >probe
	grep -q '/kiln-[0-9]*-[0-9a-f]*$' probe || skip "no control groups to change"
}

# bats test_tags=kernels
@test "processes that are shorter than a period are sampled as often as they use the CPU" {
	needs_groups
	many_processes
	in_each_way | while read -r way; do
		# shellcheck disable=SC2086
		"$kiln" record -q --recorder $way -o p.kiln -- python3 -S many.py >own
		adds_up p.kiln
		python3 - "$(cat own)" "$(value p.kiln "s['delivered']")" "$(value p.kiln "s['lost']")" <<-'END'
		import sys
		own, delivered, lost = float(sys.argv[1]) * 997, int(sys.argv[2]), int(sys.argv[3])
		print(own, delivered, lost)
		# The interpreter's end is not in its count: some 1%. Where each new process woke the recorder up, there were 2 to 7% more.
		assert 0.9 * own - 5 < delivered < 1.03 * own + 10, (own, delivered)
		assert lost <= 0.05 * (delivered + lost), (lost, delivered)
		END
		at_least "$(share p.kiln '^true;')" 30
		# Who is ending has no user stack any more: none is missing.
		[ "$way" = perf ] || [ "$("$kiln" fold -q p.kiln | grep -c '^true;\[truncated:no-registers\]' || true)" -eq 0 ]
	done
}

@test "a build: samples are the CPU time that it used" {
	needs_groups
	prints_own build.py <<-'END'
	import subprocess
	for i in range(12):
	    with open(f"f{i}.c", "w") as f:
	        f.writelines(f"int a{i}_{j}(int x) {{ for (int k = 0; k < x; k++) x += k * {j}; return x; }}\n" for j in range(150))
	jobs = [subprocess.Popen(["gcc", "-O2", "-c", f"f{i}.c"]) for i in range(12)]
	assert not any([job.wait() for job in jobs])
	END
	"$kiln" record -q -o p.kiln -- python3 -S build.py >own
	adds_up p.kiln
	python3 - "$(cat own)" "$(value p.kiln "s['delivered']")" "$(value p.kiln "s['lost']")" <<-'END'
	import sys
	own, delivered, lost = float(sys.argv[1]) * 997, int(sys.argv[2]), int(sys.argv[3])
	print(own, delivered, lost)
	assert abs(delivered - own) < 0.02 * own + 10, (own, delivered)
	assert lost < 0.01 * delivered, (lost, delivered)
	END
}

# bats test_tags=kernels
@test "without a control group short processes are undersampled, and it is said" {
	many_processes
	cat >inside <<-'END'
	for at in $(awk '$3 ~ /^cgroup/ {print $2}' /proc/mounts); do
		mount -o remount,bind,ro "$at"
	done
	exec "$@"
	END
	unshare --mount sh inside "$kiln" record -o p.kiln -- python3 -S many.py >own 2>said
	cat said
	adds_up p.kiln
	[ "$(value p.kiln "s['losses']['missed timer']")" -gt 30 ]
	grep -q 'many processes ended before their first sample' said
}

# bats test_tags=kernels
@test "what outlives the recording goes back to where it would have been" {
	needs_groups
	"$kiln" record -q -o p.kiln -- sh -c '"$0" 3 >/dev/null 2>&1 & echo $! >pid' "$bin/busy"
	sed 's/kiln-[0-9]*-[0-9a-f]*$//; s|\([^:]\)/$|\1|' probe | diff - "/proc/$(cat pid)/cgroup"
	kill "$(cat pid)"
}

# bats test_tags=kernels
@test "no control group is left behind; one of a recorder that was killed, until the next" {
	needs_groups
	for signal in INT TERM; do
		"$kiln" record -q -o p.kiln -- "$bin/busy" 3 &
		recorder=$!
		until_recording $recorder
		[ -n "$(group_of $recorder)" ]
		kill -$signal $recorder
		wait $recorder || true
		[ -z "$(group_of $recorder)" ]
	done
	"$kiln" record -q -o p.kiln -- ./nowhere &
	recorder=$!
	wait $recorder || [ $? -eq 127 ]
	[ -z "$(group_of $recorder)" ]
	"$kiln" record -q -o p.kiln -- sh -c 'echo $$ >pid; exec sleep 60' &
	recorder=$!
	until_recording $recorder
	until [ -s pid ]; do sleep 0.02; done
	kill -KILL $recorder
	wait $recorder || true
	group=$(group_of $recorder)
	[ -n "$group" ]
	kill "$(cat pid)"
	while [ -n "$(cat "${group%%$'\n'*}/cgroup.procs")" ]; do sleep 0.02; done
	"$kiln" record -q -o p.kiln -- true
	[ -z "$(group_of $recorder)" ]
}

# bats test_tags=kernels
@test "processes that go to another control group are told of" {
	needs_groups
	cat >away <<-'END'
	group=$(find /sys/fs/cgroup -type d -name "kiln-$PPID-*")
	echo $$ >"${group%/*}/cgroup.procs"
	"$1" 1
	END
	"$kiln" record -o p.kiln -- sh away "$bin/busy" >own 2>said
	cat said
	grep -q 'moved to another control group and used [0-9]* ms' said
	"$kiln" record -o p.kiln -- "$bin/busy" 1 >own 2>said
	run -1 grep 'another control group' said
}
