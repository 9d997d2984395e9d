/* leftovers.h: removing the control groups of recorders that were killed. */
#ifndef KILN_RECORDERS_CGROUPS_LEFTOVERS_H
#define KILN_RECORDERS_CGROUPS_LEFTOVERS_H

/* Remove this user's groups for commands (cgroup_create) whose recorders have ended, wherever they
 * are in the hierarchy that has perf events. What still runs in one goes to the group around it, as
 * it does when a recorder ends by itself. */
void cgroups_remove_left(void);

#endif
