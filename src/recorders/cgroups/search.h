/* search.h: which control groups are meant: by their paths, by containers, by systemd's
 * units? */
#ifndef KILN_RECORDERS_CGROUPS_SEARCH_H
#define KILN_RECORDERS_CGROUPS_SEARCH_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

enum cgroup_spelling { CGROUP_BY_PATH, CGROUP_OF_CONTAINER, CGROUP_OF_UNIT };

struct cgroup_name {
	enum cgroup_spelling spelling;
	struct bytes text; /* borrowed */
};

struct cgroup_names {
	VECTOR(struct cgroup_name) list;
};

/* Names between commas; empty ones, which have a meaning for perf, are left out. ERR_USAGE: nothing
 * else was there. */
bool cgroup_names_add(struct cgroup_names *names, enum cgroup_spelling spelling, const char *text,
	struct error *err);

/* A group that is there. */
struct found_group {
	char *folder; /* where it is mounted */
	int fd;	      /* of that: the `pid` of PERF_FLAG_PID_CGROUP */
	uint64_t id;  /* as programs in the kernel know it */
};

struct found_groups {
	VECTOR(struct found_group) list;
	bool legacy; /* of version 1 */
};

/* Look for them in the hierarchy that has perf events; none is inside of another one. ERR_USAGE
 * with what is near, ERR_UNSUPPORTED with what can be done instead. */
bool cgroups_find(
	const struct cgroup_names *names, struct found_groups *ret_groups, struct error *err);
/* Have all of them been removed? */
bool cgroups_gone(const struct found_groups *groups);
void cgroups_release(struct found_groups *groups);

/* Is that the name of the group of this container, given by its name, its id or (`start`) the
 * beginning of its id? As docker, podman, containerd, CRI-O, LXC and systemd-nspawn call them. */
bool cgroup_is_of_container(struct bytes group, struct bytes container, bool start);
/* Tell of the folder of every group in the hierarchy that has perf events, outer ones first; of
 * none where there is no hierarchy. */
void cgroups_each(void (*each)(void *context, const char *folder), void *context);
/* Tell of every group in the hierarchy that has perf events, outer ones first: its id, as programs
 * in the kernel know it, and its path below the mount, "" for the outermost. ERR_UNSUPPORTED: there
 * is none to be seen here. */
bool cgroups_list(void (*each)(void *context, uint64_t id, struct bytes path), void *context,
	bool *ret_legacy, struct error *err);

#endif
