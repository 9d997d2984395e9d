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
