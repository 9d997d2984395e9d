/* copies.h: user stacks that a program cannot walk, or not yet, copied for the recorder to walk.
 *
 * The mappings of a new process, and the unwind tables of what it maps, become known to programs
 * some milliseconds late, on a busy machine later. Until then a program writes the stack itself to
 * the ring: the registers, and the pages from the stack pointer upwards. */
#ifndef KILN_BPF_COPIES_H
#define KILN_BPF_COPIES_H

#include "bpf/shared/config.h"
#include "bpf/shared/events.h"
#include "bpf/unwind.h"

/* Bytes of an event_copy with so many pages. */
#define COPY_SIZE(pages) (sizeof(struct event_copy) + (pages)*COPY_PAGE)

/* Can the recorder walk a stack whose walk ended here? Yes if mappings or a table are not known
 * yet, or if a rule is an expression or needs registers that programs do not follow. */
static __always_inline bool needs_copy(const struct user_stack *s)
{
	return (s->end == USER_STACK_NO_TABLE && (!s->space || s->needs_table)) ||
	       s->end == USER_STACK_NO_MAPPING || s->end == USER_STACK_BAD_RULE;
}

/* May one more stack of this process, whose mappings or tables are incomplete, be copied? There is
 * a limit. */
static __always_inline bool copy_allowed(__u32 pid)
{
	struct unwind_process *process = bpf_map_lookup_elem(&unwind_processes, &pid), none = {0};

	if (pid == (__u32)PID_OUTSIDE) /* its mappings are never known */
		return false;
	if (!process) {
		bpf_map_update_elem(&unwind_processes, &pid, &none, BPF_NOEXIST);
		process = bpf_map_lookup_elem(&unwind_processes, &pid);
	}
	return process && process->copies < COPIES_MAX &&
	       __sync_fetch_and_add(&process->copies, 1) < COPIES_MAX;
}

/* Does the stack go on behind a small copy? From s->start, as a walk may have changed s->sp. */
static __always_inline bool copy_large(const struct user_stack *s)
{
	__u64 word;

	return unwind_read(&word, sizeof(word), (s->start & -COPY_PAGE) + COPY_SMALL * COPY_PAGE);
}

/* Copy the current thread's stack into an event with room for `pages`; the caller sets `id` and
 * `space`. */
static __always_inline void copy_take(
	struct event_copy *event, struct task_struct *task, const struct user_stack *s, __u32 pages)
{
	__u64 regs = bpf_task_pt_regs(task), at = s->start & -COPY_PAGE;

	event->type = EVENT_COPY;
	event->time = bpf_ktime_get_ns();
	event->size = pages * COPY_PAGE;
	event->copied = 0;
	bpf_probe_read_kernel(event->regs, sizeof(event->regs), (const void *)regs);
	for (__u32 i = 0; i < pages; i++) {
		if (!unwind_read(event->bytes + i * COPY_PAGE, COPY_PAGE, at + i * COPY_PAGE))
			break;
		event->copied += COPY_PAGE;
	}
}

/* Has another thread, which waits, a stack in user space? Sets s->start. */
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

/* Copy that stack. Its pages are read in from wherever they are, so this is only for programs that
 * may sleep. False: the thread has run meanwhile. */
static __always_inline bool copy_take_waiting(
	struct event_copy *event, struct task_struct *task, const struct user_stack *s, __u32 pages)
{
	__u64 regs = bpf_task_pt_regs(task), at = s->start & -COPY_PAGE;
	__u64 switches = task->nvcsw + task->nivcsw;

	event->type = EVENT_COPY;
	event->time = bpf_ktime_get_ns();
	event->size = pages * COPY_PAGE;
	event->copied = 0;
	if (task->on_cpu)
		return false;
	bpf_probe_read_kernel(event->regs, sizeof(event->regs), (const void *)regs);
	for (__u32 i = 0; i < pages; i++) {
		if (bpf_copy_from_user_task(event->bytes + i * COPY_PAGE, COPY_PAGE,
			    (const void *)(at + i * COPY_PAGE), task, 0))
			break;
		event->copied += COPY_PAGE;
	}
	return !task->on_cpu && task->nvcsw + task->nivcsw == switches;
}

#endif
