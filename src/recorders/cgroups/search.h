/* search.h: finding the control groups that -G names: by path, by container, by systemd unit.
 *
 * All groups of the hierarchy are listed once (GROUPS_LIMIT), outer ones first. A name is compared
 * with each, in this order: the path as /proc/PID/cgroup, perf or the mount spell it; the folder of
 * a container, whose engine names it after its id (docker-ID.scope, libpod-ID,
 * cri-containerd-ID...), by the id, its beginning, or the name that docker and podman have stored
 * for the id (container_ids.h); a systemd unit, with or without ".service". If none matches, the
 * error lists the groups with similar names. A group inside of another one that is recorded is
 * dropped, as it is recorded anyway. */
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

/* Names between commas; empty ones, which have a meaning for perf, are left out. ERR_USAGE: there
 * is no other. */
bool cgroup_names_add(struct cgroup_names *names, enum cgroup_spelling spelling, const char *text,
	struct error *err);

/* A group that exists. */
struct found_group {
	char *folder; /* its path, below the mount */
	int fd;	      /* of that folder: the `pid` of PERF_FLAG_PID_CGROUP */
	uint64_t id;  /* as programs know it: the inode of the folder */
};

struct found_groups {
	VECTOR(struct found_group) list;
	bool legacy; /* of version 1 */
};

/* Find them in the hierarchy that has perf events; none is inside of another one. ERR_USAGE with
 * similar names, ERR_UNSUPPORTED with what can be done instead. */
bool cgroups_find(
	const struct cgroup_names *names, struct found_groups *ret_groups, struct error *err);
/* Have all of them been removed? */
bool cgroups_gone(const struct found_groups *groups);
void cgroups_release(struct found_groups *groups);

/* Is that the name of the group of this container, given by its name, its id or (`start`) the
 * beginning of its id? As docker, podman, containerd, CRI-O, LXC and systemd-nspawn call them. */
bool cgroup_is_of_container(struct bytes group, struct bytes container, bool start);
/* Call `each` with the folder of every group in the hierarchy that has perf events, outer ones
 * first; with none if there is no hierarchy. */
void cgroups_each(void (*each)(void *context, const char *folder), void *context);
/* Call `each` with every group in the hierarchy that has perf events, outer ones first: its id, as
 * programs know it, and its path below the mount, "" for the outermost. ERR_UNSUPPORTED: there is
 * no such hierarchy, or it is not visible here. */
bool cgroups_list(void (*each)(void *context, uint64_t id, struct bytes path), void *context,
	bool *ret_legacy, struct error *err);

#endif
