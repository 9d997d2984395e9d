#!/bin/sh
# compile.sh FOLDER: the programs to record, there.
set -e
for source in "$(dirname "$0")"/*.c; do
	gcc -O2 -g -fomit-frame-pointer -pthread -o "$1/$(basename "$source" .c)" "$source"
done
