/* leases.c: how does the content of a mapped file stay the same when the file is changed?
 *
 * The kernel sends SIGIO when a process wants to write to a leased file. Only one thread, the
 * watcher, receives it: the signal is blocked and read with sigwaitinfo, so no handler runs and
 * other signals of the process are untouched. Signals of one kind merge, so each one makes the
 * watcher look at every lease.
 *
 * The copy is anonymous memory that mremap(2) moves over the mapping. A private mapping with
 * pages copied on write would not do, because truncating the file removes those pages, too.
 * Threads that read meanwhile wait in a page fault until the move is done. */
#include "base/leases.h"

#include "base/thread.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

#define LEASES_LIMIT 256u /* each one holds a descriptor, of which a process may have 1024 */

struct lease {
	int fd;
	void *at;
	size_t size;
};

static struct {
	bool allowed;
	pthread_once_t started;
	pthread_mutex_t lock;
	pthread_cond_t listens;
	pid_t watcher; /* thread id; 0: it does not run yet, or could not be started */
	struct lease all[LEASES_LIMIT];
	size_t count;
} leases = {.started = PTHREAD_ONCE_INIT,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.listens = PTHREAD_COND_INITIALIZER};

/* ---- The watcher ---- */

/* Without memory for a copy the lease is kept; the writer then waits until the kernel breaks it. */
static bool replace_by_copy(const struct lease *lease)
{
	void *copy =
		mmap(NULL, lease->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return false;
	memcpy(copy, lease->at, lease->size);
	mprotect(copy, lease->size, PROT_READ);
	if (mremap(copy, lease->size, lease->size, MREMAP_MAYMOVE | MREMAP_FIXED, lease->at) !=
		MAP_FAILED)
		return true;
	munmap(copy, lease->size);
	return false;
}

/* Copy every file that another process waits for: F_GETLEASE then returns what the lease is to
 * become. */
static void copy_requested_files(void)
{
	for (size_t i = 0; i < leases.count;) {
		struct lease *lease = &leases.all[i];

		if (fcntl(lease->fd, F_GETLEASE) == F_RDLCK || !replace_by_copy(lease)) {
			i++;
			continue;
		}
		fcntl(lease->fd, F_SETLEASE, F_UNLCK);
		*lease = leases.all[--leases.count];
	}
}

static void *watch(void *unused)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGIO);
	(void)unused;
	pthread_mutex_lock(&leases.lock);
	leases.watcher = gettid();
	pthread_cond_signal(&leases.listens);
	pthread_mutex_unlock(&leases.lock);
	for (;;) {
		sigwaitinfo(&signals, NULL);
		pthread_mutex_lock(&leases.lock);
		copy_requested_files();
		pthread_mutex_unlock(&leases.lock);
	}
	return NULL;
}

static void start(void)
{
	pthread_t thread;

	if (!thread_start(&thread, watch, NULL))
		return;
	pthread_detach(thread);
	pthread_mutex_lock(&leases.lock);
	while (!leases.watcher)
		pthread_cond_wait(&leases.listens, &leases.lock);
	pthread_mutex_unlock(&leases.lock);
}

/* ---- Leases ---- */

void leases_allow(void)
{
	leases.allowed = true;
}

/* False for file systems that a server, a user's program or another mount can change: NFS, FUSE,
 * overlayfs. */
static bool is_local(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	switch ((unsigned long)fs.f_type) {
	case EXT4_SUPER_MAGIC: /* and ext2, ext3 */
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case SQUASHFS_MAGIC:
	case EROFS_SUPER_MAGIC_V1:
		return true;
	default:
		return false;
	}
}

bool leases_are_possible(int fd)
{
	return leases.allowed && is_local(fd);
}

/* Get the size under the lease: without it, the file may change. */
static void *map_leased(int fd, size_t *ret_size)
{
	struct stat status;
	void *at;

	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		return NULL;
	if (!fstat(fd, &status) && status.st_size > 0) {
		at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED) {
			*ret_size = (size_t)status.st_size;
			return at;
		}
	}
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return NULL;
}

/* The watcher takes the same lock, so it finds a lease in the list whenever it is notified. */
static void *map_listed(int fd, size_t *ret_size)
{
	const struct f_owner_ex watcher = {F_OWNER_TID, leases.watcher};
	void *at;

	if (leases.count >= LEASES_LIMIT || fcntl(fd, F_SETOWN_EX, &watcher))
		return NULL;
	at = map_leased(fd, ret_size);
	if (at)
		leases.all[leases.count++] = (struct lease){fd, at, *ret_size};
	return at;
}

void *leases_map(int fd, size_t *ret_size)
{
	void *at = NULL;

	if (!leases_are_possible(fd))
		return NULL;
	pthread_once(&leases.started, start);
	pthread_mutex_lock(&leases.lock);
	if (leases.watcher)
		at = map_listed(fd, ret_size);
	pthread_mutex_unlock(&leases.lock);
	return at;
}

static struct lease *lease_of(int fd)
{
	for (size_t i = 0; i < leases.count; i++)
		if (leases.all[i].fd == fd)
			return &leases.all[i];
	return NULL;
}

void leases_drop_pages(int fd, void *at, size_t size)
{
	pthread_mutex_lock(&leases.lock);
	if (lease_of(fd))
		madvise(at, size, MADV_DONTNEED);
	pthread_mutex_unlock(&leases.lock);
}

void leases_end(int fd)
{
	struct lease *lease;

	pthread_mutex_lock(&leases.lock);
	lease = lease_of(fd);
	if (lease) {
		fcntl(fd, F_SETLEASE, F_UNLCK);
		*lease = leases.all[--leases.count];
	}
	pthread_mutex_unlock(&leases.lock);
}
