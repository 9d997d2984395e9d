# record_hostile.bats: what may programs of others cost who records them?
load common

setup_file() {
	load common
	build_programs
	cat >"$bin/sparse_map.c" <<-'END'
	/* Runs code that its perf map names, behind MEGABYTES of nothing and before as much. */
	#include <fcntl.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		static const unsigned char code[] = {0xb9, 0, 0, 0x10, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
		off_t hole = (off_t)atoll(argv[1]) << 20;
		char path[64], line[99];
		void *m = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int fd, len;

		sprintf(path, "/tmp/perf-%d.map", getpid());
		fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644);
		len = sprintf(line, "\n%lx 1000 behind_a_hole\n", (long)m);
		memcpy(m, code, sizeof(code));
		if (fd < 0 || pwrite(fd, line, len, hole) != len || ftruncate(fd, 2 * hole))
			return 1;
		alarm(60);
		for (;;)
			((void (*)(void))m)();
	}
	END
	gcc -O2 -o "$bin/sparse_map" "$bin/sparse_map.c"
}

@test "perf maps of others that are large and empty: what is in them is found" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 code"
	setpriv --reuid=4321 --regid=4321 --clear-groups "$bin/sparse_map" 3000 &
	pid=$!
	sleep 0.5
	(ulimit -v 1000000 && "$kiln" record -q --recorder perf -p $pid -d 1s -o p.kiln)
	kill $pid
	rm -f /tmp/perf-$pid.map
	"$kiln" fold -q p.kiln | grep behind_a_hole
}

# Holes cost its owner nothing: reading 8 GB of symbols that are not there took the recorder 40 s and 8 GB.
@test "a binary whose symbols are a hole of 8 GB has no names, and its recorder no such memory" {
	cat >"$bin/hollow.py" <<-'END'
	import struct, sys
	path = sys.argv[1]
	elf = bytearray(open(path, 'rb').read())
	headers, = struct.unpack_from('<Q', elf, 40)
	end = (len(elf) + 4095) & ~4095
	for at in range(headers, len(elf), 64):
	    if struct.unpack_from('<I', elf, at + 4)[0] == 2: # SHT_SYMTAB
	        struct.pack_into('<QQ', elf, at + 24, end, 8 * 10 ** 9)
	with open(path, 'wb') as file:
	    file.write(elf)
	    file.truncate(end + 8 * 10 ** 9)
	END
	gcc -O1 -x c -o "$bin/hollow" - <<<'int main(void) { for (;;); }'
	python3 "$bin/hollow.py" "$bin/hollow"
	"$bin/hollow" &
	pid=$!
	(ulimit -v 4000000 && "$kiln" record -q --recorder perf -p $pid -d 1s -o h.kiln)
	"$kiln" record -q -p $pid -d 1s -o b.kiln
	kill $pid
	for file in h.kiln b.kiln; do
		"$kiln" fold -q $file | grep -q '^hollow;.*\[hollow+0x'
	done
}

# others PROGRAM ARGUMENT...: as another user, until it says that it is ready; $pid is to be killed.
others() {
	setpriv --reuid=4321 --regid=4321 --clear-groups "$bin/$1" "${@:2}" >ready &
	pid=$!
	until [ -s ready ]; do sleep 0.1; done
}

# 120 frames a sample in code of a million pieces at every address: looking all of them over took 78 s of CPU time.
@test "a perf map whose pieces all lie in one place takes no time" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 code"
	cat >"$bin/overlap.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>
	int main(void)
	{
		static unsigned long frames[256];
		size_t size = 64 << 20;
		unsigned char *m = mmap(NULL, size, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char path[64];
		FILE *f;

		sprintf(path, "/tmp/perf-%d.map", getpid());
		f = fopen(path, "w");
		for (long i = 1; i <= 1000000; i++)
			fprintf(f, "%lx ffffffffffff a\n", i);
		fclose(f);
		memset(m, 0x90, size);
		m[size - 1] = 0xc3;
		alarm(100);
		puts("ready");
		fflush(stdout);
		for (;;) {
			unsigned char *start = m + size - 200000;

			for (int i = 0; i < 120; i++) {
				frames[2 * i] = (unsigned long)&frames[2 * i + 2];
				frames[2 * i + 1] = (unsigned long)m + random() % size;
			}
			__asm__ volatile("push %%rbp; mov %0, %%rbp; call *%1; pop %%rbp" ::"r"(frames), "r"(start) : "memory");
		}
	}
	END
	gcc -O1 -w -o "$bin/overlap" "$bin/overlap.c"
	others overlap
	code=0
	(ulimit -t 25 && "$kiln" record -q --recorder perf -p $pid -d 2s -o p.kiln) || code=$?
	kill $pid
	rm -f /tmp/perf-$pid.map
	[ $code -eq 0 ]
	"$kiln" info p.kiln >about
	grep 'code in the place of much other code: not read' about
}

