/* targets.h: whose threads are recorded, and on which CPUs?
 *
 * Threads are marked where the kernel keeps them, at the start by an iterator and then as children
 * of marked ones: what nobody asked for costs one look. */
#ifndef KILN_BPF_TARGETS_H
#define KILN_BPF_TARGETS_H

#include "bpf/stacks.h"

#define GROUP_DEPTH 64 /* of control groups in each other */

/* What each mode keeps of a thread begins with this. */
struct mark {
	__u32 exec;  /* with `early`: its self_exec_id before */
	bool follow; /* its children are recorded, too */
	bool early;  /* not before its next exec */
};

/* pid or tid -> 1: with all of its threads and children. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* id of a control group -> is it one of those asked for, or inside of one? Groups never move. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, __u8);
} groups SEC(".maps");

/* ---- What the mode defines ---- */

/* The mark of a thread; NULL: it has none or, with BPF_LOCAL_STORAGE_GET_F_CREATE, there is no
 * memory for one. */
static __always_inline struct mark *mark_of(struct task_struct *task, __u64 flags);
/* There was no memory for the mark of a child. */
static __always_inline void count_unmarked(void);

/* In one instruction: an interrupt may count in between, and another thread where programs can be
 * preempted. */
static __always_inline void count(__u64 *counter, __u64 more)
{
	__sync_fetch_and_add(counter, more);
}

/* Both, and the tables behind them, of the mode's own types: `thread_type`, which begins with a
 * mark, of each thread, as many as there are; `counts_type`, which has a member `unknown`, of each
 * CPU. */
#define MODE_TABLES(thread_type, counts_type)                                                      \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                                           \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
		__type(key, int);                                                                  \
		__type(value, thread_type);                                                        \
	} threads SEC(".maps");                                                                    \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                           \
		__uint(max_entries, 1);                                                            \
		__type(key, __u32);                                                                \
		__type(value, counts_type);                                                        \
	} counts SEC(".maps");                                                                     \
	static __always_inline counts_type *counted(void)                                          \
	{                                                                                          \
		__u32 first = 0;                                                                   \
		return bpf_map_lookup_elem(&counts, &first);                                       \
	}                                                                                          \
	static __always_inline struct mark *mark_of(struct task_struct *task, __u64 flags)         \
	{                                                                                          \
		return bpf_task_storage_get(&threads, task, NULL, flags);                          \
	}                                                                                          \
	static __always_inline void count_unmarked(void)                                           \
	{                                                                                          \
		counts_type *c = counted();                                                        \
		if (c)                                                                             \
			count(&c->unknown, 1);                                                     \
	}

/* A thread that was there before has been marked. */
static __always_inline void marked(struct task_struct *task);

/* ---- For the mode ---- */

static __always_inline bool wanted_cpu(__u32 cpu)
{
	return !asked.by_cpu || asked.cpus[cpu / 64 % (BPF_CPUS_MOST / 64)] >> cpu % 64 & 1;
}

/* What the command does before it is itself is not recorded. */
static __always_inline bool too_early(struct mark *mark, struct task_struct *task)
{
	if (mark->early && task->self_exec_id != mark->exec)
		mark->early = false;
	return mark->early;
}

/* Looked for from a group outwards, and remembered. */
static __attribute__((noinline)) bool find_group(struct cgroup *group, __u64 id)
{
	struct cgroup_subsys_state *parent;
	__u64 at = id;
	__u8 found = 0;

	for (int depth = 0; depth < GROUP_DEPTH && !found; depth++) {
		for (int i = 0; i < GROUPS_MOST && i < asked.groups; i++)
			found |= at == asked.group[i];
		parent = BPF_CORE_READ(group, self.parent);
		if (!parent)
			break;
		group = BPF_CORE_READ(parent, cgroup);
		at = BPF_CORE_READ(group, kn, id);
	}
	bpf_map_update_elem(&groups, &id, &found, BPF_ANY);
	return found;
}

/* Is it in one of the control groups now? */
static __always_inline bool in_groups(struct task_struct *task)
{
	struct cgroup *group;
	__u64 id = group_of(task, &group);
	__u8 *known = bpf_map_lookup_elem(&groups, &id);

	return known ? *known : find_group(group, id);
}

/* The mark of one that is recorded; NULL: it is not, or there was no memory, which is counted. */
static __always_inline struct mark *mark_wanted(struct task_struct *task)
{
	struct mark *mark;

	if (!asked.everything && !asked.groups)
		return mark_of(task, 0);
	if (asked.groups && !in_groups(task))
		return NULL;
	mark = mark_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!mark)
		count_unmarked();
	return mark;
}

/* For modes that keep nothing of a thread: is it recorded? */
static __always_inline bool is_recorded(struct task_struct *task)
{
	struct mark *mark;

	if (asked.everything || asked.groups)
		return asked.everything || in_groups(task);
	mark = mark_of(task, 0);
	return mark && !too_early(mark, task);
}

/* ---- Following ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct mark *from = mark_of(parent, 0), *mark;

	if (asked.everything || asked.groups || (from && from->follow))
		unwind_forked(process_number(parent), process_number(child));
	if (asked.everything || asked.groups || !from || !from->follow)
		return 0;
	mark = mark_of(child, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (mark) {
		mark->follow = true;
		mark->early = from->early;
		mark->exec = from->exec;
	} else {
		count_unmarked();
	}
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	unwind_executed(process_number(task));
	return 0;
}

/* ---- The start ---- */

/* 0: it is not recorded; 1; 2: with its children. */
static __always_inline int wanted(struct task_struct *task)
{
	__u32 pid = process_number(task), tid = thread_number(task);
	__u8 *process = bpf_map_lookup_elem(&targets, &pid);

	if (asked.everything)
		return tid ? 1 : 0;
	if (asked.groups)
		return tid && in_groups(task) ? 1 : 0;
	if (process && *process)
		return 2;
	return bpf_map_lookup_elem(&targets, &tid) ? 1 : 0;
}

SEC("iter/task")
int mark(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	int want = task ? wanted(task) : 0;
	struct mark *mark;

	/* One that is known already has been running since. */
	if (!want || mark_of(task, 0))
		return 0;
	mark = mark_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!mark) {
		BPF_SEQ_PRINTF(
			ctx->meta->seq, "%d\n", task->pid); /* the recorder expects nothing */
		return 0;
	}
	mark->follow = want > 1;
	mark->early = asked.until_exec;
	mark->exec = task->self_exec_id;
	marked(task);
	return 0;
}

#endif
