/* cgroup.h: a control group for the command that is recorded, and the mounted hierarchies.
 *
 * An inherited event of a process starts a new period in each child: a child that ends before its
 * first period is never sampled. An event that is opened on each CPU for a control group counts on
 * across all processes of the group. So a command gets a group of its own. */
#ifndef KILN_RECORDERS_CGROUPS_CGROUP_H
#define KILN_RECORDERS_CGROUPS_CGROUP_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <sys/types.h>

struct cgroup {
	char *folder, *parent; /* NULL: there is none */
	int fd;		       /* of the folder: the `pid` of PERF_FLAG_PID_CGROUP */
};

/* A new, empty group, "kiln-PID-RANDOM" with the caller's pid, below the one that `process` is in:
 * of the hierarchy that has perf events. It is locked (flock(2)) for as long as `fd` is open, which
 * ends with the recorder, however that ends. ERR_IO: there are no control groups here, or this user
 * may not change them. */
bool cgroup_create(struct cgroup *ret_cgroup, pid_t process, struct error *err);
/* Has a group with this name been made by a recorder? */
bool cgroup_is_of_recorder(struct bytes name);
/* Lock a group whose folder is open. False: a recorder has the lock, or the group was removed. */
bool cgroup_lock(const struct cgroup *cgroup);
/* Put a process into it. ERR_IO. */
bool cgroup_add(const struct cgroup *cgroup, pid_t process, struct error *err);
/* The path of a group without the part that is the recorder's own group. */
void cgroup_outside_of_own(struct bytes path, struct buffer *ret_path);
/* CPU time of the processes in a group as the scheduler charged it, ns; 0: unknown. A process that
 * is running now may be behind by a tick. */
uint64_t cgroup_cpu_ns(const char *folder);
/* Move the processes that still run in it to the parent group, and remove it. ERR_IO: it could not
 * be removed, because there are new groups in it. */
bool cgroup_remove(struct cgroup *cgroup, struct error *err);

/* A hierarchy of groups that is mounted. */
struct cgroup_mount {
	struct bytes root, folder; /* the group at the top of the mount, and where that is */
	bool legacy;		   /* of version 1 */
	bool events;		   /* of version 1, with perf events */
};

/* Parse the next one from the text of /proc/self/mountinfo. */
bool cgroup_next_mount(struct bytes *mounts, struct cgroup_mount *ret_mount);
/* The one that perf events use: of version 1 if one is mounted with perf_event, else of version 2.
 */
bool cgroup_events_mount(struct bytes mounts, struct cgroup_mount *ret_mount);

/* Where the group of a process is, below which path: from the text of /proc/PID/cgroup and of
 * /proc/self/mountinfo. NULL: not to be seen from here; else for free(). */
char *cgroup_find(struct bytes groups, struct bytes mounts);
/* ... of a process that runs now. */
char *cgroup_of(pid_t process);

#endif
