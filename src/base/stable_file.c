/* stable_file.c: which files can be mapped, and which are copied? */
#include "base/stable_file.h"

#include "base/large_pages.h"
#include "base/leases.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to this size a copy is faster than a lease and the page faults of a mapping. */
#define COPIED_ALWAYS ((size_t)32 << 10) /* bytes */

/* ---- Mapping ---- */

/* A descriptor that this process shares with no other: a lease belongs to all processes that
 * share an open file description, and lasts as long as one of them has it open. Only the
 * standard descriptors were inherited. A confined process cannot reopen what was opened for it,
 * but does not share that either. */
static int own_descriptor(int fd)
{
	char path[64];
	int own = -1;

	if (fd <= STDERR_FILENO) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		own = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (own < 0 && errno != EACCES)
			return -1;
	}
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static bool map_under_lease(struct stable_file *f, int fd)
{
	int own = leases_are_possible(fd) ? own_descriptor(fd) : -1;
	size_t size = 0;
	void *at = own >= 0 ? leases_map(own, &size) : NULL;

	if (!at) {
		if (own >= 0)
			close(own);
		return false;
	}
	*f = (struct stable_file){{at, size}, own, true};
	return true;
}

static bool is_sealed(int fd)
{
	const int needed = F_SEAL_WRITE | F_SEAL_SHRINK;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & needed) == needed;
}

static bool only_root_changes(int fd, const struct stat *status)
{
	return geteuid() && !status->st_uid && !(status->st_mode & (S_IWGRP | S_IWOTH)) &&
	       leases_are_possible(fd);
}

static bool map_unchanging(struct stable_file *f, int fd, const struct stat *status)
{
	size_t size = (size_t)status->st_size;
	void *at;

	if (!is_sealed(fd) && !only_root_changes(fd, status))
		return false;
	at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return false;
	*f = (struct stable_file){.content = {scope_mapping(at, size), size}, .is_reread = true};
	return true;
}

/* ---- Copying ---- */

/* Read as much of `size` bytes as there is: the file may have become shorter. */
static bool read_all(int fd, char *to, size_t size, size_t *ret_len, struct error *err)
{
	size_t len = 0;
	ssize_t got;

	do {
		got = pread(fd, to + len, size - len, (off_t)len);
		if (got < 0 && errno != EINTR)
			return error_errno(err, "cannot read");
		len += got > 0 ? (size_t)got : 0;
	} while (len < size && got);
	*ret_len = len;
	return true;
}

static bool copy(struct stable_file *f, int fd, size_t size, struct error *err)
{
	size_t len = 0;
	/* Populating all pages in one call is faster than a fault for each. */
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (size < LARGE_PAGE ? MAP_POPULATE : 0);
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (at == MAP_FAILED)
		return error_set(err, ERR_MEMORY, "no memory for a copy of %zu bytes", size);
	if (size >= LARGE_PAGE)
		large_pages_advise(at, size);
	if (!read_all(fd, at, size, &len, err) || !len) {
		munmap(at, size);
		return !err->code;
	}
	if (len < size)
		mremap(at, size, len, 0);
	*f = (struct stable_file){.content = {scope_mapping(at, len), len}};
	return true;
}

/* ---- Files ---- */

bool stable_file_open(struct stable_file *ret, int fd, uint64_t copied, struct error *err)
{
	struct stat status;
	size_t size;

	*ret = (struct stable_file){0};
	if (fstat(fd, &status))
		return error_errno(err, "cannot read");
	if (!S_ISREG(status.st_mode))
		return error_set(err, ERR_USAGE, "not a regular file");
	size = (size_t)status.st_size;
	if (!size)
		return true;
	if (size > COPIED_ALWAYS && (map_under_lease(ret, fd) || map_unchanging(ret, fd, &status)))
		return true;
	if (size > copied)
		return error_set(err, ERR_LIMIT,
			"other users can change it while it is read, and it is too large to copy "
			"into memory: %zu MiB, at most %llu",
			size >> 20, (unsigned long long)(copied >> 20));
	return copy(ret, fd, size, err);
}

void stable_file_drop_pages(const struct stable_file *file, size_t start, size_t end)
{
	char *at = (char *)(uintptr_t)file->content.at + start;

	if (file->lease)
		leases_drop_pages(file->lease, at, end - start);
	else if (file->is_reread)
		madvise(at, end - start, MADV_DONTNEED);
}

void stable_file_keep(const struct stable_file *file)
{
	scope_drop(file->content.at);
}

void stable_file_release(struct stable_file *file)
{
	if (file->lease) {
		leases_end(file->lease);
		close(file->lease);
	}
	if (file->content.len)
		scope_unmap((void *)(uintptr_t)file->content.at, file->content.len);
	*file = (struct stable_file){0};
}
