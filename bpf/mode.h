/* mode.h: what the programs of every mode of recording have in common.
 *
 * A mode's programs (bpf/MODE.bpf.c) are attached to tracepoints, timers or places in code. When
 * one of them runs, it does what they all do:
 *
 *	1. Is the current thread recorded?	targets.h: thread_mark, is_recorded
 *	2. What is its stack?			stacks.h: stack_take_in, into a scratch area
 *	3. What happened, and for how long?	the mode's own event, bpf/shared/MODE.h
 *	4. Write the event to the ring.		ring.h: ring_emit
 *	5. Was there no room? Count it.		counters()
 *
 * An event refers to its stack by a number. The parts of the stack that are new were written to the
 * ring before (stacks.h), so that an event has a few dozen bytes. User frames are found by unwind
 * tables that the recorder has put into maps (unwind.h); what cannot be walked in the kernel is
 * copied, and walked by the recorder (copies.h). If a page of the stack is not in memory, the event
 * may be deferred until the thread can wait for that page (deferred.h, pages.h).
 *
 * The recorder (src/recorders/programs/source.h) takes events from the ring in the order of their
 * times, together with what happened to processes, which comes through perf rings: it then knows
 * what each address meant at that time. The constant `config` (bpf/shared/config.h) says what is
 * recorded.
 *
 * Nothing is lost in silence: each event that should be emitted is counted as expected, and each
 * that is not is counted by its reason, so that expected = delivered + lost.
 *
 * Programs are verified by kernels from Linux 6.1 on. The verifier follows each path through a
 * program, up to a million instructions: code that many programs share is global (__noinline), and
 * verified once; searches have masks instead of branches (mask_below). */
#ifndef KILN_BPF_MODE_H
#define KILN_BPF_MODE_H

#include "bpf/stacks.h"
#include "bpf/targets.h"

/* The maps of a mode, and what targets.h needs of them. `thread_type` is what the mode keeps of
 * each thread, and begins with a struct mark; there are as many as there are threads. `counts_type`
 * are counters of each CPU, with a member `no_memory`; counters() are those of this CPU. */
#define MODE_MAPS(thread_type, counts_type)                                                        \
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
	static __always_inline counts_type *counters(void)                                         \
	{                                                                                          \
		__u32 first = 0;                                                                   \
		return bpf_map_lookup_elem(&counts, &first);                                       \
	}                                                                                          \
	static __always_inline struct mark *mark_of(struct task_struct *task, __u64 flags)         \
	{                                                                                          \
		return bpf_task_storage_get(&threads, task, NULL, flags);                          \
	}                                                                                          \
	static __always_inline void count_no_memory(void)                                          \
	{                                                                                          \
		counts_type *c = counters();                                                       \
		if (c)                                                                             \
			count(&c->no_memory, 1);                                                   \
	}

#endif
