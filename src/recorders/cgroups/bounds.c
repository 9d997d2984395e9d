/* bounds.c: is a process in one of the control groups that are recorded? */
#include "recorders/cgroups/bounds.h"

#include "base/bytes.h"
#include "recorders/cgroups/cgroup.h"

#include <stdlib.h>

struct seen_group {
	uint64_t id;
	bool inside;
};

void cgroup_bounds_add(struct cgroup_bounds *b, const char *folder)
{
	vector_push(&b->folders, memory_copy_text(folder, strlen(folder)));
}

void cgroup_bounds_release(struct cgroup_bounds *b)
{
	for (size_t i = 0; i < b->folders.len; i++)
		free(b->folders.items[i]);
	vector_release(&b->folders);
	vector_release(&b->seen);
	id_map_release(&b->by_id);
}

static bool is_inside(const struct cgroup_bounds *b, struct bytes folder)
{
	for (size_t i = 0; i < b->folders.len; i++) {
		struct bytes bound = bytes_of(b->folders.items[i]);

		if (bytes_starts_with(folder, bound) &&
			(folder.len == bound.len || folder.at[bound.len] == '/'))
			return true;
	}
	return false;
}

bool cgroup_bounds_has(struct cgroup_bounds *b, uint64_t id, int32_t pid, bool if_gone)
{
	uint64_t hash = hash_pair(id, 0);
	size_t at = id_map_first(&b->by_id, hash);
	struct seen_group group = {.id = id};
	char *folder;

	for (uint32_t row; (row = id_map_candidate(&b->by_id, hash, &at));)
		if (b->seen.items[row - 1].id == id)
			return b->seen.items[row - 1].inside;
	folder = cgroup_of(pid);
	if (!folder)
		return if_gone;
	group.inside = is_inside(b, bytes_of(folder));
	free(folder);
	if (id) {
		vector_push(&b->seen, group);
		id_map_insert_at(&b->by_id, hash, at, (uint32_t)b->seen.len);
	}
	return group.inside;
}
