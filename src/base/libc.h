/* libc.h: calls of the kernel that glibc has functions for, and other C libraries perhaps not
 * (musl 1.2).
 *
 * The build looks which of them are missing: LACKS_... in meson.build. */
#ifndef KILN_BASE_LIBC_H
#define KILN_BASE_LIBC_H

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#ifdef LACKS_CLOSE_RANGE
static inline int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}
#endif

#ifdef LACKS_RENAMEAT2
#define RENAME_NOREPLACE 1u

static inline int renameat2(
	int folder, const char *name, int new_folder, const char *new_name, unsigned flags)
{
	return (int)syscall(SYS_renameat2, folder, name, new_folder, new_name, flags);
}
#endif

#ifdef LACKS_STATX
#include <linux/stat.h>

static inline int statx(int folder, const char *path, int flags, unsigned mask, struct statx *ret)
{
	return (int)syscall(SYS_statx, folder, path, flags, mask, ret);
}
#endif

#endif
