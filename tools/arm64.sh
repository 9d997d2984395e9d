#!/bin/sh
# arm64.sh: build-arm64/kiln, compiled on another Debian machine for 64-bit Arm.
#   arm64.sh [SUITE]   SUITE: Debian's name for what it is to run on; this machine's own if not said
# Takes gcc-aarch64-linux-gnu and mmdebstrap, and what a build for this machine takes (tools/packages).
set -eu
cd "$(dirname "$0")/.."
suite=${1:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
root=$PWD/build-arm64-root

for need in aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu mmdebstrap:mmdebstrap; do
	command -v "${need%:*}" >/dev/null && continue
	echo "arm64: ${need%:*} is missing: install Debian's ${need#*:}" >&2
	exit 1
done

# The libraries that a package of Kiln is built with, unpacked and not installed: nothing of them runs here.
if [ ! -d "$root/usr/lib" ]; then
	libraries=$(sed -n '/^Build-Depends/,/^[^ B]/s/.* \(z\{0,1\}lib[a-z0-9-]*-dev\),*$/\1/p' debian/control)
	mmdebstrap --quiet --variant=extract --architectures=arm64 \
		--include="$(echo libc6-dev libcmocka-dev libcapstone-dev $libraries | tr ' ' ,)" "$suite" "$root"
	# Links to /lib/... would be followed to this machine's.
	(cd "$root" && find . -type l -lname '/*' | while read -r link; do
		ln -sfnr "./$(readlink "$link")" "$link"
	done)
fi

if [ ! -f build-arm64/build.ninja ]; then
	printf "[constants]\nroot = '%s'\n" "$root" >"$root/root.ini" # where meson looks for it later, too
	meson setup build-arm64 --cross-file "$root/root.ini" --cross-file tools/arm64.ini
fi
ninja -C build-arm64
