/* copies.h: user stacks that a program cannot walk, or not yet, for the recorder to walk.
 *
 * What a new process maps, and the unwind tables of that, become known to programs some
 * milliseconds late, on a busy machine later. Until then a stack is handed over as it is: its
 * registers and the pages that it lies on. */
#ifndef KILN_BPF_COPIES_H
#define KILN_BPF_COPIES_H

#include "bpf/unwind.h"

/* Of a copy's struct told_copy, with its bytes. */
#define COPY_SIZE(pages) (sizeof(struct told_copy) + (pages)*COPY_PAGE)

/* Nothing is known of the process, or not all, or a table is being made; or a rule is an
 * expression, or takes other registers than are followed here. */
static __always_inline bool copy_wanted(const struct user_stack *s)
{
	return (s->end == USER_STACK_NO_TABLE && (!s->space || s->wants)) ||
	       s->end == USER_STACK_NO_MAPPING || s->end == USER_STACK_BAD_RULE;
}

/* May the stack of a process that too little is known of be copied? Not for ever. */
static __always_inline bool copy_allowed(__u32 pid)
{
	struct unwind_process *process = bpf_map_lookup_elem(&unwind_processes, &pid), none = {0};

	if (pid == (__u32)NUMBER_OUTSIDE) /* its mappings are never known */
		return false;
	if (!process) {
		bpf_map_update_elem(&unwind_processes, &pid, &none, BPF_NOEXIST);
		process = bpf_map_lookup_elem(&unwind_processes, &pid);
	}
	return process && process->copies < COPIES_MOST &&
	       __sync_fetch_and_add(&process->copies, 1) < COPIES_MOST;
}

/* Does the stack go on behind a small copy? A walk may have gone up it: its start is where it was.
 */
static __always_inline bool copy_large(const struct user_stack *s)
{
	__u64 word;

	return unwind_read(&word, sizeof(word), (s->start & -COPY_PAGE) + COPY_SMALL * COPY_PAGE);
}

/* The current thread's, into a record with room for `pages`; `id` and `space` are the caller's. */
static __always_inline void copy_take(
	struct told_copy *told, struct task_struct *task, const struct user_stack *s, __u32 pages)
{
	__u64 regs = bpf_task_pt_regs(task), at = s->start & -COPY_PAGE;

	told->told = TOLD_COPY;
	told->time = bpf_ktime_get_ns();
	told->room = pages * COPY_PAGE;
	told->copied = 0;
	bpf_probe_read_kernel(told->regs, sizeof(told->regs), (const void *)regs);
	for (__u32 i = 0; i < pages; i++) {
		if (!unwind_read(told->bytes + i * COPY_PAGE, COPY_PAGE, at + i * COPY_PAGE))
			break;
		told->copied += COPY_PAGE;
	}
}

static __always_inline bool copy_waiting_begin(struct user_stack *s, struct task_struct *task)
{
#ifdef __TARGET_ARCH_x86
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	s->start = regs->sp;
	return !(task->flags & TASK_KERNEL_THREAD) && regs->cs == CODE_64_BIT;
#else
	return false;
#endif
}

/* Of another thread, which waits; its pages are fetched from wherever they are, so this is for
 * programs that may sleep. False: it has run meanwhile. */
static __always_inline bool copy_take_waiting(
	struct told_copy *told, struct task_struct *task, const struct user_stack *s, __u32 pages)
{
	__u64 regs = bpf_task_pt_regs(task), at = s->start & -COPY_PAGE;
	__u64 switches = task->nvcsw + task->nivcsw;

	told->told = TOLD_COPY;
	told->time = bpf_ktime_get_ns();
	told->room = pages * COPY_PAGE;
	told->copied = 0;
	if (task->on_cpu)
		return false;
	bpf_probe_read_kernel(told->regs, sizeof(told->regs), (const void *)regs);
	for (__u32 i = 0; i < pages; i++) {
		if (bpf_copy_from_user_task(told->bytes + i * COPY_PAGE, COPY_PAGE,
			    (const void *)(at + i * COPY_PAGE), task, 0))
			break;
		told->copied += COPY_PAGE;
	}
	return !task->on_cpu && task->nvcsw + task->nivcsw == switches;
}

#endif
