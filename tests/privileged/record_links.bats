# record_links.bats: root writes into a folder of another user, who puts links there: is nothing written through them?
load common

# Another user who owns the folder, or may write there.
other=4321
as="setpriv --reuid=$other --regid=$other --clear-groups"

setup_file() {
	load common
	build_programs
}

# The folder of the other user, and a file of root's.
in_their_folder() {
	mkdir root theirs
	chmod 755 root
	chown $other:$other theirs
	echo keep >root/victim
	chmod 600 root/victim
	cd theirs || return
}

victim_is_kept() {
	[ "$(cat ../root/victim)" = keep ] || return 1
	[ "$(stat -c '%u:%g %a' ../root/victim)" = "0:0 600" ] || return 1
	[ "$(ls ../root)" = victim ]
}

# record_until FILE COMMAND... -- OPTION...: record, and run the command as the other user when the growing FILE has begun.
record_until() {
	local file=$1 change=()
	shift
	while [ "$1" != -- ]; do
		change+=("$1")
		shift
	done
	shift
	rm -f ../go
	mkfifo ../go
	"$kiln" record -q "$@" -- sh -c 'exec 3<../go; read -r _ <&3; exec true' 2>../said &
	local recorder=$!
	until [ -s "$file" ] && grep -q . "/proc/$recorder/task/$recorder/children" 2>/dev/null; do
		kill -0 $recorder || return 1
		sleep 0.02
	done
	$as "${change[@]}"
	echo >../go
	code=0
	wait $recorder || code=$?
}

link_instead='rm -f "$0" && ln -s ../root/victim "$0"'

