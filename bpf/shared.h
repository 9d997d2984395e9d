/* shared.h: what programs in the kernel and the recorder tell each other.
 *
 * Included by both, so nothing but integers of fixed widths. Every record of a ring begins with a
 * byte that says what it is. */
#ifndef KILN_BPF_SHARED_H
#define KILN_BPF_SHARED_H

#include <linux/types.h>

#define BPF_CPUS_MOST 4096u

enum told {
	TOLD_WAIT = 1, /* struct told_wait */
};

/* Why a thread is off the CPU. */
enum wait_kind {
	WAIT_SLEEPING,
	WAIT_DISK, /* not to be interrupted by signals */
	WAIT_STOPPED,
	WAIT_IDLE,  /* threads of the kernel that have nothing to do */
	WAIT_QUEUE, /* runnable again, for a CPU */
	WAIT_PREEMPTED,
	WAIT_KINDS
};

/* A thread was off the CPU: first for the reason it left, then, woken up, for a CPU. */
struct told_wait {
	__u8 told, kind;
	__u16 cpu; /* that it left */
	__u32 reserved;
	__u64 since;  /* CLOCK_MONOTONIC, ns */
	__u64 kept;   /* ns, for `kind` */
	__u64 queued; /* ns more until it ran */
	__u32 pid, tid;
};

/* What was seen, on each CPU. A part is what `kept` or `queued` stand for. */
struct wait_counts {
	__u64 parts;		     /* that should be told */
	__u64 ring_full;	     /* of them */
	__u64 unknown;		     /* ... which threads there was no memory for have left */
	__u64 short_waits, short_ns; /* below the least time asked for */
	__u64 long_waits, long_ns;   /* beyond the most */
};

#endif
