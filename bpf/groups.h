/* groups.h: in which control group is a thread, and who has been told? */
#ifndef KILN_BPF_GROUPS_H
#define KILN_BPF_GROUPS_H

#include "bpf/core.h"

/* tid -> the group that was told. It only saves telling it again; and a thread with the number of
 * an older one is either in the same group or told anew. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* GROUP_THREADS_MOST, where groups are to be told */
	__type(key, __u32);
	__type(value, __u64);
} told_groups SEC(".maps");

/* The number of its group, in the hierarchy that groups were asked for of. */
static __always_inline __u64 group_of(struct task_struct *task, struct cgroup **ret_group)
{
	struct cgroup_subsys_state *events = NULL;
	struct css_set *all = task->cgroups;

	*ret_group = all->dfl_cgrp;
	if (!asked.legacy)
		return (*ret_group)->kn->id;
	bpf_core_read(&events, sizeof(events),
		&all->subsys[bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id)]);
	*ret_group = BPF_CORE_READ(events, cgroup);
	return BPF_CORE_READ(*ret_group, kn, id);
}

/* Where the ring is full it is told the next time. */
static __always_inline void tell_group(struct task_struct *task)
{
	struct cgroup *group;
	struct told_group told = {.told = TOLD_GROUP,
		.tid = thread_number(task),
		.time = bpf_ktime_get_ns(),
		.id = group_of(task, &group)};
	__u64 *known = bpf_map_lookup_elem(&told_groups, &told.tid);

	if (known && *known == told.id)
		return;
	if (!bpf_ringbuf_output(&ring, &told, sizeof(told), ring_wakeup()))
		bpf_map_update_elem(&told_groups, &told.tid, &told.id, BPF_ANY);
}

#endif
