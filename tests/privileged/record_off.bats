# record_off.bats: is what threads wait for what they know themselves, each reason apart, and all of it there?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode off -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

# programs_in_kernel: how many of ours there are.
programs_in_kernel() {
	PATH=$PATH:/usr/sbin bpftool prog | grep -cE ' name on_(switch|wakeup|fork|new) ' || true
}

# bats test_tags=kernels
@test "each function's time off the CPU is what its thread knows, each reason apart" {
	for _ in 1 2 3 4 5; do # or, where the kernel hides switches, nearly
		head -n 1 /proc/stat >before
		"$kiln" record -q --mode off -o p.kiln -- "$bin/waiting" >own
		head -n 1 /proc/stat >after
		[ "$(value p.kiln "s['lost']")" -gt 0 ] || break
	done
	check_truth
}

# bats test_tags=kernels
@test "the same where threads compete for CPUs: preempted is not waiting" {
	head -n 1 /proc/stat >before
	"$kiln" record -q --mode off -o p.kiln -- "$bin/waiting" $((2 * $(nproc) + 1)) >own
	head -n 1 /proc/stat >after
	check_truth
}

# bats test_tags=kernels
@test "processes that run already, their threads and children, and single threads" {
	sh -c 'until [ -e go ]; do sleep 0.05; done; "$@" >own; rm go' sh "$bin/waiting" &
	target=$!
	"$kiln" record -q --mode off -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	head -n 1 /proc/stat >before
	touch go
	wait $target $recorder
	head -n 1 /proc/stat >after
	check_truth
	sleep 10 &
	target=$!
	"$kiln" record -q --mode off -d 500ms -t $target -o t.kiln
	[ "$(value t.kiln "s['delivered']")" -eq 1 ]
	kill $target
}

# bats test_tags=kernels
@test "who waits already when it begins, and still when it ends, is in it for that time" {
	sleep 10 &
	target=$!
	"$kiln" record -q --mode off -d 1s -p $target -o p.kiln
	kill $target
	adds_up p.kiln
	ms=$(waits p.kiln '^sleep;.*;__libc_start_[a-z_]*;.*nanosleep.*;\[sleeping: [a-z_]*\] ')
	[ "$ms" -ge 500 ] # how long it takes to begin is the machine's affair
	[ "$ms" -le 1100 ]
	# Frame pointers are looked for on stacks of threads that run.
	sleep 10 &
	target=$!
	"$kiln" record -q --mode off --call-graph fp -d 1s -p $target -o p.kiln
	kill $target
	[ "$(waits p.kiln '^sleep;\[truncated:waited-before\];.*nanosleep.*;\[sleeping: [a-z_]*\] ')" -ge 500 ]
	# And one whose stack was seen.
	"$kiln" record -q --mode off -d 1s -o p.kiln -- sleep 10
	ms=$(waits p.kiln '^sleep;([^t].*)?nanosleep.*;\[sleeping: [a-z_]*\] ')
	[ "$ms" -ge 500 ]
	[ "$ms" -le 1100 ]
}

# bats test_tags=kernels
@test "the whole system: every thread waits or runs" {
	"$kiln" record -q --mode off -a -o p.kiln -- "$bin/waiting" >own
	adds_up p.kiln
	[ "$(waits p.kiln '^waiting;.*;\[sleeping: [a-z_]*\] ')" -ge 3000 ]
	[ "$(waits p.kiln '^swapper')" -eq 0 ]
	"$kiln" info p.kiln | grep -q '^below 10.0 µs .* waits left out, '
}

# bats test_tags=kernels
@test "--state and --min leave out what they say, and say how much" {
	"$kiln" record -q --mode off --state P,queue -o p.kiln -- "$bin/waiting" 4 >own
	[ "$(waits p.kiln '\[sleeping: [a-z_]*\] ')" -eq 0 ]
	[ "$(waits p.kiln '\[preempted\] ')" -ge 500 ]
	"$kiln" record -q --mode off --min 90ms --max 200ms --state sleeping -o p.kiln -- "$bin/waiting" >own
	adds_up p.kiln
	[ "$(waits p.kiln ';writes;.*\[sleeping: [a-z_]*\] ')" -ge 900 ] # but for a switch that was not seen
	[ "$(waits p.kiln ';sleeps;')" -le 500 ] # only where it had to queue for 40 ms more
	"$kiln" info p.kiln | grep -q '^below 90.0 ms .* waits left out, [0-9.]* s in all'
	"$kiln" info p.kiln | grep -q '^beyond 200 ms '
}

