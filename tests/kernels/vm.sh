#!/bin/bash
# vm.sh: run a command under another kernel, on this machine's files.
#   vm.sh KERNEL COMMAND...		(VM_BOOT="lockdown=confidentiality ..." is for the kernel)
# KERNEL is what kernel.sh unpacked. A virtual machine boots it; all files are this machine's and cannot be changed,
# but /tmp is its own. What the command prints comes out, its exit status is this one's; 125: there was none, and
# the console's last lines say why.
#
# It has one simulated processor, and the clock goes on by what that executes (an instruction takes 2 ns):
# however busy this machine is, nothing there runs late for it, so tests expect what they expect everywhere. Only
# who sleeps may wake up late. VM_CPUS=2: two, whose clock is this machine's, for what is counted and not timed (QEMU
# 7.2 starts no second one by the other clock).
# VM_KVM=1: two of this machine's processors.
set -eu
kernel=$1
shift
case $PWD/ in /tmp/*) echo "vm.sh: the machine has a /tmp of its own: call it from elsewhere than $PWD" >&2 && exit 125 ;; esac
version=$(basename "$kernel"/lib/modules/*)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- What it boots into: modules for the host's files, then the command ----
mkdir -p "$work"/root/{bin,dev,proc,modules,host} "$work/said"
cp "$(command -v busybox)" "$work/root/bin/busybox"
for module in virtio_pci 9pnet_virtio 9p loop ext4; do
	PATH=$PATH:/usr/sbin modprobe -d "$kernel" -S "$version" --show-depends $module
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
	cp "$file" "$work/root/modules/"
	basename "$file"
done >"$work/root/modules/order"
cat >"$work/root/init" <<-'END'
	#!/bin/busybox sh

	export PATH=/bin
	/bin/busybox --install -s /bin
	mount -t devtmpfs none /dev
	exec >/dev/console 2>&1
	mount -t proc none /proc
	while read -r module; do insmod /modules/$module; done </modules/order
	nine="trans=virtio,version=9p2000.L,msize=512000"
	mount -t 9p -o ro,cache=loose,$nine files /host
	for type in proc:proc sysfs:sys devtmpfs:dev tmpfs:run tmpfs:tmp; do
		mount -t ${type%:*} none /host/${type#*:}
	done
	mkdir -p /host/dev/shm /host/run/said
	ln -s /proc/self/fd /host/dev/fd
	ln -s /proc/self/fd/0 /host/dev/stdin
	ln -s /proc/self/fd/1 /host/dev/stdout
	ln -s /proc/self/fd/2 /host/dev/stderr
	mount -t tmpfs none /host/dev/shm
	mount -t cgroup2 none /host/sys/fs/cgroup
	echo +pids >/host/sys/fs/cgroup/cgroup.subtree_control # as systemd does; groups have no events until then
	mkdir /host/run/freezer && mount -t cgroup -o freezer none /host/run/freezer # another hierarchy
	mount -t tracefs none /host/sys/kernel/tracing
	mount -t debugfs none /host/sys/kernel/debug
	mount -t bpf none /host/sys/fs/bpf
	mount -t securityfs none /host/sys/kernel/security
	ip link set lo up
	mount -t 9p -o $nine said /host/run/said
	cp /bin/busybox /host/run/said/..
	exec switch_root /host /bin/sh /run/said/first
END
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio --quiet -o -H newc) >"$work/initrd"

cat >"$work/said/first" <<-'END'
	bash /run/said/command >/run/said/out 2>/run/said/err </dev/null
	echo $? >/run/said/status
	sync
	/run/busybox poweroff -f
END

export VM_OWN=1

# ---- The command, where it is called and in this environment ----
{
	export -p
	printf 'cd %q && exec' "$PWD"
	printf ' %q' "$@"
	echo
} >"$work/said/command"

processors=(-accel tcg,thread=single -icount shift=1,sleep=on -cpu max -smp 1)
[ "${VM_CPUS:-1}" -eq 1 ] || processors=(-accel tcg,thread=multi -cpu max -smp "$VM_CPUS")
[ -z "${VM_KVM:-}" ] || processors=(-enable-kvm -cpu host -smp 2)
timeout "${VM_SECONDS:-1400}" qemu-system-x86_64 "${processors[@]}" -m "${VM_MEMORY:-3G}" -nodefaults -no-reboot \
	-display none -serial "file:$work/console" -kernel "$kernel"/boot/vmlinuz-* -initrd "$work/initrd" \
	-append "console=ttyS0 panic=-1 quiet loglevel=3 ${VM_BOOT:-}" \
	-virtfs local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap \
	-virtfs "local,path=$work/said,mount_tag=said,security_model=none" </dev/null >"$work/qemu" 2>&1 || true
cat "$work/said/out" 2>/dev/null || true
cat "$work/said/err" >&2 2>/dev/null || true
if [ ! -s "$work/said/status" ]; then
	echo "vm.sh: the machine ended before its command" >&2
	tail -n 60 "$work/qemu" "$work/console" >&2 || true
	exit 125
fi
exit "$(cat "$work/said/status")"
