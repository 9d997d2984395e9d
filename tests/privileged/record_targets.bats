# record_targets.bats: whom does a recording see, and with which names?
load common

setup_file() {
	load common
	build_programs
}

@test "the whole system: other processes, kernel threads, idle CPUs" {
	"$bin/busy" 2 >/dev/null &
	"$kiln" record -a -d 1s -o p.kiln 2>said
	wait
	at_least "$(share p.kiln 'deeper;leaf')" 5
	[ "$(value p.kiln "i['processes']")" -ge 2 ]
	grep -q 'kernel threads' said
	grep -q 'idle' said
}

@test "idle CPUs are a kind of their own" {
	"$kiln" record -q -a -d 1s -o p.kiln
	idle=$(value p.kiln "i['idle_samples']")
	[ "$(value p.kiln "s['delivered']")" -ge "$idle" ]
	# A second of which nobody used much: most of it was idle, and none of that is drawn.
	[ "$("$kiln" fold -q p.kiln | grep -c 'do_idle.*\(halt\|default_idle\)$' || true)" -eq 0 ]
}

@test "a system-wide recording for as long as a command runs" {
	run -0 "$kiln" record -a -o p.kiln -- "$bin/busy" 1
	at_least "$(share p.kiln 'deeper;leaf')" 5
	[[ "$output" == *"the command and its children"* ]]
}

@test "a process, its threads and the children it starts" {
	sh -c "sleep 0.5; '$bin/busy' 1 1 >/dev/null; '$bin/busy' 1 3 >/dev/null; true" &
	"$kiln" record -q -p $! -o p.kiln
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

@test "a process and a thread of another one; what is named twice is sampled once" {
	"$bin/busy" 3 >/dev/null &
	first=$!
	"$bin/busy" 3 2 >/dev/null &
	second=$!
	sleep 0.2
	thread=$(ls /proc/$second/task | tail -n 1)
	"$kiln" record -q -p "$first,$first" -t "$thread,$first" -d 1s -o p.kiln
	kill $first $second
	[ "$(value p.kiln "i['processes']")" -eq 2 ]
	[ "$(value p.kiln "i['threads']")" -eq 2 ]
	adds_up p.kiln
	"$kiln" fold -q --by-process p.kiln >folded
	# One thread for a second: not more samples than a second has.
	own=$(grep "^busy-$first;" folded | awk '{sum += $NF} END {print sum / 1e9}')
	at_least 1.1 "$own"
}

@test "one thread" {
	"$bin/busy" 2 2 >/dev/null &
	target=$!
	sleep 0.2
	thread=$(ls /proc/$target/task | tail -n 1)
	"$kiln" record -q -t "$thread" -d 1s -o p.kiln
	[ "$(value p.kiln "i['threads']")" -eq 1 ]
	kill $target
}

@test "one CPU" {
	cp "$bin/busy" ./pinned # a name of its own: others may be busy on that CPU
	taskset -c 0 ./pinned 1 >/dev/null &
	"$kiln" record -q -C 1 -d 500ms -o p.kiln
	at_most=$(share p.kiln '^pinned;')
	python3 -c "assert $at_most == 0, $at_most"
	"$kiln" record -q -C 0 -d 200ms -o p.kiln
	at_least "$(share p.kiln '^pinned;')" 1
	wait
}

@test "processes that live for milliseconds have names" {
	cat >spawn.sh <<-END
		for i in \$(seq 40); do "$bin/busy" 0.02 >/dev/null; done
	END
	"$kiln" record -q -o p.kiln -- sh spawn.sh
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 50
}

@test "fork and exec: the child's code is the child's" {
	"$kiln" record -q -o p.kiln -- perl -e 'for (1) { fork or do { my $t = times; 1 while times - $t < 0.5; exit }; wait; exec @ARGV }' "$bin/busy" 1
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 15
	at_least "$(share p.kiln 'Perl_runops|perl_run')" 15
}

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
	"$kiln" record -q -o p.kiln -- ./host ./plug.so
	at_least "$(share p.kiln 'main;plug;plug_inner')" 90
}

@test "a binary that is deleted and replaced while it runs" {
	cp "$bin/busy" gone
	./gone 2 >/dev/null &
	rm gone
	cp /bin/true gone
	"$kiln" record -q -p $! -d 1s -o p.kiln
	wait
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 90
}

@test "a process in other namespaces" {
	mkdir hidden
	unshare --mount --pid --fork sh -c "mount -t tmpfs none hidden && cp '$bin/busy' hidden/secret && hidden/secret 3 >/dev/null" &
	sleep 0.5
	"$kiln" record -q -p "$(pgrep -n secret)" -d 1s -o p.kiln
	[ ! -e hidden/secret ]
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 90
	wait
}

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
	"$kiln" record -q -d 2s -o p.kiln -- ./jit || true
	at_least "$(share p.kiln 'main;made_up_function')" 90
	rm -f /tmp/perf-*.map
}
