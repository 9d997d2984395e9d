/* off_thread.h: what is kept of a thread whose time off the CPU, and perhaps on it, is recorded. */
#ifndef KILN_BPF_OFF_THREAD_H
#define KILN_BPF_OFF_THREAD_H

#include "bpf/later.h"
#include "bpf/targets.h"

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	__u64 since; /* it left the CPU, ns; 0: it runs */
	__u64 woken; /* ns; 0: not yet */
	__u64 ended; /* ns; 0: not yet, or it has been told */
	__u32 chunk; /* its stack; 0: not taken yet */
	__u16 cpu, in;
	__u32 waker_chunk, waker_pid, waker_tid;
	__u8 kind;
	bool off;    /* the CPU, whether that is recorded or not */
	bool bare;   /* it has no stack: it has never run */
	bool before; /* it has waited since before the recording, and nobody has looked at all of
			its stack */
	bool paged;  /* a page of its stack was absent */
	bool lost;   /* the ring had no room for its stack, or that of who woke it up */

	/* With `on_cpu`: */
	__u64 ran_since; /* from where on it ran, ns; 0: it does not, or not where it is recorded */
	__u64 ran;	 /* ns until then, not told yet */
	__u32 ran_chunk; /* its latest stack there */
	__u32 ticks;	 /* see bpf/ticks.h */
	bool met;	 /* by a timer, so that there is one */
	__u64 used;	 /* CPU time up to the last switch or sample, as the scheduler has it */

	struct stack_memo memo;
};

MODE_TABLES(struct thread, struct wait_counts)

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return (struct thread *)mark_wanted(task);
}

#endif
