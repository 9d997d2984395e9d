/* output_file.c: how does a whole file come to be, or not at all? */
#include "base/output_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The `beside` of the output that was opened last, while it is being written. */
static _Atomic(const char *) unfinished;
static atomic_bool abandoned; /* by a signal handler, which may still look at that name */

void output_abandon(void)
{
	const char *path;

	abandoned = true;
	path = unfinished;
	if (path)
		unlink(path);
}

/* The output is there, or given up. */
static void release_beside(struct output *o)
{
	const char *own = o->beside;

	atomic_compare_exchange_strong(&unfinished, &own, NULL);
	if (!abandoned)
		free(o->beside);
	o->beside = NULL;
}

bool output_write_fd(int fd, struct bytes bytes, struct error *err)
{
	while (bytes.len) {
		ssize_t done = write(fd, bytes.at, bytes.len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_errno(err, "cannot write");
		bytes.at += done;
		bytes.len -= (size_t)done;
	}
	return true;
}

void output_give_to_caller(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t user, group;

	if (geteuid() || !uid || !gid || !bytes_u64(bytes_of(uid), &user) ||
		!bytes_u64(bytes_of(gid), &group))
		return;
	/* Best effort: some file systems have no owners. */
	if (fchown(fd, (uid_t)user, (gid_t)group))
		return;
}

/* A name no other thread of any process uses, in the folder of `path`, so that renaming stays on
 * one file system. */
static char *name_beside(const char *path)
{
	struct buffer name = {0};

	buffer_printf(&name, "%s.%ld~", path, (long)gettid());
	return name.at;
}

/* Devices, pipes and the like are written to; only files are replaced. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

/* The file that a link leads to, else `path` itself; the caller frees it. The kernel follows the
 * link, because it knows which ones in folders that everybody writes to are traps. */
static char *behind_links(const char *path)
{
	char link[64], target[PATH_MAX];
	struct stat status;
	ssize_t len = -1;
	int fd;

	if (!lstat(path, &status) && S_ISLNK(status.st_mode)) {
		fd = open(path, O_PATH | O_CLOEXEC);
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		len = fd >= 0 ? readlink(link, target, sizeof(target)) : -1;
		if (fd >= 0)
			close(fd);
	}
	return len > 0 && (size_t)len < sizeof(target) && target[0] == '/'
		       ? memory_copy_text(target, (size_t)len)
		       : memory_copy_text(path, strlen(path));
}

bool output_open(struct output *o, const char *path, unsigned mode, struct error *err)
{
	*o = (struct output){.fd = -1};
	if (!strcmp(path, "-")) {
		o->fd = STDOUT_FILENO;
		return true;
	}
	if (is_special(path)) {
		o->path = memory_copy_text(path, strlen(path));
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		o->path = behind_links(path);
		o->beside = name_beside(o->path);
		/* In a folder that others may write to, this name may be a link of theirs. */
		unlink(o->beside);
		o->fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	}
	if (o->fd < 0) {
		error_errno(err, "%s: cannot create", path);
		release_beside(o);
		output_discard(o);
		return false;
	}
	if (o->beside)
		output_give_to_caller(o->fd);
	unfinished = o->beside;
	return true;
}

bool output_file_name(struct output *o)
{
	int fd = o->fd;

	o->fd = -1;
	if (close(fd))
		return error_errno(&o->failed, "cannot write");
	if (o->beside && rename(o->beside, o->path))
		return error_errno(&o->failed, "cannot rename");
	release_beside(o);
	return true;
}

void output_file_drop(struct output *o)
{
	if (o->path && o->fd >= 0)
		close(o->fd);
	if (o->beside)
		unlink(o->beside);
	release_beside(o);
	free(o->path);
}
