/* output_file.c: how does a file appear complete, or not at all? */
#include "base/output_file.h"

#include "base/memory.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_TRIES 100
#define NAME_KEPT                                                                                  \
	200 /* bytes of the name that its temporary name contains: the whole fits into NAME_MAX */

/* While it is written, the file has no name (O_TMPFILE), so that nothing remains of it however
 * the process ends. On file systems without such files it has a temporary name. */
struct output_file {
	struct output_folder folder;
	int fd;
	bool unnamed;		      /* no directory entry leads to the file */
	char temporary[NAME_MAX + 1]; /* "": none, or it has been renamed already */
};

/* ---- What a signal handler removes ---- */

static _Atomic(struct output_file *) with_temporary[8];

static void replace_entry(struct output_file *from, struct output_file *to)
{
	for (size_t i = 0; i < sizeof(with_temporary) / sizeof(*with_temporary); i++) {
		struct output_file *expected = from;

		if (atomic_compare_exchange_strong(&with_temporary[i], &expected, to))
			return;
	}
}

void output_file_abandon(void)
{
	for (size_t i = 0; i < sizeof(with_temporary) / sizeof(*with_temporary); i++) {
		struct output_file *file = with_temporary[i];

		if (file && file->fd < 0) /* just created */
			unlinkat(file->folder.fd, file->temporary, 0);
		else if (file)
			output_folder_remove(&file->folder, file->temporary, file->fd);
	}
}

static void drop_temporary(struct output_file *file)
{
	if (!*file->temporary)
		return;
	output_folder_remove(&file->folder, file->temporary, file->fd);
	replace_entry(file, NULL);
	*file->temporary = '\0';
}

static void drop_held(void *file)
{
	drop_temporary(file);
}

/* ---- Writing ---- */

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

/* ---- Opening ---- */

/* The path of an open file in /proc, for linkat. */
static void path_of(int fd, char path[static 64])
{
	snprintf(path, 64, "/proc/self/fd/%d", fd);
}

/* -1: such a file cannot be created, or cannot be named later. */
static int create_unnamed(const struct output_folder *folder, unsigned mode)
{
	int fd = scope_fd(openat(folder->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
	char path[64];

	if (fd < 0)
		return -1;
	path_of(fd, path);
	if (!access(path, F_OK))
		return fd;
	scope_close(fd);
	return -1;
}

/* Call `create` with unused names until it succeeds; -1 and errno. */
static int take_temporary(struct output_file *file,
	int (*create)(const struct output_file *file, unsigned mode), unsigned mode)
{
	int made = -1;

	replace_entry(NULL, file); /* before there is anything to remove in a signal handler */
	for (int i = 0; made < 0 && i < NAME_TRIES; i++) {
		unsigned number = (unsigned)getpid() + (unsigned)i;

		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
			number += (unsigned)i << 24;
		snprintf(file->temporary, sizeof(file->temporary), "%.*s.%08x~", NAME_KEPT,
			file->folder.name, number);
		made = create(file, mode);
		if (made < 0 && errno != EEXIST)
			break;
	}
	if (made < 0) {
		replace_entry(file, NULL);
		*file->temporary = '\0';
	}
	return made;
}

static int create_named(const struct output_file *file, unsigned mode)
{
	return output_folder_create(&file->folder, file->temporary, mode);
}

static bool open_file(struct output_file *file, unsigned mode)
{
	file->fd = create_unnamed(&file->folder, mode);
	file->unnamed = file->fd >= 0;
	if (file->fd < 0)
		file->fd = take_temporary(file, create_named, mode);
	if (file->fd >= 0)
		output_folder_chown_to_sudo_user(&file->folder, file->fd);
	return file->fd >= 0;
}

struct output_file *output_file_create(struct output_folder *folder, unsigned mode)
{
	struct output_file *file = memory_new(1, sizeof(*file));
	int error;

	file->folder = *folder;
	*folder = OUTPUT_FOLDER_NONE;
	file->fd = file->folder.device;
	file->folder.device = -1;
	if (file->fd >= 0 || open_file(file, mode)) {
		scope_hold(file, drop_held);
		return file;
	}
	error = errno;
	output_file_release(file);
	errno = error;
	return NULL;
}

int output_file_fd(const struct output_file *file)
{
	return file->fd;
}

const struct output_folder *output_file_folder(const struct output_file *file)
{
	return &file->folder;
}

/* ---- Naming ---- */

static int link_as(const struct output_file *file, const char *name)
{
	char path[64];

	path_of(file->fd, path);
	return linkat(AT_FDCWD, path, file->folder.fd, name, AT_SYMLINK_FOLLOW);
}

static int link_temporary(const struct output_file *file, unsigned mode)
{
	(void)mode;
	return link_as(file, file->temporary);
}

/* Replaces whatever has the name now; a link is replaced, not followed. */
static bool rename_temporary(struct output_file *file)
{
	struct output_folder *f = &file->folder;

	if (output_folder_taken(f, file->temporary, file->fd)) {
		errno = EEXIST;
		return false;
	}
	if (renameat(f->fd, file->temporary, f->fd, f->name))
		return false;
	replace_entry(file, NULL);
	*file->temporary = '\0';
	return true;
}

static bool name_file(struct output_file *file)
{
	if (file->unnamed) {
		if (!link_as(file, file->folder.name))
			return true;
		if (errno != EEXIST || take_temporary(file, link_temporary, 0) < 0)
			return false;
	}
	return rename_temporary(file);
}

/* Some file systems report a full disk only on close. */
static bool close_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy >= 0 && !close(copy);
}

bool output_file_commit(struct output_file *file, struct error *err)
{
	if (!close_copy(file->fd))
		return error_errno(err, "cannot write");
	if (!file->unnamed && !*file->temporary)
		return true; /* a device: nothing to name */
	return name_file(file) || error_errno(err, "cannot rename the file to its name");
}

void output_file_release(struct output_file *file)
{
	if (!file)
		return;
	scope_drop(file);
	drop_temporary(file);
	if (file->fd >= 0)
		scope_close(file->fd);
	output_folder_release(&file->folder);
	memory_free(file);
}
