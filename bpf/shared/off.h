/* off.h: times off the CPU and, with --mode wall, on it (bpf/off.bpf.c). */
#ifndef KILN_BPF_SHARED_OFF_H
#define KILN_BPF_SHARED_OFF_H

#include "bpf/shared/calls.h"
#include "bpf/shared/events.h"

enum { EVENT_WAIT = EVENT_OF_MODE, EVENT_RUN };

/* Why a thread is off the CPU. */
enum wait_kind {
	WAIT_SLEEPING,
	WAIT_DISK, /* not to be interrupted by signals */
	WAIT_STOPPED,
	WAIT_IDLE,  /* threads of the kernel that have nothing to do */
	WAIT_QUEUE, /* runnable again, waiting for a CPU */
	WAIT_PREEMPTED,
	WAIT_KINDS
};

/* A thread was off the CPU: first for the reason it left, then, woken up, waiting for a CPU. */
struct event_wait {
	__u8 type, kind;
	__u16 cpu;     /* that it left */
	__u32 chunk;   /* its stack; 0: none */
	__u64 start;   /* CLOCK_MONOTONIC, ns */
	__u64 blocked; /* ns, for `kind` */
	__u64 queued;  /* ns more until it ran */
	__u32 pid, tid;
	__u16 in; /* WAIT_IN_..., of kinds that are sleep */
	__u16 reserved;
	/* The waker, where it is recorded: what was running there, or was interrupted. */
	__u32 waker_chunk; /* 0: it was not seen */
	__u32 waker_pid, waker_tid;
};

_Static_assert(sizeof(struct event_wait) <= DEFERRED_WORDS * 8, "it can be deferred");

enum run_kind {
	RUN_SAMPLED,   /* by a timer, in this run or before */
	RUN_UNSAMPLED, /* its stack is unknown */
	RUN_OFF_CPU,   /* in truth off the CPU: the switch was not seen, nor the reason */
	RUN_KINDS
};

/* A thread was on the CPU. */
struct event_run {
	__u8 type, kind;
	__u16 cpu;
	__u32 chunk;	/* its stack; 0: none */
	__u64 end;	/* CLOCK_MONOTONIC, ns */
	__u64 duration; /* ns since the event before */
	__u32 pid, tid;
};

/* Counters of each CPU. A part is what `blocked`, `queued` or a run stand for. */
struct wait_counts {
	__u64 parts;		     /* expected */
	__u64 ring_full;	     /* of them: lost */
	__u64 unseen;		     /* of them: the other switch was not seen */
	__u64 no_memory;	     /* threads that left, and could not be marked */
	__u64 short_waits, short_ns; /* below the minimum duration */
	__u64 long_waits, long_ns;   /* beyond the maximum duration */
};

#endif
