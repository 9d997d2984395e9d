/* lock.h: waits for locks, of programs and of the kernel (bpf/lock.bpf.c). */
#ifndef KILN_BPF_SHARED_LOCK_H
#define KILN_BPF_SHARED_LOCK_H

#include "bpf/shared/calls.h"
#include "bpf/shared/events.h"

enum { EVENT_LOCK = EVENT_OF_MODE };

/* The kind of lock: a program's (futex), or one of the kernel's. */
enum lock_kind {
	LOCK_FUTEX,
	LOCK_SPIN,
	LOCK_RWLOCK_READ,
	LOCK_RWLOCK_WRITE,
	LOCK_MUTEX,
	LOCK_RWSEM_READ,
	LOCK_RWSEM_WRITE,
	LOCK_RT_MUTEX,
	LOCK_PERCPU_READ,
	LOCK_PERCPU_WRITE,
	LOCK_SEMAPHORE,
	LOCK_KINDS
};

/* Calls that can wait for a program's lock: futex(2) by its operation, the newer ones always. */
enum lock_call { LOCK_CALL_NONE, LOCK_CALL_FUTEX, LOCK_CALL_WAIT, LOCK_CALL_RESTART };

/* A thread waited for a lock. */
struct event_lock {
	__u8 type, kind;
	__u16 cpu;   /* where the wait began */
	__u32 chunk; /* its stack; 0: none */
	__u64 start; /* CLOCK_MONOTONIC, ns */
	__u64 duration;
	__u32 pid, tid;
};

/* Counters of each CPU. */
struct lock_counts {
	__u64 waits;	 /* expected events */
	__u64 ring_full; /* of them: lost */
	__u64 unseen;	 /* more waits, whose end the kernel did not report */
	__u64 nested;	 /* more waits, that began while a program of ours ran on the CPU */
	__u64 no_memory; /* more waits, of threads that could not be marked */
};

#endif
