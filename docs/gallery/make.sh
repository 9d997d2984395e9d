#!/bin/bash
# make.sh KILN: makes the pictures of this folder anew, by the commands that its documents show (as root).
#
# Every block ```sh of README.md and of ../reading.md is run as it stands, where programs/ is compiled into the PATH.
# The page that the last of them makes is looked at by screens.mjs. What they print is shown, for the figures in the documents: they are those of one run on one machine.
set -euo pipefail
kiln=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
work=/tmp/gallery # a name that may be seen in pictures

# A session of its own goes before what else the machine does, where the scheduler goes by sessions.
[ "${GALLERY_SESSION:-}" = mine ] || GALLERY_SESSION=mine exec setsid --wait "$0" "$@"
{ echo -15 >/proc/self/autogroup && renice -n -15 $$; } >/dev/null 2>&1 || true

mkdir -m 700 "$work" # not where somebody else has put something
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cd "$work"
for program in "$here"/programs/*.c; do
	gcc -O2 -g -pthread -o "bin/$(basename "$program" .c)" "$program"
done
ln -s "$kiln" bin/kiln
export PATH=$work/bin:/usr/bin:/bin HOME=$work LC_ALL=C.UTF-8

# What the commands work on: headers, their words, and noise.
tar -cf headers.tar -C /usr include/linux include/c++
find /usr/include/linux -name '*.h' | LC_ALL=C sort | xargs cat | tr -s -c 'A-Za-z_' '\n' | awk '/./ && n++ < 150000' >words
head -c 8M /dev/urandom >records

awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$here/README.md" "$here/../reading.md" >commands
PS4='$ ' bash -ex commands </dev/null
for picture in *.svg; do
	if grep -qF -e "${here%/docs/gallery}/" -e /root/ -e /home/ "$picture"; then
		echo "make.sh: $picture tells where it was made" >&2
		exit 1
	fi
	install -m 644 "$picture" "$here"
done
(cd "$here/../../tests/browser" && npm ci --silent)
node "$here/screens.mjs" "$work/page.html" "$here"
ls -l "$here"/*.svg "$here"/*.png
