/* plain_file.c: opens a file whose name an untrusted party chose. */
#include "base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int plain_file_take(int place)
{
	struct stat status;
	char link[32];
	int fd = -1, why;

	if (place < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	if (!fstat(place, &status)) {
		errno = S_ISLNK(status.st_mode) ? ELOOP : ENXIO;
		if (S_ISREG(status.st_mode))
			fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	why = errno;
	close(place);
	errno = why;
	return fd;
}

int plain_file_open_trusted(const char *path)
{
	struct stat status;

	if (!lstat(path, &status) && S_ISLNK(status.st_mode) && status.st_uid &&
		status.st_uid != geteuid()) {
		errno = ELOOP;
		return -1;
	}
	return plain_file_open(AT_FDCWD, path, 0);
}

int plain_file_open(int folder, const char *path, int flags)
{
	return plain_file_take(openat(folder, path, O_PATH | O_CLOEXEC | flags));
}