# bats test_tags=kernels
@test "-k and -u leave halves of stacks out, -C other CPUs" {
	"$kiln" record -q --mode off -k -o p.kiln -- "$bin/waiting" >own
	[ "$(waits p.kiln ';sleeps;')" -eq 0 ]
	[ "$(waits p.kiln ';do_syscall_64;.*nanosleep')" -ge 1900 ]
	"$kiln" record -q --mode off -u -o p.kiln -- "$bin/waiting" >own
	[ "$(waits p.kiln ';do_syscall_64;')" -eq 0 ]
	[ "$(waits p.kiln ';sleeps;\[sleeping: [a-z_]*\] ')" -ge 900 ] # 20 times 50 ms, but for a switch that was not seen
	"$kiln" record -q --mode off -C 0 -o p.kiln -- taskset -c 0 "$bin/waiting" >own
	[ "$(waits p.kiln ';sleeps;')" -ge 900 ]
}

@test "--untimed: the same sums, of the value and of the count, without times and in a small file" {
	for option in "" --untimed; do
		"$kiln" record -q --mode off $option -o "p$option.kiln" -- "$bin/counting" 3000 >own
		nothing_lost "p$option.kiln"
		"$kiln" fold -q --kind waits "p$option.kiln" | awk '{ sum += $NF } END { print sum }' >"waits$option"
		[ "$(cat "waits$option")" -eq "$(value "p$option.kiln" "s['delivered']")" ]
	done
	[ "$(cat waits--untimed)" -ge 3000 ]
	[ "$(($(stat -c %s p--untimed.kiln) * 5))" -le "$(stat -c %s p.kiln)" ]
	"$kiln" info p.kiln | grep -q "time span"
	run ! grep -q "time span" <("$kiln" info p--untimed.kiln)
}

# with_stopped_recorder [OPTION...]: it does nothing while its target has some thousands of waits.
with_stopped_recorder() {
	sh -c 'until [ -e go ]; do sleep 0.05; done; exec "$@"' sh "$bin/counting" 3000 >own &
	record_stopped $! --mode off "$@"
}

# bats test_tags=kernels
@test "with the recorder stopped and a ring of a page, what is lost is counted, and --strict says no" {
	with_stopped_recorder -m 4K
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['losses']['ring full']")" -ge 2000 ]
	[ "$(value p.kiln "s['expected']")" -ge 3000 ]
	rm go
	with_stopped_recorder -m 4K --strict
	wait $recorder || code=$?
	[ "$code" -eq 3 ]
	rm go
	with_stopped_recorder --strict
	wait $recorder
	nothing_lost p.kiln
	[ "$(value p.kiln "s['delivered']")" -ge 3000 ]
}

# bats test_tags=kernels
@test "nothing stays in the kernel when it is killed" {
	before=$(programs_in_kernel)
	"$kiln" record -q --mode off -a -o p.kiln &
	recorder=$!
	until_recording $recorder
	[ "$(programs_in_kernel)" -gt "$before" ]
	kill -9 $recorder
	wait $recorder || true
	for _ in $(seq 100); do
		[ "$(programs_in_kernel)" -le "$before" ] && break
		sleep 0.1
	done
	[ "$(programs_in_kernel)" -le "$before" ]
}

# bats test_tags=kernels
@test "without privileges, the capabilities are named and nothing is left" {
	run setpriv --reuid 65534 --clear-groups "$bin/kiln" record --mode off -o p.kiln -- true
	echo "$output"
	[ "$status" -eq 125 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *CAP_BPF*CAP_PERFMON* ]]
	[ ! -e p.kiln ]
}

@test "a picture, and times and CPUs with each wait" {
	"$kiln" record -q --mode off -o p.svg -- "$bin/waiting" >own
	grep -q 'sleeps' p.svg
	"$kiln" record -q --mode off -o p.folded -- sleep 0.1
	grep -q '\[sleeping: clock_nanosleep\]' p.folded
	"$kiln" record -q --mode off -o p.kiln -- sleep 0.2
	"$kiln" fold -q --by-thread p.kiln | grep -q sleep
	run "$kiln" info p.kiln
	[[ "$output" == *"recorder      off"* ]]
}

