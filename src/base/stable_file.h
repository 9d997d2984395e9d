/* stable_file.h: all of a file's content in memory, protected from changes.
 *
 * Content that has been checked stays as it was, and no access ends in SIGBUS, whatever others
 * do to the file: a large file is mapped under a lease (leases.h), or copied where a lease is
 * not possible. Two kinds of files need no lease: sealed memory (memfd_create(2)) and, for users
 * other than root, files that only root can change. */
#ifndef KILN_BASE_STABLE_FILE_H
#define KILN_BASE_STABLE_FILE_H

#include "base/bytes.h"
#include "base/error.h"

/* `{0}` holds nothing. */
struct stable_file {
	struct bytes content;
	int lease;	/* the descriptor that holds the lease; 0: there is none */
	bool is_reread; /* released pages are read from the file again */
};

/* The whole regular file behind `fd`, which the caller keeps. ERR_LIMIT when it would have to be
 * copied and is larger than `copied` bytes. */
bool stable_file_open(struct stable_file *ret, int fd, uint64_t copied, struct error *err);

/* The bytes from `start` to `end` of the content are not needed now: release their memory if
 * they can be read again. */
void stable_file_drop_pages(const struct stable_file *file, size_t start, size_t end);

/* It outlives the running call of libkiln (scope.h): another thread uses it. */
void stable_file_keep(const struct stable_file *file);

void stable_file_release(struct stable_file *file);

#endif
