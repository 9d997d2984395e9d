/* symbol_cache.c: answers about binaries that outlive the process, in a folder of small files. */
#include "images/symbol_cache.h"

#include "base/memory.h"
#include "base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TOUCH_AFTER 3600 /* seconds: the precision of the time of last use */
/* A file that is copied because it cannot be mapped; the answers about a binary are far smaller. */
#define SYMBOL_CACHE_COPIED ((uint64_t)256 << 20) /* bytes */

#define SYSTEM_CACHE "/var/cache/kiln"

/* ---- The folder ---- */

/* Is no other user able to replace a part of the path? Each part, links included, must belong to
 * this user or to root, and only sticky folders such as /tmp may be writable by others. A part that
 * does not exist will be created by this user. */
static bool parts_are_ours(const char *path)
{
	mode_t forbidden = geteuid() ? S_IWOTH : S_IWGRP | S_IWOTH;
	char part[PATH_MAX];
	struct stat status;

	for (size_t i = 1; i < sizeof(part); i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (lstat(part, &status))
			return errno == ENOENT;
		if (status.st_uid && status.st_uid != geteuid())
			return false;
		if (!S_ISLNK(status.st_mode) && status.st_mode & forbidden &&
			!(status.st_mode & S_ISVTX))
			return false;
		if (!path[i])
			return true;
	}
	return false;
}

/* Checks the path as written, and the path that its links lead to. */
static bool path_is_ours(const char *path)
{
	char real[PATH_MAX];

	if (*path != '/')
		return true; /* relative to where this user works */
	return parts_are_ours(path) &&
	       (realpath(path, real) ? parts_are_ours(real) : errno == ENOENT);
}

static bool is_ours(const char *path, mode_t forbidden)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       !(status.st_mode & forbidden);
}

