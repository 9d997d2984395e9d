/* numbers.h: which numbers have threads and processes where the recorder runs?
 *
 * In a container they have others than outside of it. What is told, and what the recorder looks up,
 * is by the numbers of its own namespace, as all that it reads of them has those. */
#ifndef KILN_BPF_NUMBERS_H
#define KILN_BPF_NUMBERS_H

#include "bpf/core.h"

#define NAMESPACES_MOST 32 /* in each other: MAX_PID_NS_LEVEL of the kernel */

/* Of a struct pid, in the recorder's namespace. Global: the verifier looks at this once. */
__noinline int number_inside(__u64 pid)
{
	__u64 each = pid + bpf_core_field_offset(struct pid, numbers);
	__u32 level = BPF_CORE_READ((struct pid *)pid, level);

	for (__u32 i = 0; i < NAMESPACES_MOST && i <= level; i++) {
		const struct upid *number = (const struct upid *)each;

		if (BPF_CORE_READ(number, ns, ns.inum) == asked.pid_namespace)
			return BPF_CORE_READ(number, nr);
		each += bpf_core_type_size(struct upid);
	}
	return NUMBER_OUTSIDE;
}

/* Number that the kernel uses -> the one inside: a thread that has been reaped still runs a little,
 * and has lost its own. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* NUMBERS_MOST, where numbers differ */
	__type(key, __u32);
	__type(value, __u32);
} numbers SEC(".maps");

static __always_inline __u32 number_kept(__u32 id, __u64 pid)
{
	__u32 *known = bpf_map_lookup_elem(&numbers, &id), number;

	if (!pid)
		return known ? *known : (__u32)NUMBER_OUTSIDE;
	number = (__u32)number_inside(pid);
	if (!known || *known != number)
		bpf_map_update_elem(&numbers, &id, &number, BPF_ANY);
	return number;
}

/* Idle threads are 0 everywhere. */
static __always_inline __u32 thread_number(struct task_struct *task)
{
	if (!asked.pid_namespace || !task->pid)
		return (__u32)task->pid;
	return number_kept((__u32)task->pid, (__u64)BPF_CORE_READ(task, thread_pid));
}

static __always_inline __u32 process_number(struct task_struct *task)
{
	if (!asked.pid_namespace || !task->pid)
		return (__u32)task->tgid;
	return number_kept((__u32)task->tgid, (__u64)BPF_CORE_READ(task, group_leader, thread_pid));
}

#endif
