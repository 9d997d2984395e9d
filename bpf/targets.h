/* targets.h: which threads are recorded, and on which CPUs?
 *
 * A recorded thread has a mark in its task storage: those that run when the recording starts are
 * marked by an iterator, and children of marked threads when they are created. For any other thread
 * a program does one lookup and returns. With -a every thread is recorded, and with -G those that
 * are in one of the groups at the moment: they get a mark when something is to be kept of them. */
#ifndef KILN_BPF_TARGETS_H
#define KILN_BPF_TARGETS_H

#include "bpf/groups.h"
#include "bpf/pids.h"
#include "bpf/ring.h"
#include "bpf/unwind.h"

#define GROUP_DEPTH 64 /* control groups, one inside the other */

/* The first member of each mode's data of a thread. */
struct mark {
	__u32 exec;	  /* with `before_exec`: its self_exec_id before */
	bool follow;	  /* its children are recorded, too */
	bool before_exec; /* it is not recorded before its next exec */
};

/* pid or tid -> 1: with all of its threads and children. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* id of a control group -> is it one of config.groups, or inside of one? Groups never move. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, __u8);
} groups SEC(".maps");

/* ---- What a mode defines (bpf/mode.h) ---- */

/* The mark of a thread; NULL: it has none. With BPF_LOCAL_STORAGE_GET_F_CREATE it is created; NULL:
 * there is no memory. */
static __always_inline struct mark *mark_of(struct task_struct *task, __u64 flags);
/* There was no memory for a mark. */
static __always_inline void count_no_memory(void);

/* Add to a counter, in one instruction: an interrupt may count in between, and another thread where
 * programs can be preempted. */
static __always_inline void count(__u64 *counter, __u64 more)
{
	__sync_fetch_and_add(counter, more);
}

/* A thread that ran before the recording has been marked. */
static __always_inline void on_marked(struct task_struct *task);

/* ---- Is it recorded? ---- */

static __always_inline bool is_recorded_cpu(__u32 cpu)
{
	return !config.by_cpu || config.cpus[cpu / 64 % (BPF_CPUS_MAX / 64)] >> cpu % 64 & 1;
}

/* The command is not recorded before its exec. */
static __always_inline bool is_before_exec(struct mark *mark, struct task_struct *task)
{
	if (mark->before_exec && task->self_exec_id != mark->exec)
		mark->before_exec = false;
	return mark->before_exec;
}

/* Search a group and those around it for one of config.groups, and remember the answer. */
static __attribute__((noinline)) bool search_group(struct cgroup *group, __u64 id)
{
	struct cgroup_subsys_state *parent;
	__u64 at = id;
	__u8 found = 0;

	for (int depth = 0; depth < GROUP_DEPTH && !found; depth++) {
		for (int i = 0; i < GROUPS_MAX && i < config.group_count; i++)
			found |= at == config.groups[i];
		parent = BPF_CORE_READ(group, self.parent);
		if (!parent)
			break;
		group = BPF_CORE_READ(parent, cgroup);
		at = BPF_CORE_READ(group, kn, id);
	}
	bpf_map_update_elem(&groups, &id, &found, BPF_ANY);
	return found;
}

/* Is a thread in one of config.groups now? */
static __always_inline bool is_in_groups(struct task_struct *task)
{
	struct cgroup *group;
	__u64 id = group_of(task, &group);
	__u8 *known = bpf_map_lookup_elem(&groups, &id);

	return known ? *known : search_group(group, id);
}

/* The mark of a thread that is recorded; NULL: it is not, or there is no memory, which is counted.
 */
static __always_inline struct mark *thread_mark(struct task_struct *task)
{
	struct mark *mark;

	if (!config.system_wide && !config.group_count)
		return mark_of(task, 0);
	if (config.group_count && !is_in_groups(task))
		return NULL;
	mark = mark_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!mark)
		count_no_memory();
	return mark;
}

/* Is a thread recorded? For modes that keep nothing of a thread. */
static __always_inline bool is_recorded(struct task_struct *task)
{
	struct mark *mark;

	if (config.system_wide || config.group_count)
		return config.system_wide || is_in_groups(task);
	mark = mark_of(task, 0);
	return mark && !is_before_exec(mark, task);
}

/* ---- Children ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct mark *from = mark_of(parent, 0), *mark;

	if (config.system_wide || config.group_count || (from && from->follow))
		unwind_forked(recorder_pid(parent), recorder_pid(child));
	if (config.system_wide || config.group_count || !from || !from->follow)
		return 0;
	mark = mark_of(child, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (mark) {
		mark->follow = true;
		mark->before_exec = from->before_exec;
		mark->exec = from->exec;
	} else {
		count_no_memory();
	}
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	unwind_executed(recorder_pid(task));
	return 0;
}

/* ---- The start ---- */

/* Is a thread to be recorded? 0: no; 1: yes; 2: with its children. */
static __always_inline int is_target(struct task_struct *task)
{
	__u32 pid = recorder_pid(task), tid = recorder_tid(task);
	__u8 *process = bpf_map_lookup_elem(&targets, &pid);

	if (config.system_wide)
		return tid ? 1 : 0;
	if (config.group_count)
		return tid && is_in_groups(task) ? 1 : 0;
	if (process && *process)
		return 2;
	return bpf_map_lookup_elem(&targets, &tid) ? 1 : 0;
}

SEC("iter/task")
int mark(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	int target = task ? is_target(task) : 0;
	struct mark *mark;

	/* One that has a mark was created since. */
	if (!target || mark_of(task, 0))
		return 0;
	mark = mark_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!mark) {
		BPF_SEQ_PRINTF(ctx->meta->seq, "%d\n", task->pid); /* any output is a failure */
		return 0;
	}
	mark->follow = target > 1;
	mark->before_exec = config.wait_for_exec;
	mark->exec = task->self_exec_id;
	on_marked(task);
	return 0;
}

#endif
