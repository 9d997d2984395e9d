/* groups.h: in which control group is a thread, and does the recorder know? */
#ifndef KILN_BPF_GROUPS_H
#define KILN_BPF_GROUPS_H

#include "bpf/pids.h"
#include "bpf/ring.h"

/* tid -> the group that was last emitted for it. A thread that reuses a tid is either in the same
 * group, or its group differs and is emitted. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* GROUP_THREADS_MAX, where groups are emitted */
	__type(key, __u32);
	__type(value, __u64);
} emitted_groups SEC(".maps");

/* The id of a thread's group, in the hierarchy that config.groups are of. */
static __always_inline __u64 group_of(struct task_struct *task, struct cgroup **ret_group)
{
	struct cgroup_subsys_state *events = NULL;
	struct css_set *all = task->cgroups;

	*ret_group = all->dfl_cgrp;
	if (!config.cgroup_v1)
		return (*ret_group)->kn->id;
	bpf_core_read(&events, sizeof(events),
		&all->subsys[bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id)]);
	*ret_group = BPF_CORE_READ(events, cgroup);
	return BPF_CORE_READ(*ret_group, kn, id);
}

/* Emit the group of a thread, if it has changed. When the ring is full, the next call does it. */
static __always_inline void emit_group(struct task_struct *task)
{
	struct cgroup *group;
	struct event_group event = {.type = EVENT_GROUP,
		.tid = recorder_tid(task),
		.time = bpf_ktime_get_ns(),
		.id = group_of(task, &group)};
	__u64 *known = bpf_map_lookup_elem(&emitted_groups, &event.tid);

	if (known && *known == event.id)
		return;
	if (ring_emit(&event, sizeof(event)))
		bpf_map_update_elem(&emitted_groups, &event.tid, &event.id, BPF_ANY);
}

#endif
