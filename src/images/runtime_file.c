/* runtime_file.c: is it safe to read what a running program has written about its own code? */
#include "images/runtime_file.h"

#include "base/broker.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/plain_file.h"
#include "base/proc.h"
#include "base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAMES_LIMIT 65536u /* of a directory that are looked at */

struct writer {
	int32_t pid; /* in its innermost pid namespace */
	int64_t uid; /* effective, in our user namespace; -1: the process has ended */
};

/* Number `at` (from 0) in the line of /proc/PID/status that starts with `name`, or the last one;
 * `missing` if there is no such line. */
static int64_t status_number(char *status, const char *name, int at, int64_t missing)
{
	char *line = strstr(status, name);
	char *rest = line ? line + strlen(name) : NULL;
	int64_t value = missing;

	for (int i = 0; rest && i <= at && *rest == '\t'; i++)
		value = strtoll(rest, &rest, 10);
	return value;
}

static struct writer writer_of(int32_t pid)
{
	struct writer writer = {pid, -1};
	struct buffer status = {0};
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (proc_text(&status, path)) {
		buffer_char(&status, '\0');
		writer.uid = status_number(status.at, "\nUid:", 1, -1);
		writer.pid = (int32_t)status_number(status.at, "\nNSpid:", INT_MAX, pid);
	}
	buffer_release(&status);
	return writer;
}

/* Links in a container must not lead out of it, so everything is resolved inside `root`. */
static int open_inside(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (directory < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS) /* before Linux 5.6 */
		fd = openat(directory, path, (int)how.flags);
	close(directory);
	return plain_file_take(fd);
}

static bool may_be_trusted(int fd, const char *path, int64_t uid, struct error *err)
{
	const char *sudo = getenv("SUDO_UID");
	int64_t caller = sudo ? strtoll(sudo, NULL, 10) : (int64_t)geteuid();
	struct stat status;

	if (fstat(fd, &status))
		return error_errno(err, "%s", path);
	if (status.st_uid && status.st_uid != geteuid() &&
		(int64_t)status.st_uid != (uid >= 0 ? uid : caller))
		return error_set(err, ERR_PERMISSION,
			"%s: belongs to user %u, which is neither the user of the process nor root",
			path, status.st_uid);
	return true;
}

int32_t runtime_file_pid(int32_t pid)
{
	return writer_of(pid).pid;
}

static int trusted(int fd, const char *path, int64_t uid, struct error *err)
{
	if (may_be_trusted(fd, path, uid, err))
		return fd;
	scope_close(fd);
	return -1;
}

int runtime_file_open(int32_t pid, const char *path, struct error *err)
{
	struct writer writer = writer_of(pid);
	struct buffer root = {0};
	int fd;

	buffer_printf(&root, "/proc/%d/root", pid);
	fd = open_inside(root.at, path);
	if (fd < 0 && writer.uid < 0) { /* ended: its file may still be here */
		fd = open_inside("/", path);
		if (fd < 0 && errno == EACCES && broker_is_running())
			fd = broker_ask(BROKER_RUNTIME, path, NULL);
	}
	buffer_release(&root);
	if (fd < 0) {
		if (errno == ENXIO)
			error_set(err, ERR_FORMAT, "%s: not a regular file", path);
		else
			error_errno(err, "%s of process %d", path, pid);
		return -1;
	}
	return trusted(scope_fd(fd), path, writer.uid, err);
}

