# record_capabilities.bats: what may a recorder do while it records, and is that enough?
load common

setup_file() {
	load common
	build_programs
	cat >"$bin/later.c" <<-'END'
	#include <stdlib.h>
	#include <time.h>
	static volatile unsigned long sink;
	__attribute__((noinline)) void work_of_library(void)
	{
		for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
			for (int i = 0; i < 100000; i++)
				sink = sink * 31 + 7;
	}
	END
	gcc -O2 -g -shared -fPIC -o "$bin/later.so" "$bin/later.c"
}

# sets PID: what all of its threads have, effective and permitted, and that they get no more; several lines when
# they differ.
sets() {
	cat /proc/"$1"/task/*/status | awk '/^CapPrm|^CapEff|^NoNewPrivs/ { line = line $2 " " } /^NoNewPrivs/ { print line; line = "" }' | sort -u
}

# bits NAME...: as a set.
bits() {
	python3 - "$@" <<-'END'
	import sys
	number = {"chown": 0, "dac_override": 1, "dac_read_search": 2, "fowner": 3, "kill": 5, "sys_ptrace": 19, "sys_admin": 21,
		"perfmon": 38, "bpf": 39, "checkpoint_restore": 40}
	print("%016x" % sum(1 << number[name] for name in sys.argv[1:]))
	END
}

# has_while_recording EFFECTIVE OPTION...: a recorder of $target with these options has these, and gets no more.
has_while_recording() {
	"$kiln" record -q "${@:2}" -p $target -o p.kiln &
	recorder=$!
	until sets $recorder | grep -q ' 1 $'; do kill -0 $recorder; sleep 0.02; done
	# A thread that is in the kernel follows when it comes back.
	for _ in $(seq 250); do [ "$(sets $recorder | wc -l)" -eq 1 ] && break; sleep 0.02; done
	sets $recorder >now
	kill -INT $recorder
	wait $recorder
	echo "$1 $1 1 : $(cat now) ${*:2}"
	[ "$(cat now)" = "$1 $1 1 " ]
}

@test "each mode keeps what looking at later processes, their tables and probes take, in all threads" {
	[ "$(awk '/^CapPrm/ { print $2 }' /proc/self/status)" = "$(awk '/^CapBnd/ { print $2 }' /proc/self/status)" ] || skip "not all of root's capabilities"
	sleep 60 &
	target=$!
	looks="dac_read_search sys_ptrace checkpoint_restore"
	has_while_recording "$(bits $looks)" --recorder perf
	has_while_recording "$(bits $looks)" --recorder perf --call-graph fp
	"$kiln" record -q --mode off -o probe.kiln -- true || skip "no BPF here"
	for mode in "" --untimed "--mode off" "--mode wall" "--mode io" "--mode disk" "--mode lock" \
		"--mode count -e sched:sched_switch" "--mode mem --cheap" "--mode count -e libc:malloc --yes"; do
		has_while_recording "$(bits $looks bpf)" $mode
	done
	for mode in "--mode mem" "--mode count -e libc:malloc"; do
		has_while_recording "$(bits $looks sys_admin)" $mode
	done
	kill $target
}

@test "a command has what it would have without being recorded, and no rule of its recorder's" {
	cat /proc/self/status | grep -E '^(Cap|NoNewPrivs)' >before
	"$kiln" record -q -o p.kiln -- sh -c 'sleep 0.5; exec cat /proc/self/status' | grep -E '^(Cap|NoNewPrivs)' | diff before -
}

@test "later processes of another user, whose programs only they may read, have their names" {
	for way in "--recorder perf" "--recorder bpf"; do
		rm -rf private
		mkdir -m 0700 private
		cp "$bin/busy" private/hidden
		chmod 0700 private/hidden
		chown -R 4321:4321 private
		"$kiln" record -q $way -o p.kiln -- sh -c "sleep 0.7; setpriv --reuid=4321 --regid=4321 --clear-groups private/hidden 0.5; sleep 0.3; rm -r private"
		at_least "$(share p.kiln '^hidden;.*main;.*deeper;leaf;')" 80
	done
}

@test "a library that is loaded later and deleted at once has its names" {
	for way in "--recorder perf" "--recorder bpf"; do
		cp "$bin/later.so" gone.so
		"$kiln" record -q $way -o p.kiln -- python3 -c '
import ctypes, os, time
time.sleep(0.7)
library = ctypes.CDLL("./gone.so")
os.remove("gone.so")
library.work_of_library()'
		at_least "$(share p.kiln ';work_of_library$')" 60
	done
}

@test "probes and allocators of children that begin later, also as another user" {
	"$kiln" record -q --mode off -o probe.kiln -- true || skip "no BPF here"
	[ -x /usr/bin/perl ] || skip "no perl"
	child="sleep 0.7; setpriv --reuid=4321 --regid=4321 --clear-groups sh -c 'sleep 0.5; exec /usr/bin/perl -e \"push @x, q(a) x 9000 for 1 .. 3000\"'"
	"$kiln" record -q --mode count -e libc:malloc -o p.kiln -- sh -c "$child"
	[ "$("$kiln" fold -q p.kiln | awk '/^perl;/ { n += $NF } END { print (n >= 3000) }')" -eq 1 ]
	"$kiln" record -q --mode mem -o p.kiln -- sh -c "$child"
	[ "$("$kiln" fold -q --kind allocated p.kiln | awk '/^perl;/ { n += $NF } END { print (n >= 3000 * 9000) }')" -eq 1 ]
}

@test "the profile is written where only others may write; a command that became another user's is ended" {
	mkdir -m 0700 theirs
	chown 4321:4321 theirs
	for file in theirs/p.kiln theirs/p.svg; do
		"$kiln" record -q -o $file -- "$bin/busy" 0.2
		[ -s $file ]
	done
	[ "$(ls theirs | wc -l)" -eq 2 ]
	"$kiln" record -q -d 1s -o p.kiln -- setpriv --reuid=4321 --regid=4321 --clear-groups sh -c 'echo $$; exec sleep 60' >pid
	[ ! -e "/proc/$(cat pid)" ]
}
