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
