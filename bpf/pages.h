/* pages.h: pages of a thread's stack that are not in memory, fetched by who may wait for them.
 *
 * That is the thread itself, in a program that may sleep: one on a place in its code, or its last
 * work on the way back to user space (bpf/later.h). */
#ifndef KILN_BPF_PAGES_H
#define KILN_BPF_PAGES_H

#include "bpf/stacks.h"

#define PAGES_AT_ONCE 64 /* from the one that was missed upwards */

const volatile bool wait_for_pages;

/* Was a page absent that can be waited for? */
static __always_inline bool page_due(const struct stack_room *room)
{
	return wait_for_pages && room->walked && room->user.end == USER_STACK_PAGE;
}

#ifdef __TARGET_ARCH_x86

extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;

/* Pages of one mapping, which is of memory and not of a device. */
struct pages {
	__u64 start, end;
};

static long find_end(struct task_struct *task, struct vm_area_struct *area, void *context)
{
	struct pages *pages = context;

	pages->end = area->vm_flags & AREA_OF_DEVICE ? 0 : area->vm_end;
	return 0;
}

static long fetch_page(__u32 i, void *context)
{
	const struct pages *pages = context;
	__u64 at = pages->start + i * 4096ull, word;

	return at >= pages->end || bpf_copy_from_user(&word, sizeof(word), (const void *)at);
}

static __always_inline void pages_fetch(struct task_struct *task, __u64 absent)
{
	struct pages pages = {.start = absent & -8ull};

	bpf_find_vma(task, absent, find_end, &pages, 0);
	bpf_loop(PAGES_AT_ONCE, fetch_page, &pages, 0);
}

/* Unwind tables may be replaced, so that a walk has to hold them, which programs that may not sleep
 * do all the time. */
static __always_inline void tables_hold(void)
{
	if (wait_for_pages)
		bpf_rcu_read_lock();
}

static __always_inline void tables_let_go(void)
{
	if (wait_for_pages)
		bpf_rcu_read_unlock();
}

#else

static __always_inline void pages_fetch(struct task_struct *task, __u64 absent)
{
}

static __always_inline void tables_hold(void)
{
}

static __always_inline void tables_let_go(void)
{
}

#endif

/* The user stack of the current thread, in a program that may sleep if `wait_for_pages`. */
static __always_inline void take_held(struct stack_room *room, void *ctx, struct task_struct *task)
{
	tables_hold();
	stack_take_in(room, ctx, task, false);
	tables_let_go();
}

/* The same with all pages there, into a room of its own, which is to be left. Nobody has a room
 * while it waits. NULL: there is none. */
static __always_inline struct stack_room *stack_enter_whole(void *ctx, struct task_struct *task)
{
	struct stack_room *room = stack_room_enter();
	__u64 absent;

	if (!room)
		return NULL;
	take_held(room, ctx, task);
	if (!page_due(room))
		return room;
	absent = room->user.absent;
	stack_room_leave(room);
	pages_fetch(task, absent);
	room = stack_room_enter();
	if (room)
		take_held(room, ctx, task);
	return room;
}

#endif
