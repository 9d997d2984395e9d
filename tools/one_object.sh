#!/bin/sh
# one_object.sh ARCHIVE OUT AR OBJCOPY LINKER...: an archive whose names cannot clash with anybody's.
#
# What floors share is hidden, but hidden names are still global in an archive. Linked into one object,
# everything but kiln_* can be made local to it.
set -eu
archive=$1
out=$2
ar=$3
objcopy=$4
shift 4
object=$out.p/kiln.o
mkdir -p "$out.p"
"$@" -r -nostdlib -o "$object" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive
"$objcopy" --wildcard --keep-global-symbol='kiln_*' "$object"
rm -f "$out"
"$ar" rcs "$out" "$object"
