/* pids.h: the ids of threads and processes where the recorder runs.
 *
 * In a container a thread has another tid than outside of it. Events carry, and maps are keyed by,
 * the ids of the recorder's own pid namespace, because those are what it reads in /proc. */
#ifndef KILN_BPF_PIDS_H
#define KILN_BPF_PIDS_H

#include "bpf/ring.h"

#define NAMESPACES_MAX 32 /* one inside the other: MAX_PID_NS_LEVEL of the kernel */

/* The id of a struct pid in the recorder's namespace. It is global so that the verifier checks it
 * once, and not for every path that leads here. */
__noinline int pid_in_namespace(__u64 pid)
{
	__u64 each = pid + bpf_core_field_offset(struct pid, numbers);
	__u32 level = BPF_CORE_READ((struct pid *)pid, level);

	for (__u32 i = 0; i < NAMESPACES_MAX && i <= level; i++) {
		const struct upid *number = (const struct upid *)each;

		if (BPF_CORE_READ(number, ns, ns.inum) == config.pid_namespace)
			return BPF_CORE_READ(number, nr);
		each += bpf_core_type_size(struct upid);
	}
	return PID_OUTSIDE;
}

/* The kernel's id -> the id in the recorder's namespace. Besides saving time, it answers for a
 * thread that has been reaped: that still runs a little, but has lost its struct pid. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* PID_CACHE_MAX, where namespaces differ */
	__type(key, __u32);
	__type(value, __u32);
} pid_cache SEC(".maps");

static __always_inline __u32 pid_cached(__u32 id, __u64 pid)
{
	__u32 *known = bpf_map_lookup_elem(&pid_cache, &id), number;

	if (!pid)
		return known ? *known : (__u32)PID_OUTSIDE;
	number = (__u32)pid_in_namespace(pid);
	if (!known || *known != number)
		bpf_map_update_elem(&pid_cache, &id, &number, BPF_ANY);
	return number;
}

/* Idle threads are 0 in every namespace. */
static __always_inline __u32 recorder_tid(struct task_struct *task)
{
	if (!config.pid_namespace || !task->pid)
		return (__u32)task->pid;
	return pid_cached((__u32)task->pid, (__u64)BPF_CORE_READ(task, thread_pid));
}

static __always_inline __u32 recorder_pid(struct task_struct *task)
{
	if (!config.pid_namespace || !task->pid)
		return (__u32)task->tgid;
	return pid_cached((__u32)task->tgid, (__u64)BPF_CORE_READ(task, group_leader, thread_pid));
}

#endif