/* Does an open folder belong to the user, and can nobody else write to it? */
static bool is_private(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Nobody else may write to the folder, because its content is trusted. */
static bool make_folder(const char *path)
{
	return path_is_ours(path) && (!mkdir(path, 0700) || errno == EEXIST) &&
	       is_ours(path, S_IWGRP | S_IWOTH);
}

static bool folder_below(struct buffer *path, const char *base, const char *name)
{
	path->len = 0;
	buffer_printf(path, "%s/%s", base, name);
	return is_ours(base, 0) && make_folder(path->at);
}

static bool folder_at_home(struct buffer *path, const char *home)
{
	struct buffer base = {0};
	bool found;

	buffer_printf(&base, "%s/.cache", home);
	found = is_ours(home, 0) && path_is_ours(base.at) &&
		(!mkdir(base.at, 0700) || errno == EEXIST) && folder_below(path, base.at, "kiln");
	buffer_release(&base);
	return found;
}

static _Atomic bool switched_off;

void symbol_cache_switch_off(void)
{
	switched_off = true;
}

bool symbol_cache_folder(struct buffer *path)
{
	const char *own = getenv("KILN_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (switched_off)
		return false;
	if (own) {
		buffer_text(path, own);
		return *own && make_folder(own);
	}
	if (xdg && *xdg == '/') {
		if (path_is_ours(xdg) && (!mkdir(xdg, 0700) || errno == EEXIST) &&
			folder_below(path, xdg, "kiln"))
			return true;
	} else if (home && *home == '/' && folder_at_home(path, home)) {
		return true;
	}
	/* Root without $HOME is an init script or a container: no cache. */
	path->len = 0;
	buffer_text(path, SYSTEM_CACHE);
	return !geteuid() && (home || xdg) && make_folder(SYSTEM_CACHE);
}

static bool path_of(const char *name, struct buffer *ret_path)
{
	struct buffer path = {0};

	if (!symbol_cache_folder(&path)) {
		buffer_release(&path);
		return false;
	}
	buffer_printf(&path, "/%s", name);
	*ret_path = path;
	return true;
}

/* ---- Reading ---- */

/* Set the time of last use, unless it is recent. */
static void mark_used(int fd, const struct stat *status)
{
	if (time(NULL) - status->st_mtime > TOUCH_AFTER)
		futimens(fd, NULL);
}

static bool read_file(int fd, struct stable_file *ret)
{
	struct error ignored = {0}; /* on failure, the names are looked up again */
	struct stat status;

	if (fstat(fd, &status) || !stable_file_open(ret, fd, SYMBOL_CACHE_COPIED, &ignored))
		return false;
	mark_used(fd, &status);
	return ret->content.len > 0;
}

bool symbol_cache_open(const char *name, struct stable_file *ret)
{
	struct buffer path = {0};
	bool found = false;
	int fd;

	if (!path_of(name, &path))
		return false;
	fd = scope_fd(open(path.at, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
	if (fd >= 0) {
		found = read_file(fd, ret);
		scope_close(fd);
	}
	buffer_release(&path);
	return found;
}

/* ---- Room ---- */

static uint64_t size_allowed(void)
{
	static const char letters[] = "KMG";
	const char *text = getenv("KILN_CACHE_SIZE");
	size_t len = text ? strlen(text) : 0;
	const char *letter = len ? strchr(letters, text[len - 1] & ~0x20) : NULL;
	uint64_t size;

	if (letter)
		len--;
	if (!len || !bytes_u64((struct bytes){text, len}, &size) || size > UINT64_MAX >> 30)
		return SYMBOL_CACHE_SIZE;
	return letter ? size << 10 * (letter - letters + 1) : size;
}

struct cached_file {
	char *name;
	uint64_t size;
	struct timespec used;
};
struct cached_files {
	VECTOR(struct cached_file) rows;
	uint64_t size;
};

static int used_compare(const void *a, const void *b)
{
	const struct cached_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static DIR *open_folder(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;

	if (!directory && fd >= 0)
		close(fd);
	return directory;
}

/* "0123abcd.lines", "xxh3-0123abcd.unwind", and unfinished files of writers that were killed:
 * "0123abcd.lines.89abcdef~". Other files in the folder do not belong to the cache and are left
 * alone. */
static bool is_cache_file(const char *name)
{
	static const char *const kinds[] = {".functions", ".inlined", ".kernel", ".lines", ".unwind"};
	const char *rest = strncmp(name, "xxh3-", 5) ? name : name + 5;

	while (is_hex_digit(*rest))
		rest++;
	for (size_t i = 0; rest > name && i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t len = strlen(kinds[i]);

		if (!strncmp(rest, kinds[i], len))
			return !rest[len] || (rest[len] == '.' && name[strlen(name) - 1] == '~');
	}
	return false;
}

static void list_files(int folder, struct cached_files *ret)
{
	DIR *directory = scope_directory(open_folder(folder));
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		struct stat status;

		if (!is_cache_file(entry->d_name) ||
			fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
			!S_ISREG(status.st_mode))
			continue;
		ret->size += (uint64_t)status.st_size;
		vector_push(&ret->rows, ((struct cached_file){memory_copy_text(entry->d_name,
								      strlen(entry->d_name)),
						(uint64_t)status.st_size, status.st_mtim}));
	}
	if (directory)
		scope_closedir(directory);
}

/* The folder that was listed last, and its size: the files at that time, and those that this
 * process has added since. */
static struct {
	pthread_mutex_t lock;
	dev_t device;
	ino_t inode;
	uint64_t size;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_known_to_fit(const struct stat *folder, uint64_t added, uint64_t allowed)
{
	bool fits;

	pthread_mutex_lock(&known.lock);
	known.size += added;
	fits = known.device == folder->st_dev && known.inode == folder->st_ino &&
	       known.size <= allowed;
	pthread_mutex_unlock(&known.lock);
	return fits;
}

static void remember_size(const struct stat *folder, uint64_t size)
{
	pthread_mutex_lock(&known.lock);
	known.device = folder->st_dev;
	known.inode = folder->st_ino;
	known.size = size;
	pthread_mutex_unlock(&known.lock);
}

/* Shrink to three quarters, so that not every new file deletes an old one. What other processes
 * write after the folder was listed is counted by the next process. */
static void make_room(int folder, uint64_t added)
{
	struct cached_files files = {0};
	uint64_t allowed = size_allowed();
	struct stat status;

	if (fstat(folder, &status) || is_known_to_fit(&status, added, allowed))
		return;
	list_files(folder, &files);
	if (files.size > allowed) {
		qsort(files.rows.items, files.rows.len, sizeof(*files.rows.items), used_compare);
		for (size_t i = 0; i < files.rows.len && files.size > allowed / 4 * 3; i++)
			if (!unlinkat(folder, files.rows.items[i].name, 0))
				files.size -= files.rows.items[i].size;
	}
	remember_size(&status, files.size);
	for (size_t i = 0; i < files.rows.len; i++)
		memory_free(files.rows.items[i].name);
	vector_release(&files.rows);
}

/* ---- Writing ---- */

/* Check the folder again through its descriptor: its path may lead elsewhere by now. */
static bool open_file(const char *name, struct output_folder *ret)
{
	struct error ignored = {0};
	struct buffer path = {0};
	bool opened;

	if (!path_of(name, &path))
		return false;
	opened = output_folder_open(ret, path.at, false, &ignored);
	buffer_release(&path);
	if (opened && ret->device < 0 && is_private(ret->fd))
		return true;
	if (opened)
		output_folder_release(ret);
	return false;
}

bool symbol_cache_create(const char *name, size_t size, struct output *ret_out)
{
	struct output_folder folder;
	struct error ignored = {0};

	return size <= size_allowed() / 2 && open_file(name, &folder) &&
	       output_open_in(ret_out, &folder, name, 0600, &ignored);
}

void symbol_cache_commit(struct output *out)
{
	struct output_folder folder;
	struct error ignored = {0};
	struct stat status;

	if (!output_folder_copy(output_folder_of(out), &folder, &ignored)) {
		output_discard(out);
		return;
	}
	if (output_commit(out, &ignored) &&
		!fstatat(folder.fd, folder.name, &status, AT_SYMLINK_NOFOLLOW))
		make_room(folder.fd, (uint64_t)status.st_size);
	output_folder_release(&folder);
}
