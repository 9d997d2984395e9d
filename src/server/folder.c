/* folder.c: which files are below a folder?
 *
 * The kernel resolves every path with RESOLVE_BENEATH (openat2, Linux 5.6), so that "..", absolute
 * links and folders that are moved at the same time cannot lead out. */
#include "server/folder.h"

#include "base/buffer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct file_mark file_mark_of(const struct stat *status)
{
	return (struct file_mark){(uint64_t)status->st_dev, (uint64_t)status->st_ino,
		(uint64_t)status->st_size,
		(int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec};
}

bool file_mark_equal(const struct file_mark *a, const struct file_mark *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->modified == b->modified;
}

static int open_below(const struct folder *f, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, f->fd, path, &how, sizeof(how));
}

bool folder_open(struct folder *f, const char *path, struct error *err)
{
	size_t len = strlen(path);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_errno(err, "%s: cannot open", path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	*f = (struct folder){memory_copy_text(path, len), fd};
	fd = open_below(f, ".", O_PATH);
	if (fd < 0) {
		error_errno(err, "%s: cannot look up files below it (openat2)", path);
		folder_release(f);
		return false;
	}
	close(fd);
	return true;
}

void folder_release(struct folder *f)
{
	if (!f->path)
		return;
	close(f->fd);
	free(f->path);
	*f = (struct folder){0};
}

/* O_NONBLOCK: opening a pipe must not block. */
int folder_open_file(const struct folder *f, const char *path, bool only_look, struct stat *ret)
{
	int fd = open_below(f, path, only_look ? O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!fstat(fd, ret) && S_ISREG(ret->st_mode))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

/* ---- Listing ---- */

/* Paths of folders still to scan; "" is the folder itself. */
struct listing {
	const struct folder *folder;
	struct folder_files *files;
	VECTOR(char *) todo;
};

static unsigned depth_of(const char *path)
{
	unsigned depth = *path != '\0';

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

static char *join(const char *folder, const char *name)
{
	struct buffer path = {0};

	buffer_printf(&path, "%s%s%s", folder, *folder ? "/" : "", name);
	return path.at;
}

static void add_file(struct listing *l, char *path)
{
	struct stat status;
	int fd = folder_open_file(l->folder, path, true, &status);

	if (fd < 0 || l->files->len == FOLDER_FILES_LIMIT) {
		l->files->more |= fd >= 0;
		free(path);
	} else {
		vector_push(l->files, ((struct folder_file){path, file_mark_of(&status)}));
	}
	if (fd >= 0)
		close(fd);
}

static void add_entry(struct listing *l, const char *folder, const struct dirent *entry)
{
	bool is_folder = entry->d_type == DT_DIR;
	struct stat status;
	char *path;

	if (entry->d_name[0] == '.')
		return;
	path = join(folder, entry->d_name);
	if (entry->d_type == DT_UNKNOWN &&
		!fstatat(l->folder->fd, path, &status, AT_SYMLINK_NOFOLLOW))
		is_folder = S_ISDIR(status.st_mode);
	if (!is_folder)
		add_file(l, path);
	else if (depth_of(path) <= FOLDER_DEPTH_MAX)
		vector_push(&l->todo, path);
	else
		free(path);
}

static void list_one(struct listing *l, const char *path)
{
	int fd = open_below(l->folder, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && !l->files->more && (entry = readdir(dir)))
		add_entry(l, path, entry);
	if (dir)
		closedir(dir);
}

static int by_path(const void *a, const void *b)
{
	const struct folder_file *one = a, *other = b;

	return strcmp(one->path, other->path);
}

void folder_list(const struct folder *f, struct folder_files *ret)
{
	struct listing l = {.folder = f, .files = ret};

	vector_push(&l.todo, memory_copy_text("", 0));
	while (l.todo.len) {
		char *path = l.todo.items[--l.todo.len];

		list_one(&l, path);
		free(path);
	}
	vector_release(&l.todo);
	if (ret->len)
		qsort(ret->items, ret->len, sizeof(*ret->items), by_path);
}

void folder_files_release(struct folder_files *files)
{
	for (size_t i = 0; i < files->len; i++)
		free(files->items[i].path);
	vector_release(files);
}