# 30 s for 1,000 processes, and twice as long for twice as many.
@test "processes that share 65,000 mappings leave time for others" {
	cat >"$bin/sharing.c" <<-'END'
	#define _GNU_SOURCE
	#include <sched.h>
	#include <signal.h>
	#include <stdio.h>
	#include <sys/mman.h>
	#include <sys/prctl.h>
	#include <unistd.h>
	static int child(void *unused)
	{
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	int main(void)
	{
		char *m = mmap(NULL, 1 << 29, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		char *stacks = mmap(NULL, 2000 << 12, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int i = 0; i < 32500; i++)
			mprotect(m + i * 8192l, 4096, PROT_READ | PROT_EXEC);
		for (int i = 1; i <= 2000; i++)
			clone(child, stacks + i * 4096l, CLONE_VM | SIGCHLD, NULL);
		alarm(100);
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	END
	gcc -O1 -w -o "$bin/sharing" "$bin/sharing.c"
	others sharing
	code=0
	(ulimit -t 25 && "$kiln" record -q -a -o p.kiln -- "$bin/busy" 1) || code=$?
	kill $pid
	[ $code -eq 0 ]
	"$kiln" info p.kiln | grep 'mappings and binaries of some processes were not read'
	"$kiln" fold -q p.kiln | grep '^busy;.*deeper;leaf'
}

@test "folders with many files, in which programs with code of their own work, are not read again and again" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 code"
	cat >"$bin/homes.c" <<-'END'
	#include <signal.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <sys/prctl.h>
	#include <unistd.h>
	int main(void)
	{
		for (int i = 0; i < 500; i++)
			if (!fork()) {
				char *m = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

				prctl(PR_SET_PDEATHSIG, SIGKILL);
				memcpy(m, "\xc3", 1);
				for (;;) {
					((void (*)(void))m)();
					sleep(1);
				}
			}
		alarm(100);
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	END
	gcc -O1 -w -o "$bin/homes" "$bin/homes.c"
	mkdir many
	(cd many && seq 60000 | sed 's/^/isolate-/' | xargs touch)
	cd many
	others homes
	cd ..
	code=0
	(ulimit -t 12 && "$kiln" record -q -a -d 2s -o p.kiln) || code=$?
	kill $pid
	rm -r many
	[ $code -eq 0 ]
}

# large_file LINKS writing|reading: a file of 1.9 GB with so many names, large.1 and so on, of another user whose program
# maps each as code, and with `writing` also has it open for writing. $pid is to be killed.
large_file() {
	cat >"$bin/mapping.c" <<-'END'
	#include <fcntl.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		if (!strcmp(argv[1], "writing"))
			open(argv[2], O_RDWR);
		for (int i = 2; i < argc; i++)
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(argv[i], O_RDONLY), 0);
		alarm(60);
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	END
	gcc -O1 -w -o "$bin/mapping" "$bin/mapping.c"
	cp "$bin/busy" large.1
	strip --remove-section=.note.gnu.build-id large.1
	fallocate -l 1900M large.1 || skip "no room"
	for i in $(seq 2 "$1"); do ln large.1 large.$i; done
	chown 4321 large.1
	others mapping "$2" "$PWD"/large.*
}

# Links give one file any number of names: 40 of a file of 1.5 GB took all of a machine's 24 GB, and the recorder with it.
@test "of binaries that are open for writing no more than 4 GB are copied" {
	large_file 4 writing
	python3 - "$kiln" record -q -p $pid -d 1s -o p.kiln <<-'END' || code=$?
	import resource, subprocess, sys
	subprocess.run(sys.argv[1:], check=True)
	used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
	print(used)
	sys.exit(used > 4500000)
	END
	kill $pid
	rm large.*
	[ "${code:-0}" -eq 0 ]
}

# Its owner opens a leased file for writing, and the recorder needs a copy: of ten links 19 GB.
@test "binaries that others may open for writing are leased up to half of the memory" {
	half=$(awk '/^MemTotal/ { print int($2 / 2048) }' /proc/meminfo)
	links=$((half / 1900 + 3))
	large_file $links reading
	"$kiln" record -q -p $pid -d 2s -o p.kiln &
	recorder=$!
	leases=0
	while [ -e /proc/$recorder/exe ]; do
		now=$(grep -c "LEASE .*:$(stat -c %i large.1) " /proc/locks) || true
		[ "$now" -le $leases ] || leases=$now
		sleep 0.1
	done
	kill $pid
	rm large.*
	echo $leases of $links
	[ $leases -gt 0 ]
	[ $((leases * 1900)) -le $half ]
}

# Six files of 310 KB: 300 MB of each were kept, 1.9 GB.
@test "sections and symbols of other users' binaries take at most 1 GB; functions keep their names" {
	gcc -g -O1 -x c -o "$bin/spin" - <<<'int main(void) { for (;;); }'
	objcopy --dump-section .debug_info=info "$bin/spin"
	head -c 300M /dev/zero >>info
	objcopy --update-section .debug_info=info "$bin/spin" large
	objcopy --compress-debug-sections=zlib large "$bin/spin"
	rm large info
	for i in 1 2 3 4 5 6; do
		cp "$bin/spin" "$bin/spin$i"
		echo "$i" >>"$bin/spin$i" # a build of its own
		chown 4321 "$bin/spin$i"
		setpriv --reuid=4321 --regid=4321 --clear-groups "$bin/spin$i" &
		pids+=${pids:+,}$!
	done
	python3 - "$kiln" "$pids" >peak <<-'END'
	import resource, subprocess, sys
	subprocess.run([sys.argv[1], "record", "-q", "-p", sys.argv[2], "-d", "1s", "-o", "p.kiln"], check=True)
	print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
	kill ${pids//,/ }
	cat peak
	[ "$(cat peak)" -lt 1500000 ]
	"$kiln" fold -q p.kiln | grep -c '^spin.;.*main ' >named
	[ "$(cat named)" -eq 6 ] # functions have symbols
	"$kiln" info p.kiln | grep -q '^note .*[1-6] binaries were not read completely'
}

# Each copy of a file of 2 GB was found to be of another binary: with six programs a recording of 2 s took 47 s.
@test "a large debug file that fits no binary is not read again for each binary that names it" {
	gcc -O1 -s -Wl,--build-id=none -x c -o "$bin/plain" - <<<'unsigned alarm(unsigned); int main(void) { alarm(60); for (;;); }'
	cp "$bin/plain" "$bin/far.debug"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		objcopy --add-gnu-debuglink="$bin/far.debug" "$bin/plain" "$bin/plain$i"
		chown 4321 "$bin/plain$i"
		setpriv --reuid=4321 --regid=4321 --clear-groups "$bin/plain$i" &
		pids+=${pids:+,}$!
	done
	fallocate -l 400M "$bin/far.debug" # another checksum
	chown 4321 "$bin/far.debug"
	python3 - "$kiln" "$pids" >bytes <<-'END'
	import os, re, subprocess, sys
	p = subprocess.Popen([sys.argv[1], "record", "-q", "-p", sys.argv[2], "-d", "2s", "-o", "p.kiln"])
	os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
	print(re.search(r"rchar: (\d+)", open(f"/proc/{p.pid}/io").read())[1])
	sys.exit(p.wait())
	END
	kill ${pids//,/ }
	rm "$bin/far.debug"
	cat bytes
	[ "$(cat bytes)" -lt 3000000000 ]
}
