# record_io.bats: are the bytes and calls of each file and function what the program knows, and nothing else?
# processors there: 2
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode io -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
	mkdir folder
}

# check_files FILE OWN [STRACE]: each byte and call of files.c.
check_files() {
	"$kiln" fold -q "$1" >bytes
	"$kiln" fold -q --kind calls "$1" >calls
	python3 "$BATS_TEST_DIRNAME/files.py" bytes calls "${@:2}"
	adds_up "$1"
	[ "$(value "$1" "s['lost']")" -eq 0 ]
}

# own_calls [FUNCTION]: how many there were.
own_calls() {
	python3 "$BATS_TEST_DIRNAME/files.py" own "$@"
}

# bats test_tags=kernels
@test "bytes and calls of each file and function are what its threads counted; pipes and sockets are not in it" {
	"$kiln" record -q --mode io --files --untimed -o p.kiln -- "$bin/files" folder 500 2>own
	check_files p.kiln own
	"$kiln" record -q --mode io --files -o p.kiln -- "$bin/files" folder 500 2>own
	check_files p.kiln own
	[ "$(value p.kiln "s['kind'] + s['unit']")" = iobytes ]
	[ "$(value p.kiln "i['streams'][1]['kind'] + i['streams'][1]['unit']")" = callscount ]
	"$kiln" fold -q p.kiln | grep -q ";\[write\];$PWD/folder/all.0 "
}

# bats test_tags=kernels
@test "the same in all of the system, and of a process that runs already" {
	"$kiln" record -q --mode io --files -a -o p.kiln -- "$bin/files" folder 200 2>own
	check_files p.kiln own
	"$bin/files" folder 200 go 2>own &
	target=$!
	"$kiln" record -q --mode io --files -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	touch go
	wait $target $recorder
	check_files p.kiln own
}

# bats test_tags=kernels
@test "it is what strace says of the same calls" {
	command -v strace >/dev/null || skip "no strace here"
	"$kiln" record -q --mode io --files -o p.kiln -- strace -f -y -o traced -e \
		trace=read,write,pread64,pwrite64,readv,writev,preadv,pwritev,preadv2,pwritev2,fsync,fdatasync \
		"$bin/files" folder 100 2>own
	check_files p.kiln own traced
}

# bats test_tags=kernels
@test "-r and -w leave the others out, --latency weighs time" {
	"$kiln" record -q --mode io -r -o p.kiln -- "$bin/files" folder 50 2>own
	"$kiln" fold -q --kind calls p.kiln >calls
	[ "$(awk '/;reads;.*\[read\] / { n += $NF } END { print n }' calls)" -eq "$(own_calls reads)" ]
	[ "$(grep -cE '\[(write|sync)\]' calls || true)" -eq 0 ]
	"$kiln" record -q --mode io --writes -o p.kiln -- "$bin/files" folder 50 2>own
	"$kiln" fold -q --kind calls p.kiln >calls
	[ "$(awk '/;writes;.*\[write\] / { n += $NF } END { print n }' calls)" -eq "$(own_calls writes)" ]
	[ "$(grep -cE '\[(read|sync)\]' calls || true)" -eq 0 ]
	"$kiln" record -q --mode io --latency -o p.kiln -- "$bin/files" folder 50 2>own
	[ "$(value p.kiln "s['kind'] + s['unit']")" = ions ]
	"$kiln" fold -q p.kiln | grep -q ';syncs;.*\[sync\] [1-9]'
}

# bats test_tags=kernels
@test "names: of mounts within mounts, renamed files and links, and files without a place" {
	cat >names.c <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <stdio.h>
	#include <sys/mman.h>
	#include <unistd.h>
	static void touch(const char *name, int len) {
		int fd = open(name, O_RDWR | O_CREAT, 0600);
		if (write(fd, "0123456789", len) != len) _exit(1);
		close(fd);
	}
	int main(void) {
		touch("a", 1); rename("a", "b"); touch("b", 2); link("b", "d"); touch("d", 4); touch("inner/x", 8);
		return write(memfd_create("none", 0), "123", 3) != 3;
	}
	END
	gcc -o names names.c
	mkdir folder/inner
	unshare -m sh -c 'mount -t tmpfs none folder && mkdir folder/inner && mount -t tmpfs none folder/inner &&
		cd folder && exec "$@"' sh "$kiln" record -q --mode io -w --files -o ../p.kiln -- ../names
	"$kiln" fold -q p.kiln | sed 's/.*;//' >got
	for line in "a 1" "b 2" "d 4" "inner/x 8"; do grep -qx "$PWD/folder/$line" got; done
	grep -qx "/memfd:none 3" got
}

# bats test_tags=kernels
@test "with the recorder stopped and a ring of a page, what is lost is counted to the call" {
	"$bin/files" folder 300 go 2>own &
	record_stopped $! --mode io -r -m 4K
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['expected']")" -eq "$(own_calls reads)" ]
	[ "$(value p.kiln "s['losses']['ring full']")" -ge 2000 ]
}

@test "what makes no sense is refused" {
	run "$kiln" record --mode io -k -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"leave out -k"* ]]
	run "$kiln" record -r -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"only with --mode io"* ]]
	run "$kiln" record --mode io --min 1ms -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"only with --mode off"* ]]
}
