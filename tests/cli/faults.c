/* faults.c: preloaded into a command, changes what its system calls do.
 *
 * FAULT_SIGNAL=N: the first write to a file is half done when signal N arrives.
 * FAULT_NAMELESS=1: the file system has no files without a name (O_TMPFILE).
 * FAULT_SHORT=1: reads and writes take a part of what was asked for. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t part(size_t size)
{
	return getenv("FAULT_SHORT") && size > 1 ? size / 2 + size % 7 / 4 : size;
}

static int is_file(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode);
}

ssize_t read(int fd, void *at, size_t size)
{
	return syscall(SYS_read, fd, at, part(size));
}

ssize_t pread64(int fd, void *at, size_t size, off_t offset)
{
	return syscall(SYS_pread64, fd, at, part(size), offset);
}

ssize_t write(int fd, const void *at, size_t size)
{
	const char *number = getenv("FAULT_SIGNAL");

	if (number && fd > 2 && is_file(fd)) {
		syscall(SYS_write, fd, at, size / 2);
		kill(getpid(), atoi(number));
	}
	return syscall(SYS_write, fd, at, part(size));
}

int openat64(int folder, const char *path, int flags, ...)
{
	va_list more;
	int mode;

	if (getenv("FAULT_NAMELESS") && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	va_start(more, flags);
	mode = va_arg(more, int);
	va_end(more);
	return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) __attribute__((alias("openat64")));
