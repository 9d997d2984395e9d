# doctor.bats: kiln doctor: with rights, calls or parts of the kernel taken away, does it tell what is missing, and with the
# words of kiln record?
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode off -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

# Numbers of x86-64.
perf_event_open=298
bpf=321

nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# doctor COMMAND...: the report of what this runs Kiln by, in ./report on one line each, and the exit code in $status.
doctor() {
	status=0
	"$@" "$bin/kiln" doctor >lines || status=$?
	cat lines
	awk '/^  (ok|limited|missing) / { if (text) print text; text = $0; next } /^ / { text = text " " $0; next }
		{ if (text) print text; text = "" } END { if (text) print text }' lines | tr -s ' ' >report
}

# says STATE NAME TEXT
says() {
	grep -qF -- " $1 $2 " report || { echo "expected: $1 $2"; return 1; }
	grep -F -- " $1 $2 " report | grep -qF -- "$3" || { echo "expected of $2: $3"; return 1; }
}

@test "root: every mode of kiln record works, and so says its line" {
	doctor env
	[ "$status" -eq 0 ]
	for mode in cpu off wall io disk lock count mem; do
		grep -qE "^ (ok|limited) $mode " report
	done
	says ok "BPF programs" "all modes"
	says ok tracepoints "work"
}

@test "another user: what is left, and the commands that add the rest" {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2"
	doctor "${nobody[@]}"
	[ "$status" -eq 0 ]
	says ok cpu "CPU time"
	says limited "kernel code" "sudo sysctl kernel.perf_event_paranoid=1"
	says limited "whole system" "sudo sysctl kernel.perf_event_paranoid=0"
	says missing "BPF programs" "CAP_BPF and CAP_PERFMON sudo kiln record"
	says missing tracepoints "this user cannot read tracefs"
	says missing others "off, wall, io, disk, lock, count, mem: they need BPF programs"
	# The reasons are those of kiln record.
	run "${nobody[@]}" "$bin/kiln" record -a -d 1ms -o p.kiln
	[ "$output" = "kiln: recording the whole system needs root, CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0 (it is 2)" ]
	grep -qF "${output#kiln: }" report
	run "${nobody[@]}" "$bin/kiln" record --mode off -o p.kiln -- true
	[[ "$output" == "kiln: BPF programs need root, or CAP_BPF and CAP_PERFMON: "* ]]
	[[ "$output" != *setcap* ]] # on a file that everybody may execute, it gives everybody the right
}

@test "the kernel's addresses, hidden from this user" {
	grep -q ' 0000000000000000 \|^0000000000000000 ' <("${nobody[@]}" head -1 /proc/kallsyms) || skip "they are not hidden here"
	doctor "${nobody[@]}"
	says limited kernel "functions of the kernel have no names: it hides their addresses from this user sudo sysctl kernel.kptr_restrict=0"
	doctor env
	says ok kernel "functions of the kernel have names"
}

@test "root without capabilities, as in a container: no command helps, docker's options do" {
	doctor setpriv --bounding-set -sys_admin,-bpf,-perfmon
	[ "$status" -eq 0 ]
	says missing "BPF programs" "--cap-add PERFMON --cap-add BPF"
	run ! grep -q 'sudo kiln record' report
}

@test "a seccomp filter: the call is named; without events nothing is recorded" {
	doctor "$bin/forbidden" 1 $perf_event_open
	[ "$status" -eq 1 ]
	says missing events "a seccomp filter blocks perf_event_open(2): for a container, docker run"
	says missing cpu "a seccomp filter blocks perf_event_open(2)"
	says missing others "they need events"
	doctor "$bin/forbidden" 38 $bpf
	[ "$status" -eq 0 ]
	says missing "BPF programs" "a seccomp filter blocks bpf(2)"
	says ok cpu "CPU time"
	doctor "$bin/forbidden" 1 $perf_event_open,$bpf
	[ "$status" -eq 1 ]
}

@test "a user namespace, whose root has no rights outside" {
	unshare -Ur true || skip "no user namespaces here"
	doctor unshare -Ur
	says missing "BPF programs" "outside of this user namespace"
}

