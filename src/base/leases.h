/* leases.h: mapped files that are replaced by a copy before another process changes them.
 *
 * A mapping shows what others write to the file, and an access beyond the end of a truncated file
 * raises SIGBUS. A read lease (fcntl(2), F_SETLEASE) is the kernel's promise that no process has
 * the file open for writing. A process that opens or truncates it waits until the lease is
 * released, at most /proc/sys/fs/lease-break-time (45 s). A thread of this process is notified,
 * puts a copy in place of the mapping, and releases the lease: the writer waits for milliseconds,
 * and threads that read here notice nothing. */
#ifndef KILN_BASE_LEASES_H
#define KILN_BASE_LEASES_H

#include <stdbool.h>
#include <stddef.h>

/* Allow this process to take leases. They need a thread that waits for signals, which a library
 * must not start in its host. Call before other threads start. */
void leases_allow(void);

/* Are leases allowed, and do all changes of this file go through this kernel? */
bool leases_are_possible(int fd);

/* Map all of a file for reading, under a lease that `fd` holds. `fd` must be an open file
 * description that is not shared, and stay open. NULL when there is no lease: the file is open
 * for writing, belongs to another user, or is on a file system without leases. */
void *leases_map(int fd, size_t *ret_size);

/* Release the pages [at, at + size) of such a mapping; they are read from the file again on the
 * next access. Does nothing when a copy has replaced the mapping. */
void leases_drop_pages(int fd, void *at, size_t size);

/* Release the lease. The mapping remains; the caller unmaps it. */
void leases_end(int fd);

#endif
