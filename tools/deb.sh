#!/bin/sh
# deb.sh: Debian packages of the tree as it is, in dist/, checked by lintian.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
work=dist/work
rm -rf $work
mkdir -p $work/kiln-"$version"
tar --exclude-vcs --exclude='./build*' --exclude=./dist --exclude=node_modules -cf - . |
	tar -xf - -C $work/kiln-"$version"

(cd $work/kiln-"$version" && dpkg-buildpackage -us -uc -b >../build.log 2>&1) ||
	{ tail -n 40 $work/build.log; exit 1; }
(cd $work && lintian --fail-on error,warning --display-info --tag-display-limit 0 kiln_*.changes)
rm -f dist/*.deb
mv $work/*.deb dist/
rm -rf $work
ls dist/*.deb