/* ---- Looking for a name ---- */

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static DIR *open_folder(const char *path)
{
	DIR *dir = opendir(path);
	int fd;

	if (dir || errno != EACCES || !broker_is_running())
		return dir;
	fd = broker_ask(BROKER_FOLDER, path, NULL);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static int open_in_folder(DIR *dir, const char *directory, const char *name)
{
	struct buffer path = {0};
	int fd = plain_file_open(dirfd(dir), name, O_NOFOLLOW);

	if (fd >= 0 || errno != EACCES || !broker_is_running())
		return fd;
	buffer_printf(&path, "%s/%s", directory, name);
	fd = broker_ask(BROKER_RUNTIME, path.at, NULL);
	buffer_release(&path);
	return fd;
}

static int find_newest(const char *directory, const char *start, const char *end)
{
	DIR *dir = scope_directory(open_folder(directory));
	struct stat status, newest = {0};
	struct dirent *entry;
	char *name = NULL;
	int fd = -1;

	for (unsigned seen = 0; dir && seen < NAMES_LIMIT && (entry = readdir(dir)); seen++) {
		struct bytes found = bytes_of(entry->d_name);

		if (!bytes_starts_with(found, bytes_of(start)) ||
			!bytes_ends_with(found, bytes_of(end)) ||
			fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
			!S_ISREG(status.st_mode) || (name && !is_newer(&status, &newest)))
			continue;
		memory_free(name);
		name = memory_copy_text(found.at, found.len);
		newest = status;
	}
	if (name)
		fd = open_in_folder(dir, directory, name);
	if (dir)
		scope_closedir(dir);
	memory_free(name);
	return fd;
}

bool runtime_file_any_in(const char *directory, const char *start, const char *end)
{
	DIR *dir = scope_directory(open_folder(directory));
	struct dirent *entry;
	unsigned seen = 0;
	bool any = false;

	for (; dir && !any && seen < NAMES_LIMIT && (entry = readdir(dir)); seen++) {
		struct bytes found = bytes_of(entry->d_name);

		any = bytes_starts_with(found, bytes_of(start)) &&
		      bytes_ends_with(found, bytes_of(end));
	}
	if (dir)
		scope_closedir(dir);
	return any || seen == NAMES_LIMIT;
}

static int not_found(const char *directory, const char *start, const char *end, struct error *err)
{
	error_set(err, ERR_IO, "%s: no file %s*%s", directory, start, end);
	return -1;
}

int runtime_file_find(int32_t pid, const char *start, const char *end, struct error *err)
{
	struct writer writer = writer_of(pid);
	char directory[32];
	int fd;

	snprintf(directory, sizeof(directory), "/proc/%d/cwd", pid);
	fd = find_newest(directory, start, end);
	return fd < 0 ? not_found(directory, start, end, err)
		      : trusted(fd, directory, writer.uid, err);
}

int runtime_file_find_in(
	const char *directory, const char *start, const char *end, struct error *err)
{
	int fd = find_newest(directory, start, end);

	return fd < 0 ? not_found(directory, start, end, err) : fd;
}

/* ---- Reading ---- */

bool runtime_read_begin(struct runtime_read *r, int fd, uint64_t offset,
	struct runtime_budget *budget, struct error *err)
{
	struct stat status;

	*r = (struct runtime_read){.fd = fd,
		.offset = offset,
		.size = RUNTIME_PIECE,
		.budget = budget,
		.began = monotonic_ns()};
	if (fstat(fd, &status))
		return error_errno(err, "a file of a process");
	r->end = (uint64_t)status.st_size;
	return true;
}

/* Find the next data from *start on, and its end. False: a hole up to the end. */
static bool find_data(const struct runtime_read *r, uint64_t *start, uint64_t *ret_end)
{
	off_t data, hole;

	*ret_end = r->end;
	if (r->with_holes)
		return true;
	data = lseek(r->fd, (off_t)*start, SEEK_DATA);
	if (data < 0)
		return errno != ENXIO; /* EINVAL: the file system does not support it */
	hole = lseek(r->fd, data, SEEK_HOLE);
	*start = (uint64_t)data;
	if (hole > data && (uint64_t)hole < r->end)
		*ret_end = (uint64_t)hole;
	return *start < r->end;
}

static bool read_all(struct runtime_read *r, uint64_t end, struct error *err)
{
	r->text.len = 0;
	while (r->start + r->text.len < end) {
		size_t want = (size_t)(end - r->start - r->text.len);
		ssize_t got = pread(r->fd, buffer_reserve(&r->text, want), want,
			(off_t)(r->start + r->text.len));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(err, "a file of a process");
		if (!got) { /* truncated meanwhile */
			r->done = r->at_end = true;
			break;
		}
		r->text.len += (size_t)got;
	}
	return true;
}

bool runtime_read_next(struct runtime_read *r, struct error *err)
{
	struct runtime_budget *b = r->budget;
	uint64_t start = r->offset, end;

	if (r->done || start >= r->end || !find_data(r, &start, &end))
		return false;
	if (b->bytes >= RUNTIME_BYTES_LIMIT ||
		b->ns + (monotonic_ns() - r->began) >= RUNTIME_TIME_LIMIT) {
		r->left_out = r->end - start;
		return false;
	}
	r->start = start;
	r->ends = end - start <= r->size;
	if (!r->ends)
		end = start + r->size;
	r->done = r->at_end = end == r->end;
	if (!read_all(r, end, err))
		return false;
	b->bytes += r->text.len;
	r->offset = r->start + r->text.len;
	return true;
}

size_t runtime_read_lines(const struct runtime_read *r, bool complete)
{
	const char *end = bytes_find_last(buffer_bytes(&r->text), '\n');

	if (r->ends && (!r->at_end || complete))
		return r->text.len;
	if (!end) /* a line longer than a piece is not valid */
		return r->at_end ? 0 : r->text.len;
	return (size_t)(end + 1 - r->text.at);
}

uint64_t runtime_read_end(struct runtime_read *r)
{
	r->budget->ns += monotonic_ns() - r->began;
	buffer_release(&r->text);
	return r->left_out;
}
