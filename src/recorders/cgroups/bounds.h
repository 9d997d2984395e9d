/* bounds.h: is a process in one of the control groups that are recorded?
 *
 * The kernel switches on the events of a control group while the previous process is still the
 * current one: a sample then belongs to the switch, and not to that process. */
#ifndef KILN_RECORDERS_CGROUPS_BOUNDS_H
#define KILN_RECORDERS_CGROUPS_BOUNDS_H

#include "base/hash.h"
#include "base/memory.h"

struct cgroup_bounds {
	VECTOR(char *) folders;
	VECTOR(struct seen_group) seen;
	struct id_map by_id;
};

/* `folder`: where the group is mounted. */
void cgroup_bounds_add(struct cgroup_bounds *b, const char *folder);
void cgroup_bounds_release(struct cgroup_bounds *b);

/* Is the group `id` (0: unknown), in which process `pid` was, one of these, or inside of one?
 * `if_gone`: the answer if this cannot be found out any more. */
bool cgroup_bounds_has(struct cgroup_bounds *b, uint64_t id, int32_t pid, bool if_gone);

#endif
