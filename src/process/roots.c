/* roots.c: which directory is the root of a process's paths? */
#include "process/roots.h"

#include "base/scope.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOTS_LIMIT 1024 /* held open; processes in further containers get our root */

/* A root directory in one mount namespace: in another, other mounts may be below the same one. */
struct root {
	dev_t device, namespace_device;
	ino_t inode, namespace_inode;
	int fd;
	char *path; /* "/proc/self/fd/7" */
};

void roots_release(struct roots *r)
{
	for (size_t i = 0; i < r->rows.len; i++) {
		scope_close(r->rows.items[i].fd);
		memory_free(r->rows.items[i].path);
	}
	vector_release(&r->rows);
}

static bool identify(const char *process, struct root *ret)
{
	char path[80];
	struct stat root, mounts;

	snprintf(path, sizeof(path), "/proc/%s/root", process);
	if (stat(path, &root))
		return false;
	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &mounts))
		return false;
	*ret = (struct root){.device = root.st_dev,
		.inode = root.st_ino,
		.namespace_device = mounts.st_dev,
		.namespace_inode = mounts.st_ino};
	return true;
}

static bool is_same(const struct root *a, const struct root *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->namespace_device == b->namespace_device &&
	       a->namespace_inode == b->namespace_inode;
}

const char *roots_of(struct roots *r, int32_t pid)
{
	struct root root, own;
	char text[64];

	snprintf(text, sizeof(text), "%d", pid);
	if (!identify(text, &root) || !identify("self", &own) || is_same(&root, &own))
		return "";
	for (size_t i = 0; i < r->rows.len; i++)
		if (is_same(&r->rows.items[i], &root))
			return r->rows.items[i].path;
	if (r->rows.len == ROOTS_LIMIT)
		return "";
	snprintf(text, sizeof(text), "/proc/%d/root", pid);
	root.fd = scope_fd(open(text, O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (root.fd < 0)
		return "";
	snprintf(text, sizeof(text), "/proc/self/fd/%d", root.fd);
	root.path = memory_copy_text(text, strlen(text));
	vector_push(&r->rows, root);
	return root.path;
}
