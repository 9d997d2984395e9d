/* count.h: hits of tracepoints, functions and static probes (bpf/count.bpf.c). */
#ifndef KILN_BPF_SHARED_COUNT_H
#define KILN_BPF_SHARED_COUNT_H

#include "bpf/shared/events.h"

#define HIT_EVENTS_MAX 32  /* of one recording */
#define HIT_VALUES_MAX 512 /* a power of two */

/* Where the value of a hit is. */
enum hit_source {
	HIT_NOTHING,
	HIT_CONSTANT,
	HIT_CONTEXT, /* in the context of the program: a tracepoint's fields, or registers */
	HIT_MEMORY,  /* in memory, at an address in the context */
	HIT_GROWTH,  /* the heap ends there: by how much it grows; no hit when it does not */
};
struct hit_value {
	__u8 source;
	__u8 size; /* bytes: 1, 2, 4, 8 */
	__u8 is_signed;
	__u8 reserved;
	__u32 offset; /* in the context: a tracepoint's fields, struct pt_regs */
	__s64 add;    /* the constant; or the offset from the address in a register */
};

/* The kernel's function that calls the program of an event, and the caller of that function where
 * several listen to one tracepoint: both are left out of stacks. */
struct hit_code {
	__u64 start, size;
	__u64 caller, caller_size;
};

/* The cookie that a program is attached with: the event, and its index in the values. */
#define HIT_COOKIE(event, value) ((__u64)(value) << 8 | (event))

/* Counters of each CPU, by event. */
struct hit_counts {
	__u64 hits[HIT_EVENTS_MAX];	  /* expected events */
	__u64 ring_full[HIT_EVENTS_MAX];  /* of them: lost */
	__u64 unread[HIT_EVENTS_MAX];	  /* of them: the value is in a page that is absent */
	__u64 no_scratch[HIT_EVENTS_MAX]; /* of them: too many programs at once on this CPU */
	__u64 no_memory;		  /* children that could not be marked */
};

#endif