# bats test_tags=kernels
@test "where threads sleep: in which call, in a page fault, for input and output; --state picks" {
	"$kiln" record -q --mode off --state S:read -o p.kiln -- "$bin/waiting" >own
	nothing_lost p.kiln
	[ "$(waits p.kiln ';reads;.*;\[sleeping: read\] ')" -ge 900 ]
	[ "$("$kiln" fold -q p.kiln | grep -v -c ';reads;.*;\[sleeping: read\] ')" -eq 0 ]
	"$kiln" record -q --mode off --state futex,queue -o p.kiln -- "$bin/waiting" >own
	[ "$(waits p.kiln ';wants;.*;\[sleeping: futex\] ')" -ge 200 ]
	[ "$("$kiln" fold -q p.kiln | grep -v -c ';\[\(sleeping: futex\|run queue\)\] ')" -eq 0 ]
	"$bin/faults" >/dev/null || skip "no page faults that user space serves"
	"$kiln" record -q --mode off --state fault -o p.kiln -- "$bin/faults" >own
	echo "$(cat own) ns, $(waits p.kiln) ms"
	[ "$(waits p.kiln ';touches;.*;\[(sleeping|disk sleep): fault\] ')" -ge $(($(cat own) / 1000000 * 3 / 5)) ] # but for one that was not seen
	[ "$("$kiln" fold -q p.kiln | grep -v -c ': fault\] ')" -eq 0 ]
}

# bats test_tags=kernels
@test "input and output is told apart" {
	dd if=/dev/zero of=direct bs=4096 count=200 oflag=direct 2>/dev/null || skip "no direct output here"
	"$kiln" record -q --mode off --state io -o p.kiln -- dd if=/dev/zero of=direct bs=4096 count=200 oflag=direct
	[ "$(value p.kiln "s['delivered']")" -gt 0 ] || skip "nobody waits for it here"
	adds_up p.kiln
	[ "$("$kiln" fold -q p.kiln | grep -v -c ';\[\(sleeping\|disk sleep\): I/O\( in [a-z_0-9]*\)*\] ')" -eq 0 ]
	"$kiln" fold -q p.kiln | grep -q '^dd;.*;\[disk sleep: I/O in write\] '
}

# bats test_tags=kernels
@test "--wakers: who ends each wait; what an interrupt interrupts has nothing to do with it" {
	"$kiln" record -q --mode off --wakers -o p.kiln -- "$bin/waiting" >own
	nothing_lost p.kiln
	[ "$(waits p.kiln ';reads;.*;\[sleeping: read\];--;([^;]*;)*writes;run;([^;]*;)*waiting ')" -ge 900 ]
	[ "$(waits p.kiln ';wants;.*;\[sleeping: futex\];--;([^;]*;)*holds;run;([^;]*;)*waiting ')" -ge 200 ]
	[ "$(waits p.kiln ';sleeps;.*;\[sleeping: clock_nanosleep\];--;([^;]*;)*\[interrupt\] ')" -ge 900 ]
	# Nobody else ends them, nothing is joined to waits for a CPU.
	[ "$(waits p.kiln ';reads;.*;\[sleeping: read\];--;' )" -eq "$(waits p.kiln ';reads;.*;\[sleeping: read\];--;.*;writes;')" ]
	[ "$(waits p.kiln '\[(run queue|preempted)\];--')" -eq 0 ]
	"$kiln" record -q --mode off --wakers -u -o p.kiln -- "$bin/waiting" >own
	[ "$(waits p.kiln ';reads;\[sleeping: read\];--;writes;run;start_thread;([^;]*;)?waiting ')" -ge 900 ]
	[ "$(waits p.kiln ';sleeps;\[sleeping: clock_nanosleep\];--;\[interrupt\] ')" -ge 900 ]
}

# A program that waits N times for a millisecond, 40 calls deep, in ./deep.
deep_program() {
	cat >deep.c <<-'END'
	#include <stdlib.h>
	#include <unistd.h>
	static volatile int sink;
	__attribute__((noinline, noipa)) static void leaf(void) { usleep(1000); sink++; }
	__attribute__((noinline, noipa)) static void deeper(int n) { if (n) deeper(n - 1); else leaf(); sink++; }
	int main(int argc, char **argv) { for (int i = atoi(argv[argc - 1]); i > 0; i--) deeper(40); return 0; }
	END
	gcc -O2 -fomit-frame-pointer -o deep deep.c
}

# whole_share FILE: the share in percent of these waits whose stacks reach the entry.
whole_share() {
	"$kiln" fold -q "$1" | awk '/clock_nanosleep/ { all += $NF }
		/^deep;_start;.*;main;(deeper;)+leaf;.*clock_nanosleep/ { whole += $NF } END { print 100 * whole / all }'
}

