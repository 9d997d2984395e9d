/* leases.h: mapped files that are replaced by a copy before another process changes them.
 *
 * A mapping shows what others write to the file, and reading behind a new end of it is SIGBUS. A
 * read lease (fcntl(2), F_SETLEASE) is the kernel's promise that nobody has the file open for
 * writing; who opens or truncates it waits until the lease is given back, at most
 * /proc/sys/fs/lease-break-time (45 s). A thread of ours hears of that, puts a copy in the place of
 * the mapping, and gives the lease back: the writer waits for milliseconds, and readers here notice
 * nothing. */
#ifndef KILN_BASE_LEASES_H
#define KILN_BASE_LEASES_H

#include <stdbool.h>
#include <stddef.h>

/* May this process take leases? They need a thread that listens to signals, which a library must
 * not start in a process that is not its own. Before there are other threads. */
void leases_allow(void);

/* Are they allowed, and do all changes of this file go through this kernel? */
bool leases_are_possible(int fd);

/* Map all of a file for reading, under a lease that `fd` then holds. `fd` must be an open file
 * description that nobody else has, and stay open. NULL when there is no lease to be had: somebody
 * writes to the file, it belongs to another user, or its file system has none. */
void *leases_map(int fd, size_t *ret_size);

/* Give back the pages [at, at + size) of such a mapping: they are read from the file again when
 * they are needed. Does nothing when a copy is in its place. */
void leases_forget_pages(int fd, void *at, size_t size);

/* Give the lease back; the mapping remains, to be unmapped by the caller. */
void leases_end(int fd);

#endif
