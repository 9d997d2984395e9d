/* pages.h: paging in: pages of a thread's stack that are not in memory, read by a program that may
 * wait for them.
 *
 * Such a program runs as the thread itself, and may sleep: one on a place in the thread's code, or
 * the work that a thread does last before it returns to user space (bpf/deferred.h). A walk that
 * met an absent page is repeated after that page and those above it, towards the older frames,
 * have been read. */
#ifndef KILN_BPF_PAGES_H
#define KILN_BPF_PAGES_H

#include "bpf/stacks.h"

#define PAGES_AT_ONCE 64 /* from the one that was absent upwards */

const volatile bool wait_for_pages;

/* Did the walk end at an absent page that can be waited for? */
static __always_inline bool needs_page(const struct stack_scratch *scratch)
{
	return wait_for_pages && scratch->walked && scratch->user.end == USER_STACK_PAGE;
}

#ifdef __TARGET_ARCH_x86

extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;

/* Pages of one mapping. */
struct pages {
	__u64 start, end;
};

/* Reading a device's memory may change the device: none of its pages are read. */
static long find_end(struct task_struct *task, struct vm_area_struct *area, void *context)
{
	struct pages *pages = context;

	pages->end = area->vm_flags & AREA_OF_DEVICE ? 0 : area->vm_end;
	return 0;
}

static long read_page(__u32 i, void *context)
{
	const struct pages *pages = context;
	__u64 at = pages->start + i * 4096ull, word;

	return at >= pages->end || bpf_copy_from_user(&word, sizeof(word), (const void *)at);
}

static __always_inline void pages_read(struct task_struct *task, __u64 absent)
{
	struct pages pages = {.start = absent & -8ull};

	bpf_find_vma(task, absent, find_end, &pages, 0);
	bpf_loop(PAGES_AT_ONCE, read_page, &pages, 0);
}

/* The recorder may replace unwind tables at any time: a walk holds them with an RCU read lock,
 * which programs that may not sleep have all the time. */
static __always_inline void tables_lock(void)
{
	if (wait_for_pages)
		bpf_rcu_read_lock();
}

static __always_inline void tables_unlock(void)
{
	if (wait_for_pages)
		bpf_rcu_read_unlock();
}

#else

static __always_inline void pages_read(struct task_struct *task, __u64 absent)
{
}

static __always_inline void tables_lock(void)
{
}

static __always_inline void tables_unlock(void)
{
}

#endif

/* The stack of the current thread, in a program that may sleep if `wait_for_pages`. */
static __always_inline void stack_take_locked(
	struct stack_scratch *scratch, void *ctx, struct task_struct *task)
{
	tables_lock();
	stack_take_in(scratch, ctx, task, false);
	tables_unlock();
}

/* The same with all pages read, into a scratch area that the caller has to release. None is held
 * while the program waits for pages. NULL: none is free. */
static __always_inline struct stack_scratch *stack_take_paged(void *ctx, struct task_struct *task)
{
	struct stack_scratch *scratch = stack_scratch_acquire();
	__u64 absent;

	if (!scratch)
		return NULL;
	stack_take_locked(scratch, ctx, task);
	if (!needs_page(scratch))
		return scratch;
	absent = scratch->user.absent;
	stack_scratch_release(scratch);
	pages_read(task, absent);
	scratch = stack_scratch_acquire();
	if (scratch)
		stack_take_locked(scratch, ctx, task);
	return scratch;
}

#endif
