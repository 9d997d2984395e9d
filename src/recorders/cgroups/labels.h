/* labels.h: the labels of samples that say in which control group they are (--by-cgroup). */
#ifndef KILN_RECORDERS_CGROUPS_LABELS_H
#define KILN_RECORDERS_CGROUPS_LABELS_H

#include "process/processes.h"

struct cgroup_labels {
	struct processes *processes; /* records of the kernel announce new groups */
	bool legacy;		     /* the groups are of version 1 */
	uint64_t listed;	     /* when groups were listed last: CLOCK_MONOTONIC, ns */
	VECTOR(struct cgroup_label) groups;
	VECTOR(struct cgroup_thread) threads;
	struct id_map by_id, by_tid; /* to the row and one */
};

/* List all groups. ERR_UNSUPPORTED: none are visible. */
bool cgroup_labels_open(
	struct cgroup_labels *labels, struct processes *processes, struct error *err);
void cgroup_labels_release(struct cgroup_labels *labels);

/* From now on a thread is in that group; and the labels of the one it is in: its path, and its
 * container's name where it is known. What the group that the recorder has made for its command is
 * in counts as the command's own. */
void cgroup_labels_set_thread(struct cgroup_labels *labels, int32_t tid, uint64_t id);
label_set_id cgroup_labels_thread(struct cgroup_labels *labels, int32_t tid);

/* Labels of a sample of a process: of the group that it names, or, where it names none (0), of the
 * one that its process was in last. Kernels that copy no stack of a process that has given up its
 * memory (Linux 6.1.192) write the size of what they copied even so, where the group should be. */
label_set_id cgroup_labels_sample(struct cgroup_labels *labels, int32_t pid, uint64_t id);

#endif
