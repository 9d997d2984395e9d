/* deferred.h: events whose stack is not all in memory, emitted when their thread returns to user
 * space.
 *
 * A program that interrupts a thread may not wait for a page of its stack. The thread itself may:
 * the kernel lets it do some work last before it returns to user space (task work), where it still
 * has the registers and the stack of the interrupt. So the event (a sample, a wait, a call) is put
 * into a slot together with the kernel frames; the work reads the pages in, walks the user stack
 * again and emits the event with all of its stack:
 *
 *	FREE -> FILLING -> READY -> EMITTING -> FREE
 *
 * If the slot is taken, or the kernel has no such work (before Linux 6.18), the event is emitted at
 * once with the stack as far as it is known. When a recording ends, the recorder takes events that
 * are READY. Whoever exchanges that state emits the event, so that each is emitted once. */
#ifndef KILN_BPF_DEFERRED_H
#define KILN_BPF_DEFERRED_H

#include "bpf/pages.h"
#include "bpf/shared/events.h"
#include "bpf/stacks.h"

struct deferred_event deferred[DEFERRED_MAX];

/* For programs only: the work, and what the stack was at the time of the event. */
struct deferred_stack {
	struct bpf_task_work work;
	__u64 ip, sp, bp;
	__u64 absent; /* address */
	__u32 count;  /* of kernel frames... */
	__u32 skip;   /* ... how many of them are left out */
	__u64 kernel[KERNEL_STACK_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* DEFERRED_MAX, where events are deferred */
	__type(key, __u32);
	__type(value, struct deferred_stack);
} deferred_stacks SEC(".maps");

/* The mode defines this: emit an event that was deferred. `chunk`: its stack; 0: the one that the
 * event has is the best that is known. An event that the ring has no room for is counted. */
static __always_inline void emit_deferred(const __u64 *event, __u32 chunk);

/* The slot of a thread. It has two: a run that a timer has interrupted and the wait that follows it
 * may be deferred at the same time. */
static __always_inline __u32 deferred_slot(const struct task_struct *task, bool second)
{
	return ((__u32)task->pid * 2 + second) & (DEFERRED_MAX - 1);
}

/* Is the current thread emitting its deferred event? Its work can be interrupted. */
static __always_inline bool deferred_busy(struct task_struct *task)
{
	return deferred[deferred_slot(task, false)].returning == (__u32)task->pid ||
	       deferred[deferred_slot(task, true)].returning == (__u32)task->pid;
}

#ifdef __TARGET_ARCH_x86

extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *work,
	void *map, int (*callback)(struct bpf_map *map, void *key, void *value),
	void *program) __ksym __weak;
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

/* Is the stack in user space still that of the event? */
static __always_inline bool deferred_unchanged(
	const struct deferred_stack *stack, struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	return task->mm && regs->ip == stack->ip && regs->sp == stack->sp && regs->bp == stack->bp;
}

/* Take the stack, with all pages there: its chunk; 0: it cannot be taken now. */
static __always_inline __u32 deferred_walk(struct deferred_stack *stack)
{
	__u32 key = SCRATCH_DEFERRED, chunk = 0;
	struct stack_scratch *scratch = bpf_map_lookup_elem(&stack_scratches, &key);

	if (!scratch || __sync_lock_test_and_set(&scratch->taken, 1))
		return 0;
	stack_scratch_get(SCRATCH_DEFERRED);
	walk_user(SCRATCH_DEFERRED);
	if (stack->count && !scratch->lost) {
		bpf_probe_read_kernel(scratch->kernel, sizeof(scratch->kernel), stack->kernel);
		take_kernel(scratch, stack->count * sizeof(*scratch->kernel), stack->skip);
	}
	if (!scratch->lost)
		chunk = scratch->id;
	stack_scratch_release(scratch);
	return chunk;
}

/* The work of a thread before it is in user space again, or ends. */
static int on_return(struct bpf_map *map, void *key, void *value)
{
	struct deferred_event *slot = &deferred[*(__u32 *)key & (DEFERRED_MAX - 1)];
	struct task_struct *task = bpf_get_current_task_btf();
	struct deferred_stack *stack = value;
	__u64 event[DEFERRED_WORDS];
	bool unchanged = deferred_unchanged(stack, task);
	__u32 chunk = 0;

	__builtin_memcpy(event, slot->words, sizeof(event));
	if (unchanged)
		pages_read(task, stack->absent);
	slot->returning = (__u32)task->pid;
	if (unchanged) {
		tables_lock();
		chunk = deferred_walk(stack);
		tables_unlock();
	}
	bpf_preempt_disable(); /* the recorder waits while the state is DEFERRED_EMITTING */
	if (__sync_val_compare_and_swap(&slot->state, DEFERRED_READY, DEFERRED_EMITTING) ==
		DEFERRED_READY) {
		emit_deferred(event, chunk);
		slot->returning = 0;
		__sync_lock_test_and_set(&slot->state, DEFERRED_FREE);
	}
	bpf_preempt_enable();
	return 0;
}

static __always_inline void deferred_remember(
	struct deferred_stack *stack, const struct stack_scratch *scratch, struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	stack->ip = regs->ip;
	stack->sp = regs->sp;
	stack->bp = regs->bp;
	stack->absent = scratch->user.absent;
	stack->count = scratch->kernel_count;
	stack->skip = scratch->skip;
	bpf_probe_read_kernel(stack->kernel, sizeof(stack->kernel), scratch->kernel);
}

/* Defer an event of the current thread, whose stack has just been taken into a scratch area.
 * `second`: into the second slot of the thread. False: it is to be emitted now. */
static __always_inline bool event_defer(struct stack_scratch *scratch, struct task_struct *task,
	const void *event, __u32 size, bool second)
{
	__u32 at = deferred_slot(task, second);
	struct deferred_event *slot = &deferred[at];
	struct deferred_stack *stack;

	if (!needs_page(scratch))
		return false;
	stack = bpf_map_lookup_elem(&deferred_stacks, &at);
	if (!stack || __sync_val_compare_and_swap(&slot->state, DEFERRED_FREE, DEFERRED_FILLING) !=
			      DEFERRED_FREE)
		return false;
	__builtin_memcpy(slot->words, event, size);
	deferred_remember(stack, scratch, task);
	__sync_lock_test_and_set(&slot->state, DEFERRED_READY);
	if (!bpf_task_work_schedule_resume_impl(
		    task, &stack->work, &deferred_stacks, on_return, NULL))
		return true;
	__sync_lock_test_and_set(&slot->state, DEFERRED_FREE);
	return false;
}

#else

static __always_inline bool event_defer(struct stack_scratch *scratch, struct task_struct *task,
	const void *event, __u32 size, bool second)
{
	return false;
}

#endif

#endif