@test "a link that takes the place of the growing file is left alone, and what was recorded is beside it" {
	in_their_folder
	record_until profile.kiln sh -c "$link_instead" profile.kiln -- -o profile.kiln
	victim_is_kept
	[ "$code" -eq 125 ]
	[ "$(cat ../said)" = "kiln: another program replaced profile.kiln, which is left unchanged: the recording is in profile.kiln.2" ]
	[ "$(readlink profile.kiln)" = ../root/victim ]
	"$kiln" info profile.kiln.2
	rm -f ./*
	export SUDO_UID=$other SUDO_GID=$other
	record_until profile.kiln sh -c "$link_instead" profile.kiln -- -o profile.kiln
	victim_is_kept
	[ "$code" -eq 125 ]
	[ "$(stat -c '%u:%g %a' profile.kiln.2)" = "$other:$other 600" ]
}

@test "links in the place of a picture, of the file that grows beside it and of an older recording" {
	in_their_folder
	export SUDO_UID=$other SUDO_GID=$other
	record_until x.folded.kiln ln -s ../root/victim x.folded -- -o x.folded
	victim_is_kept
	[ "$code" -eq 0 ]
	[ ! -L x.folded ]
	[ "$(ls)" = x.folded ]
	record_until x.folded.kiln sh -c "$link_instead" x.folded.kiln -- -o x.folded
	victim_is_kept
	[ "$code" -eq 0 ]
	[ "$(readlink x.folded.kiln)" = ../root/victim ]
	# Before it begins: both names are links.
	rm -f ./*
	$as ln -s ../root/victim profile.kiln
	$as ln -s ../root/victim profile.kiln.old
	"$kiln" record -q -- true
	victim_is_kept
	[ -L profile.kiln.old ]
	"$kiln" info profile.kiln
	[ "$(stat -c '%u:%g %a' profile.kiln)" = "$other:$other 600" ]
}

@test "a folder that becomes a link while it is recorded into: the folder that was meant has the file" {
	in_their_folder
	$as mkdir one
	export SUDO_UID=$other SUDO_GID=$other
	record_until one/p.kiln sh -c 'mv one two && ln -s ../root one' -- -o one/p.kiln
	victim_is_kept
	[ "$code" -eq 0 ]
	"$kiln" info two/p.kiln
	[ "$(ls two)" = p.kiln ]
}

@test "of links that were there before, those of another user are replaced, unless they stay in that user's folders" {
	in_their_folder
	printf 'app;main;work 100\n' >../small.folded
	$as ln -s ../root/victim x.svg
	$as ln -s ../root/victim palette.map
	SUDO_UID=$other SUDO_GID=$other "$kiln" draw --cp ../small.folded -o x.svg || true
	echo 'x->rgb(1,2,3)' >../root/victim
	SUDO_UID=$other SUDO_GID=$other "$kiln" draw --cp ../small.folded -o x.svg
	[ "$(cat ../root/victim)" = 'x->rgb(1,2,3)' ]
	echo keep >../root/victim
	victim_is_kept
	[ ! -L x.svg ]
	[ ! -L palette.map ]
	$as sh -c 'mkdir own; echo earlier >own/y.svg; ln -s own/y.svg y.svg'
	"$kiln" draw ../small.folded -o y.svg
	[ -L y.svg ]
	grep -q '</svg>' own/y.svg
	# Into a folder where everybody lays links, the kernel's rule counts, too.
	mkdir -m 1777 ../shared
	$as ln -s ../root/victim ../shared/x.svg
	"$kiln" draw ../small.folded -o ../shared/x.svg
	victim_is_kept
	[ ! -L ../shared/x.svg ]
}

@test "a pipe of another user gets nothing; the caller's own does" {
	in_their_folder
	$as mkfifo x.folded
	printf 'app;main;work 100\n' >../small.folded
	run timeout 20 "$kiln" convert ../small.folded -o x.folded
	[ "$status" -eq 1 ]
	[ "$output" = "kiln: x.folded: is a pipe of another user (uid $other)" ]
	timeout 20 cat x.folded >../got &
	SUDO_UID=$other SUDO_GID=$other timeout 20 "$kiln" convert ../small.folded -o x.folded
	wait $!
	cmp ../small.folded ../got
}

# A link of another process's open files leads to what that process chose: a device that it may not even open,
# or a pipe that it reads.
@test "a link to an open file of another process is a name, not that file" {
	in_their_folder
	printf 'app;main;work 100\n' >../small.folded
	truncate -s 1M ../disk
	disk=$(losetup --find --show ../disk) || skip "no loop devices here"
	before=$(md5sum <"$disk")
	$as timeout 60 /usr/bin/python3 -c '
import os, sys, time
held = [os.open(sys.argv[1], os.O_PATH)]
os.symlink(f"/proc/{os.getpid()}/fd/{held[0]}", "x.svg")
ends = os.pipe()
os.symlink(f"/proc/{os.getpid()}/fd/{ends[1]}", "x.kiln")
os.set_blocking(ends[0], False)
open("ready", "w").close()
while not os.path.exists("done"):
    time.sleep(0.02)
try:
    print(len(os.read(ends[0], 1 << 16)))
except BlockingIOError:
    print("nothing")' "$disk" >../got 3>&- &
	until [ -e ready ]; do kill -0 $!; sleep 0.02; done
	timeout 20 "$kiln" draw ../small.folded -o x.svg
	timeout 20 "$kiln" record -q -o x.kiln -- true
	$as touch done
	wait $!
	after=$(md5sum <"$disk")
	losetup -d "$disk"
	[ "$before" = "$after" ]
	[ "$(cat ../got)" = nothing ]
	grep -q '</svg>' x.svg
	"$kiln" info x.kiln >/dev/null
	# The own ones are what they are open for.
	"$kiln" fold ../small.folded -o /dev/stdout | cmp - ../small.folded
	"$kiln" fold ../small.folded -o /proc/self/fd/5 5>&1 | cmp - ../small.folded
}

@test "a pipe that takes the place of something else just before it is opened holds nobody up" {
	in_their_folder
	printf 'app;main;work 100\n' >../small.folded
	$as timeout 60 /usr/bin/python3 -c '
import ctypes, os, socket
os.mkfifo("x")
socket.socket(socket.AF_UNIX).bind("other")
libc = ctypes.CDLL(None)
while not os.path.exists("done"):
    libc.renameat2(-100, b"x", -100, b"other", 2)' 3>&- &
	until [ -S other ] || [ -S x ]; do sleep 0.02; done
	for _ in {1..100}; do
		run timeout 20 "$kiln" fold ../small.folded -o x
		[ "$status" -eq 1 ]
		[[ $output == "kiln: x: is a socket, not a file, a pipe or a device" ||
			$output == "kiln: x: is a pipe of another user (uid $other)" ]]
	done
	$as touch done
	wait $!
}

@test "where the calling user may not create files, they stay root's" {
	mkdir -m 755 root
	export SUDO_UID=$other SUDO_GID=$other
	"$kiln" record -q -o root/p.kiln -- true
	printf 'app;main;work 100\n' >small.folded
	"$kiln" draw small.folded -o root/x.svg
	[ "$(stat -c '%u:%g' root/p.kiln root/x.svg | sort -u)" = 0:0 ]
	# Of a group that is not his, the folder is not his to write to.
	chgrp 4322 root
	chmod 775 root
	"$kiln" draw small.folded -o root/x.svg
	[ "$(stat -c '%u:%g' root/x.svg)" = 0:0 ]
	chmod 777 root
	"$kiln" draw small.folded -o root/x.svg
	[ "$(stat -c '%u:%g' root/x.svg)" = $other:$other ]
}

@test "of what a recorder writes beside the profile nothing is left when it is killed" {
	sleep 60 &
	target=$!
	"$kiln" record -q -u --tee p.tee -o p.kiln -p $target &
	recorder=$!
	until_recording $recorder
	kill -KILL $recorder
	wait $recorder || true
	kill $target
	[ "$(echo p*)" = p.kiln ]
	"$kiln" info p.kiln
}

# Links in /proc/PID of a process that is not dumpable belong to root; where they lead its user has chosen.
@test "a link that leads to the program of another user's process is replaced, and the program is kept" {
	mkdir root theirs
	chown $other:$other theirs
	gcc -x c -o root/victim - <<-'END'
	#include <stdio.h>
	#include <sys/prctl.h>
	#include <unistd.h>
	int main(void)
	{
		prctl(PR_SET_DUMPABLE, 0);
		puts("ready");
		fflush(stdout);
		alarm(60);
		for (;;)
			pause();
	}
	END
	cp root/victim as_it_was
	$as root/victim >ready &
	pid=$!
	until [ -s ready ]; do sleep 0.1; done
	[ "$(stat -c %u /proc/$pid/exe)" = 0 ]
	$as ln -s /proc/$pid/exe theirs/out.svg
	$as ln -s ../hop theirs/far.svg
	ln -s /proc/$pid/exe hop
	for picture in out far; do
		"$kiln" record -q -d 0.3s -o theirs/$picture.svg -- "$bin/busy" 1 || true
		cmp root/victim as_it_was
	done
	kill $pid
	[ ! -L theirs/out.svg ]
	grep -q '<svg' theirs/out.svg
}