@test "no tracefs, no type information of the kernel, no control groups" {
	# Its mount takes CAP_SYS_ADMIN, which Kiln must not have then: it would mount one of its own.
	doctor unshare -m sh -c 'for i in tracing debug; do mount -t tmpfs none /sys/kernel/$i; done; exec setpriv --bounding-set -sys_admin "$@"' -
	says missing tracepoints "cannot read tracefs mount -t tracefs tracefs /sys/kernel/tracing"
	doctor unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf; exec "$@"' -
	[ "$status" -eq 0 ]
	says missing "BPF programs" "this kernel has no type information"
	says missing others "off, wall"
	doctor unshare -m sh -c 'umount -R /sys/fs/cgroup; exec "$@"' -
	says limited "control groups" "no hierarchy of control groups"
}

@test "few open files" {
	doctor prlimit --nofile=200
	says limited "open files" "at most $((200 / $(nproc))) threads"
}

@test "nothing stays: no programs, no control groups, no files" {
	left() {
		PATH=$PATH:/usr/sbin bpftool prog 2>/dev/null | grep -oE ' name on_[a-z_]*' | sort | uniq -c || true
		find /sys/fs/cgroup -type d -name "kiln-[0-9]*" 2>/dev/null
	}
	ls -A >before
	left >left_before
	"$kiln" doctor >/dev/null
	for _ in $(seq 100); do left >left_after; cmp -s left_before left_after && break; sleep 0.1; done
	diff left_before left_after
	rm left_before left_after
	ls -A | grep -vx before | diff <(grep -vxE 'before|left_.*' before) -
}

@test "processes of others: root may record them, another user may not, and is told so" {
	sleep 60 &
	"$bin/kiln" doctor -p $! >said
	grep -q "  ok  .*process $! can be recorded" said
	run "${nobody[@]}" "$bin/kiln" doctor -p $!
	kill %1
	[ "$status" -eq 1 ]
	[[ "$output" == "kiln: doctor: process "*" belongs to another user: run as root" ]]
}

@test "a process in a container: packages are those of its distribution" {
	printf 'ID=fedora\nPRETTY_NAME="Fedora"\n' >release
	cp "$(type -P sleep)" nap
	strip nap
	# Its folder is one of the namespace, too.
	unshare -m sh -c 'mount -t tmpfs none /usr/local/bin && mount --bind release "$(realpath /etc/os-release)" &&
		cp nap /usr/local/bin && exec /usr/local/bin/nap 60' &
	until [ "$(readlink /proc/$!/exe)" = /usr/local/bin/nap ]; do kill -0 $!; sleep 0.02; done
	"$kiln" doctor -p $! >said || true
	kill %1
	cat said
	[ ! -e /usr/local/bin/nap ]
	grep -q '  missing  symbols  .*no function has a name\|  limited  symbols ' said
	grep -qF 'dnf debuginfo-install "$(rpm -qf /usr/local/bin/nap)"' said
}

@test "a process in a container: no command has what a shell would run, and a FIFO stops nothing" {
	name='nap);touch hit;echo $(id'
	printf 'ID=fedora\n' >release
	cp "$(type -P sleep)" "$name"
	strip "$name"
	mkfifo pipe
	for file in release pipe; do
		unshare -m sh -c 'mount -t tmpfs none /usr/local/bin && mount --bind "$1" "$(realpath /etc/os-release)" &&
			cp "$2" /usr/local/bin && exec "/usr/local/bin/$2" 60' sh "$file" "$name" &
		until [ "$(readlink /proc/$!/exe)" = "/usr/local/bin/$name" ]; do kill -0 $!; sleep 0.02; done
		timeout 20 "$kiln" doctor -p $! >said || [ $? -eq 1 ]
		kill $!
		cat said
		grep -qF "ok       file             /usr/local/bin/$name" said
		run ! grep -E '^ +(sudo )?dnf ' said
	done
}

@test "a process in a chroot: its files are those below its root" {
	mkdir -p new/bin
	mount -t tmpfs none new
	mkdir -p new/usr new/lib new/lib64 new/nap
	for folder in usr lib lib64; do mount --bind "/$folder" "new/$folder"; done
	cp "$(type -P sleep)" new/nap/nap
	chroot new /nap/nap 60 &
	until [[ "$(readlink /proc/$!/exe)" = */nap ]]; do kill -0 $!; sleep 0.02; done
	"$kiln" doctor -p $! >said || [ $? -eq 1 ]
	kill $!
	wait $! || true
	umount new/usr new/lib new/lib64 new
	cat said
	grep -q 'ok  *file  */nap/nap$' said
	run ! grep -F 'No such file' said
}
