#!/bin/sh
# kernel.sh FOLDER: Debian's kernel, as its packages have it now, unpacked below FOLDER; prints where it is.
set -eu
for command in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio depmod:kmod; do
	PATH=$PATH:/usr/sbin command -v "${command%:*}" >/dev/null ||
		{ echo "kernel.sh: no ${command%:*}: apt-get install ${command#*:}" >&2 && exit 1; }
done
mkdir -p "$1"
cd "$1"
package=$(apt-cache depends linux-image-amd64 | awk '$1 == "Depends:" { print $2; exit }')
[ -n "$package" ] || { echo "kernel.sh: there is no package linux-image-amd64" >&2; exit 1; }
if [ ! -f "$package/done" ]; then
	rm -rf "$package"
	mkdir "$package"
	(cd "$package" && apt-get download -q=2 "$package" >&2)
	dpkg-deb -x "$package"/*.deb "$package"
	rm "$package"/*.deb
	PATH=$PATH:/usr/sbin depmod -b "$package" "$(basename "$package"/lib/modules/*)"
	touch "$package/done"
fi
echo "$PWD/$package"