# bats test_tags=kernels
@test "user stacks without frame pointers: 99% of the waits of a program 40 calls deep reach its entry" {
	deep_program
	"$kiln" record -q --mode off -o p.kiln -- ./deep 1000
	adds_up p.kiln
	at_least "$(whole_share p.kiln)" 99
	"$kiln" record -q --mode off --call-graph fp -o f.kiln -- ./deep 100
	[ "$("$kiln" fold -q f.kiln | grep -c '_start;.*;main;' || true)" -eq 0 ]
}

# bats test_tags=kernels
@test "the first moments of programs: their mappings are not known yet, and 95% of their stacks are whole" {
	deep_program
	"$kiln" record -q --mode off -o p.kiln -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do ./deep 1; done'
	adds_up p.kiln
	at_least "$(whole_share p.kiln)" 95
}

# bats test_tags=kernels
@test "a library in the place of another one is not taken for it" {
	for name in first second; do
		cat >$name.c <<-END
			#include <time.h>
			void ${name}_waits(void) { nanosleep(&(struct timespec){0, 20000000}, 0); }
			void wait_a_while(int n) { while (n--) ${name}_waits(); }
		END
		gcc -O2 -fno-inline -fno-optimize-sibling-calls -shared -fPIC -o lib$name.so $name.c
	done
	cat >swap.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(void)
		{
			for (int i = 0; i < 2; i++) {
				void *library = dlopen(i ? "./libsecond.so" : "./libfirst.so", RTLD_NOW);
				void (*wait)(int) = (void (*)(int))dlsym(library, "wait_a_while");
				printf("%p\n", (void *)wait);
				wait(50);
				dlclose(library);
			}
		}
	END
	gcc -o swap swap.c
	"$kiln" record -q --mode off -o p.kiln -- ./swap >at
	[ "$(sort -u at | wc -l)" -eq 1 ] || skip "they are not in the same place"
	# Up to a fifth of a second until the recorder has told the kernel. How long they wait for a CPU besides is up
	# to who has them: 300 to 800 ms beside four busy loops.
	for name in first second; do waits p.kiln ";${name}_waits;.*\\[sleeping" >$name.ms; done
	at_least "$(cat second.ms)" 780
	at_least "$(cat first.ms)" 1000
	at_least 1250 "$(cat first.ms)"
}

# bats test_tags=kernels
@test "a stack that differs from the one before in nothing but a return address is another one" {
	cat >turns.c <<-'END'
		#include <time.h>
		static volatile int sink;
		__attribute__((noinline, noipa)) static void waits(void) { nanosleep(&(struct timespec){0, 100000}, 0); sink++; }
		__attribute__((noinline, noipa)) static void first(void) { waits(); sink++; }
		__attribute__((noinline, noipa)) static void second(void) { waits(); sink++; }
		__attribute__((noinline, noipa)) static void either(int i) { if (i / 5 % 2) first(); else second(); sink++; }
		__attribute__((noinline, noipa)) static void one(int i) { either(i); sink++; }
		__attribute__((noinline, noipa)) static void other(int i) { either(i); sink++; }
		int main(void) { for (int i = 0; i < 1000; i++) if (i / 20 % 2) one(i); else other(i); }
	END
	for pointers in "-fomit-frame-pointer" "-fno-omit-frame-pointer"; do
		gcc -O2 $pointers -o turns turns.c
		"$kiln" record -q --mode off --state sleeping -o p.kiln -- ./turns
		nothing_lost p.kiln
		for way in "one;either;first" "one;either;second" "other;either;first" "other;either;second"; do
			count=$("$kiln" fold -q --kind waits p.kiln | grep ";main;$way;waits;" | awk '{ n += $NF } END { print n + 0 }')
			echo "$way $count"
			[ "$count" -ge 245 ] && [ "$count" -le 250 ] # but for a switch that was not seen
		done
	done
}

# bats test_tags=kernels
@test "with --min, who waits already when it begins and still when it ends has its whole stack, too" {
	PATH=$PATH:/usr/sbin bpftool btf dump file /sys/kernel/btf/vmlinux | grep -q btf_trace_sched_exit_tp ||
		skip "this kernel does not say when a thread is there again"
	sleep 10 &
	target=$!
	"$kiln" record -q --mode off --min 1us -d 500ms -p $target -o p.kiln
	kill $target
	nothing_lost p.kiln
	[ "$("$kiln" fold -q p.kiln | grep -c '^sleep;.*;__libc_start_[a-z_]*;.*nanosleep.*;\[sleeping: [a-z_]*\] ')" -eq 1 ]
	deep_program
	"$kiln" record -q --mode off --min 500us -o p.kiln -- ./deep 1000
	adds_up p.kiln
	at_least "$(whole_share p.kiln)" 99
}

