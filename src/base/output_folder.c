/* output_folder.c: in which folder does an output get its name, and what has that name now? */
#include "base/output_folder.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_LIMIT 40 /* the same as the kernel's */

/* ---- Users ---- */

bool output_folder_sudo_user(uid_t *ret_user, gid_t *ret_group)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t user, group;

	if (geteuid() || !uid || !gid || !bytes_u64(bytes_of(uid), &user) ||
		!bytes_u64(bytes_of(gid), &group))
		return false;
	*ret_user = (uid_t)user;
	*ret_group = (gid_t)group;
	return true;
}

static bool is_trusted(uid_t user)
{
	return !user || user == geteuid();
}

/* May this user create files in the folder? The current folder may have been chosen by a user
 * who must not get a file there. Only the user's first group counts. */
static bool may_write(const struct stat *folder, uid_t user, gid_t group)
{
	return folder->st_uid == user || (folder->st_mode & S_IWOTH) ||
	       ((folder->st_mode & S_IWGRP) && folder->st_gid == group);
}

void output_folder_chown_to_sudo_user(const struct output_folder *f, int fd)
{
	struct stat folder, file;
	uid_t user;
	gid_t group;

	if (!output_folder_sudo_user(&user, &group) || fstat(f->fd, &folder) ||
		!may_write(&folder, user, group))
		return;
	if (fstat(fd, &file) || !S_ISREG(file.st_mode) || file.st_nlink > 1 || file.st_uid)
		return;
	/* Best effort: some file systems have no owners. */
	if (fchown(fd, user, group))
		return;
}

/* ---- Looking a path up ---- */

/* Split `path`, relative to the folder `base`, into parent and name: false and errno on failure. */
static bool open_parent(int base, const char *path, struct output_folder *ret)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *folder = slash ? memory_copy_text(path, (size_t)(slash - path) + 1)
			     : memory_copy_text(".", 1);
	int fd = -1;

	if (!*path)
		errno = ENOENT;
	else if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		errno = EISDIR;
	else
		fd = scope_fd(openat(base, folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
	memory_free(folder);
	if (fd < 0)
		return false;
	*ret = (struct output_folder){fd, memory_copy_text(name, strlen(name)), -1};
	return true;
}

/* Is it /proc/self/fd? The descriptors of another process are chosen by that process. */
static bool is_own_files(int fd)
{
	struct stat folder, own;

	return !fstat(fd, &folder) && !stat("/proc/self/fd", &own) && folder.st_dev == own.st_dev &&
	       folder.st_ino == own.st_ino;
}

/* The open file behind a link in /proc/self/fd, unless it is a plain file: a plain file is
 * replaced under its own name, which the link's text gives. -1: a plain file, or nothing. */
static int look_through(const struct output_folder *f, struct stat *ret_status)
{
	int fd = scope_fd(openat(f->fd, f->name, O_PATH | O_CLOEXEC));
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status) && !S_ISREG(status.st_mode)) {
		*ret_status = status;
		return fd;
	}
	if (fd >= 0)
		scope_close(fd);
	return -1;
}

/* Look at what has the name, without following links. `trusted`: all links so far belong to root
 * or this user; then a link to an open file of this process means that file. *ret_fd is opened
 * with O_PATH. */
static bool look(const struct output_folder *f, bool trusted, int *ret_fd, struct stat *ret_status)
{
	int fd = scope_fd(openat(f->fd, f->name, O_PATH | O_NOFOLLOW | O_CLOEXEC)), open_file = -1;

	if (fd >= 0 && fstat(fd, ret_status)) {
		scope_close(fd);
		return false;
	}
	if (fd >= 0 && S_ISLNK(ret_status->st_mode) && trusted && is_own_files(f->fd))
		open_file = look_through(f, ret_status);
	if (open_file >= 0) {
		scope_close(fd);
		fd = open_file;
	}
	*ret_fd = fd;
	return fd >= 0;
}

#define NOBODY ((uid_t)-1)

static bool is_in_proc(int folder)
{
	struct statfs fs;

	return fstatfs(folder, &fs) || fs.f_type == PROC_SUPER_MAGIC;
}

/* Links of root and this user lead anywhere. A link of another user, the stranger, leads only to
 * folders of that user, and so do all links behind it. A link in /proc can belong to root and lead
 * where another user chose: /proc/PID/exe of a process that is not dumpable. */
static bool may_follow(const struct output_folder *f, const struct stat *link, uid_t stranger,
	const struct output_folder *to)
{
	struct stat folder;

	if (is_in_proc(f->fd) && !(stranger == NOBODY && is_own_files(f->fd)))
		return false;
	if (stranger == NOBODY)
		return true;
	return link->st_uid == stranger && !fstat(to->fd, &folder) && folder.st_uid == stranger;
}

/* Resolve a link by one step: the folder and the name that it leads to. look() has opened
 * `link`. */
static bool follow_link(const struct output_folder *f, int link, const struct stat *status,
	uid_t stranger, struct output_folder *ret)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(link, "", text, sizeof(text));

	if (len <= 0 || (size_t)len >= sizeof(text))
		return false;
	text[len] = '\0';
	if (!open_parent(f->fd, text, ret))
		return false;
	if (may_follow(f, status, stranger, ret))
		return true;
	output_folder_release(ret);
	return false;
}

