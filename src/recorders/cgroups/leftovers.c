/* leftovers.c: removing the control groups of recorders that were killed. */
#include "recorders/cgroups/leftovers.h"

#include "recorders/cgroups/cgroup.h"
#include "recorders/cgroups/search.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WITHOUT_INNER 2 /* links to a folder: its own name and its "." */

struct left_groups {
	VECTOR(char *) folders; /* outer ones first */
};

static void add_group(void *context, const char *folder)
{
	struct left_groups *left = context;

	if (cgroup_is_of_recorder(bytes_base_name(bytes_of(folder))))
		vector_push(&left->folders, memory_copy_text(folder, strlen(folder)));
}

/* Its recorder had the lock for as long as it lived. A group of another user is that user's to
 * remove, and one with groups in it cannot be: those are not Kiln's. */
static void remove_unlocked(const char *folder)
{
	struct bytes path = bytes_of(folder);
	struct error ignored = {0}; /* somebody made a group in it just now */
	struct cgroup cgroup = {.folder = memory_copy_text(folder, path.len),
		.parent = memory_copy_text(folder, path.len - bytes_base_name(path).len - 1),
		.fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
	struct stat about;

	if (cgroup.fd >= 0 && !fstat(cgroup.fd, &about) && about.st_uid == geteuid() &&
		about.st_nlink == WITHOUT_INNER && cgroup_lock(&cgroup)) {
		cgroup_remove(&cgroup, &ignored);
		return;
	}
	if (cgroup.fd >= 0)
		close(cgroup.fd);
	free(cgroup.folder);
	free(cgroup.parent);
}

void cgroups_remove_left(void)
{
	struct left_groups left = {0};

	cgroups_each(add_group, &left);
	for (size_t i = left.folders.len; i-- > 0;) {
		remove_unlocked(left.folders.items[i]);
		free(left.folders.items[i]);
	}
	vector_release(&left.folders);
}