# whole_waits FILE: how many waits there are of programs/paged when it sleeps, and of these how many have all of their stack
# and how many were cut off.
whole_waits() {
	"$kiln" fold -q --kind "$(value "$1" "i['streams'][1]['kind']")" "$1" | awk '!/clock_nanosleep\] / { next } { all += $NF }
		$0 ~ ENVIRON["whole_paged"] { whole += $NF }
		$0 ~ ENVIRON["cut_paged"] { cut += $NF } END { print all + 0, whole + 0, cut + 0 }'
}

@test "waits and runs of a thread whose stack is not all in memory have it whole, and with --no-page-in cut off" {
	waits_for_pages || skip "Linux before 6.18"
	for mode in off "off --min 10us" wall; do
		# shellcheck disable=SC2086
		"$kiln" record -q --mode $mode -o p.kiln -- "$bin/paged" 1 stack sleep >used
		adds_up p.kiln
		read -r all whole cut <<<"$(whole_waits p.kiln)"
		echo "$mode: $all waits, $whole whole, $cut cut off"
		[ "$all" -ge 100 ]
		at_least "$whole" $((all * 97 / 100))
		# shellcheck disable=SC2086
		"$kiln" record -q --mode $mode --no-page-in -o p.kiln -- "$bin/paged" 1 stack sleep >used
		adds_up p.kiln
		read -r all whole cut <<<"$(whole_waits p.kiln)"
		echo "$mode --no-page-in: $all waits, $whole whole, $cut cut off"
		[ "$all" -ge 100 ]
		at_least "$cut" $((all * 97 / 100))
	done
	"$kiln" record -q --mode wall -o p.kiln -- "$bin/paged" 1 stack >used
	adds_up p.kiln
	at_least "$("$kiln" fold -q p.kiln | awk '/;leaf/ { all += $NF } $0 ~ ENVIRON["whole_paged"] { whole += $NF }
		END { print 100 * whole / all }')" 97
}

# Such a wait, of a call that goes on to wait, has been counted and is nowhere but with its thread.
@test "a wait whose stack is still to come when the recording ends, or its thread, is told" {
	waits_for_pages || skip "Linux before 6.18"
	for mode in off wall; do
		for end in true "kill -9"; do
			record_waiting_writer "$end" --mode $mode
			nothing_lost p.kiln
			"$kiln" fold -q p.kiln | grep -q '^paged;.*;run;deeper;.*;leaf;.*pipe_write;'
		done
	done
}

@test "more threads that wait than the ring has room for stacks have their whole stacks" {
	python3 -c "
import threading, time
threading.stack_size(65536)
for _ in range(300):
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
open('ready', 'w').close()
time.sleep(30)" &
	target=$!
	until [ -e ready ]; do sleep 0.1; done
	for which in "" "--min 1us"; do # looked at when the recording begins; where the kernel can, when it ends
		"$kiln" record -q --mode off $which -m 256K -d 1s -p $target -o p.kiln
		nothing_lost p.kiln
		[ "$(value p.kiln "s['delivered']")" -ge 301 ]
		[ "$("$kiln" fold -q --kind waits p.kiln | grep -c 'waited-before')" -eq 0 ]
	done
	kill $target
}

# Asleep since before the first look at the clock, until after the second.
# bats test_tags=kernels
@test "a thread that is killed as the recording ends has waited until then" {
	cat >killed <<-'END'
	"$1" stuck 60 &
	until grep -qs futex /proc/$!/task/*/wchan; do sleep 0.02; done
	since=$(date +%s%N)
	sleep 0.2
	echo $(($(date +%s%N) - since)) >known
	kill -9 $! $$
	END
	for mode in off off wall wall; do
		run "$kiln" record -q --mode $mode -o p.kiln -- sh killed "$bin/locks"
		[ "$status" -eq 137 ]
		"$kiln" fold -q p.kiln | awk -v known="$(cat known)" '/;waits_stuck;.*futex/ { ns += $NF } END { print ns, known; exit !(ns >= known) }'
		adds_up p.kiln
	done
}