/* A pipe that another user has put into the folder must not receive the output. */
static bool is_pipe_of_another(const struct output_folder *f, const struct stat *status)
{
	uid_t caller;
	gid_t group;

	return S_ISFIFO(status->st_mode) && !is_own_files(f->fd) && !is_trusted(status->st_uid) &&
	       !(output_folder_sudo_user(&caller, &group) && caller == status->st_uid);
}

/* Open the checked file by its descriptor `fd`: the name may mean another file by now. */
static bool open_device(struct output_folder *f, int fd, const struct stat *status,
	const char *path, struct error *err)
{
	char name[32];

	if (is_pipe_of_another(f, status))
		return error_set(err, ERR_PERMISSION, "%s: is a pipe of another user (uid %u)",
			path, (unsigned)status->st_uid);
	if (!S_ISFIFO(status->st_mode) && !S_ISCHR(status->st_mode) && !S_ISBLK(status->st_mode))
		return error_set(err, ERR_IO, "%s: is %s, not a file, a pipe or a device", path,
			S_ISDIR(status->st_mode) ? "a folder" : "a socket");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	f->device = scope_fd(open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY));
	return f->device >= 0 || error_errno(err, "%s: cannot create", path);
}

/* Links from `f` led to `at`: write there if it is a device or a pipe, or, with `follow`, a
 * file. */
static bool settle(struct output_folder *f, struct output_folder *at, int fd,
	const struct stat *status, bool follow, const char *path, struct error *err)
{
	bool file = S_ISREG(status->st_mode);
	bool done = file || open_device(at, fd, status, path, err);

	if (file && !follow) {
		output_folder_release(at);
		return true;
	}
	output_folder_release(f);
	*f = *at;
	return done;
}

/* Start at the name itself. A link that leads nowhere, or is not trusted, remains the name to be
 * replaced. */
static bool follow_links(struct output_folder *f, bool follow, const char *path, struct error *err)
{
	struct output_folder at = OUTPUT_FOLDER_NONE, next;
	struct stat status = {0};
	uid_t stranger = NOBODY;
	bool there, done;
	int fd;

	if (!output_folder_copy(f, &at, err))
		return error_prefix(err, "%s: ", path);
	for (int links = 0; links < LINKS_LIMIT; links++) {
		there = look(&at, stranger == NOBODY, &fd, &status);
		if (!there)
			break;
		if (!S_ISLNK(status.st_mode)) {
			done = settle(f, &at, fd, &status, follow, path, err);
			scope_close(fd);
			return done;
		}
		if (stranger == NOBODY && !is_trusted(status.st_uid))
			stranger = status.st_uid;
		there = follow_link(&at, fd, &status, stranger, &next);
		scope_close(fd);
		if (!there)
			break;
		output_folder_release(&at);
		at = next;
	}
	output_folder_release(&at);
	return true;
}

bool output_folder_open(struct output_folder *f, const char *path, bool follow, struct error *err)
{
	*f = OUTPUT_FOLDER_NONE;
	if (!open_parent(AT_FDCWD, path, f))
		return error_errno(err, "%s: cannot create", path);
	if (follow_links(f, follow, path, err))
		return true;
	output_folder_release(f);
	return false;
}

bool output_folder_copy(
	const struct output_folder *f, struct output_folder *ret_copy, struct error *err)
{
	int fd = scope_fd(fcntl(f->fd, F_DUPFD_CLOEXEC, 0));

	if (fd < 0)
		return error_errno(err, "cannot open its folder");
	*ret_copy = (struct output_folder){fd, memory_copy_text(f->name, strlen(f->name)), -1};
	return true;
}

void output_folder_release(struct output_folder *f)
{
	if (f->fd >= 0)
		scope_close(f->fd);
	if (f->device >= 0)
		scope_close(f->device);
	memory_free(f->name);
	*f = OUTPUT_FOLDER_NONE;
}

/* ---- Names in the folder ---- */

int output_folder_create(const struct output_folder *f, const char *name, unsigned mode)
{
	return scope_fd(
		openat(f->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
}

static bool is_file(const struct stat *named, int fd)
{
	struct stat open_file;

	return !fstat(fd, &open_file) && named->st_dev == open_file.st_dev &&
	       named->st_ino == open_file.st_ino;
}

bool output_folder_taken(const struct output_folder *f, const char *name, int fd)
{
	struct stat named;

	return !fstatat(f->fd, name, &named, AT_SYMLINK_NOFOLLOW) && !is_file(&named, fd);
}

void output_folder_remove(const struct output_folder *f, const char *name, int fd)
{
	struct stat named;

	if (!fstatat(f->fd, name, &named, AT_SYMLINK_NOFOLLOW) && is_file(&named, fd))
		unlinkat(f->fd, name, 0);
}

void output_folder_free_name(struct output_folder *f)
{
	struct buffer name = {0};
	struct stat status;
	unsigned n = 2;

	do {
		name.len = 0;
		buffer_printf(&name, "%s.%u", f->name, n++);
	} while (!fstatat(f->fd, name.at, &status, AT_SYMLINK_NOFOLLOW));
	memory_free(f->name);
	f->name = name.at;
}
