#!/bin/sh
# calls.sh CC...: which system calls does the kernel of the machine have that is compiled for? CALL(name), each.
# Fails if there is none: the compiler has no headers of the kernel, and says so.
set -e
echo '#include <asm/unistd.h>' | "$@" -E -dM -x c - |
	sed -n 's/^#define __NR_\([a-z_0-9]*\) .*/CALL(\1)/p' | grep -v -x 'CALL(\(syscalls\|arch_specific_syscall\))' | LC_ALL=C sort | grep .
