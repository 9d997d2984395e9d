/* off_thread.h: what is kept of a thread whose time off the CPU (with --mode wall, on it as well)
 * is recorded. */
#ifndef KILN_BPF_OFF_THREAD_H
#define KILN_BPF_OFF_THREAD_H

#include "bpf/memo.h"
#include "bpf/mode.h"
#include "bpf/shared/off.h"

/* A thread that is recorded. */
struct thread {
	struct mark mark;
	/* The wait: */
	__u64 wait_start; /* when it left the CPU, ns; 0: it runs */
	__u64 woken;	  /* ns; 0: not yet */
	__u64 wait_end;	  /* ns; 0: not yet, or the wait has been emitted */
	__u32 chunk;	  /* its stack; 0: not taken yet */
	__u16 cpu, in;
	__u32 waker_chunk, waker_pid, waker_tid;
	__u8 kind;
	bool off_cpu;	   /* whether the wait is recorded or not */
	bool no_stack;	   /* it has never run */
	bool earlier_wait; /* it began before the recording, and not all of its stack is known */
	bool page_absent;  /* a page of its stack was not in memory */
	bool lost;	   /* the ring had no room for its stack, or that of its waker */

	/* With `on_cpu`, the run: */
	__u64 run_start; /* ns; 0: it does not run, or not where it is recorded */
	__u64 ran;	 /* ns until then that are not emitted yet */
	__u32 run_chunk; /* its latest stack on the CPU */
	__u32 ticks;	 /* see bpf/ticks.h */
	bool sampled;	 /* by a timer, so that there is a stack */
	__u64 cpu_time;	 /* by the scheduler's account, at the last switch or sample, ns */

	struct stack_memo memo;
};

MODE_MAPS(struct thread, struct wait_counts)

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return (struct thread *)thread_mark(task);
}

#endif
