/* later.h: stacks that are not all in memory, told when their thread returns to user space.
 *
 * A program that interrupts a thread may not wait for a page. What the thread itself does last on
 * its way back to user space may, and finds the registers and the stack of the interrupt. Until
 * then a sample, a wait or a call is kept in a slot, with the stack as far as it is known; where
 * that is taken, or the kernel has no such work (before Linux 6.18), this is the stack that is
 * told. What is in slots when a recording ends is for the recorder to take: each is told by one of
 * both. */
#ifndef KILN_BPF_LATER_H
#define KILN_BPF_LATER_H

#include "bpf/pages.h"

/* Rooms for stacks: an interrupt's, and that of who returns, which can be interrupted. */
#define ROOM_SAMPLED 0
#ifndef ROOM_LATER
#define ROOM_LATER 1
#endif

struct later_slot later[LATER_SLOTS];

/* The same, for programs only: what is to be done, and what the stack of then was. */
struct later_work {
	struct bpf_task_work work;
	__u64 ip, sp, bp;
	__u64 absent; /* address */
	__u32 count;  /* of kernel frames... */
	__u32 skip;   /* ... of which so many are left out */
	__u64 kernel[KERNEL_STACK_MOST];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* LATER_SLOTS, where there are any */
	__type(key, __u32);
	__type(value, struct later_work);
} laters SEC(".maps");

/* The mode's: what was kept, with its stack as it is known now; 0: nothing more is. What there is
 * no room for is counted. */
static __always_inline void later_tell(union later_told *told, __u32 chunk);

/* A run that a timer has interrupted and the wait that follows may be due at once. */
static __always_inline __u32 later_slot_of(const struct task_struct *task, bool run)
{
	return ((__u32)task->pid * 2 + run) & (LATER_SLOTS - 1);
}

/* Is the current thread just doing that? It may be interrupted. */
static __always_inline bool later_busy(struct task_struct *task)
{
	return later[later_slot_of(task, false)].teller == (__u32)task->pid ||
	       later[later_slot_of(task, true)].teller == (__u32)task->pid;
}

#ifdef __TARGET_ARCH_x86

extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *work,
	void *map, int (*callback)(struct bpf_map *map, void *key, void *value),
	void *program) __ksym __weak;
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

/* The stack is the one that it was. */
static __always_inline bool later_same(const struct later_work *work, struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	return task->mm && regs->ip == work->ip && regs->sp == work->sp && regs->bp == work->bp;
}

/* With all pages there: its number; 0: it cannot be taken now. */
static __always_inline __u32 later_walk(struct later_work *work)
{
	__u32 key = ROOM_LATER, chunk = 0;
	struct stack_room *room = bpf_map_lookup_elem(&rooms, &key);

	if (!room || __sync_lock_test_and_set(&room->taken, 1))
		return 0;
	stack_room(ROOM_LATER);
	walk_user(ROOM_LATER);
	if (work->count && !room->lost) {
		bpf_probe_read_kernel(room->kernel, sizeof(room->kernel), work->kernel);
		take_kernel(room, work->count * sizeof(*room->kernel), work->skip);
	}
	if (!room->lost)
		chunk = room->id;
	stack_room_leave(room);
	return chunk;
}

/* What a thread does before it is in user space again, or ends. */
static int on_return(struct bpf_map *map, void *key, void *value)
{
	struct later_slot *slot = &later[*(__u32 *)key & (LATER_SLOTS - 1)];
	struct task_struct *task = bpf_get_current_task_btf();
	struct later_work *work = value;
	union later_told told = slot->told;
	bool same = later_same(work, task);
	__u32 chunk = 0;

	if (same)
		pages_fetch(task, work->absent);
	slot->teller = (__u32)task->pid;
	if (same) {
		tables_hold();
		chunk = later_walk(work);
		tables_let_go();
	}
	bpf_preempt_disable(); /* the recorder waits for who is telling, and reckons with no others
				*/
	if (__sync_val_compare_and_swap(&slot->state, LATER_KEPT, LATER_BEING_TOLD) == LATER_KEPT) {
		later_tell(&told, chunk);
		slot->teller = 0;
		__sync_lock_test_and_set(&slot->state, LATER_FREE);
	}
	bpf_preempt_enable();
	return 0;
}

static __always_inline void later_remember(
	struct later_work *work, const struct stack_room *room, struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	work->ip = regs->ip;
	work->sp = regs->sp;
	work->bp = regs->bp;
	work->absent = room->user.absent;
	work->count = room->kernel_count;
	work->skip = room->skip;
	bpf_probe_read_kernel(work->kernel, sizeof(work->kernel), room->kernel);
}

/* Of the current thread, whose stack has just been taken into a room; `size`: of what is told.
 * False: it is to be told now. */
static __always_inline bool later_keep(
	struct stack_room *room, struct task_struct *task, const void *told, __u32 size)
{
	__u32 at = later_slot_of(task, *(const __u8 *)told == TOLD_RUN);
	struct later_slot *slot = &later[at];
	struct later_work *work;

	if (!page_due(room))
		return false;
	work = bpf_map_lookup_elem(&laters, &at);
	if (!work || __sync_val_compare_and_swap(&slot->state, LATER_FREE, LATER_BEING_KEPT) !=
			     LATER_FREE)
		return false;
	__builtin_memcpy(&slot->told, told, size);
	later_remember(work, room, task);
	__sync_lock_test_and_set(&slot->state, LATER_KEPT);
	if (!bpf_task_work_schedule_resume_impl(task, &work->work, &laters, on_return, NULL))
		return true;
	__sync_lock_test_and_set(&slot->state, LATER_FREE);
	return false;
}

#else

static __always_inline bool later_keep(
	struct stack_room *room, struct task_struct *task, const void *told, __u32 size)
{
	return false;
}

#endif

#endif
