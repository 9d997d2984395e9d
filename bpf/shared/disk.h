/* disk.h: requests to block devices (bpf/disk.bpf.c). */
#ifndef KILN_BPF_SHARED_DISK_H
#define KILN_BPF_SHARED_DISK_H

#include "bpf/shared/events.h"

enum { EVENT_REQUEST = EVENT_OF_MODE, EVENT_REQUEST_STACK };

/* The kind of a request. */
enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_DISCARD, REQUEST_FLUSH, REQUEST_KINDS };

#define REQUESTS_MAX 65536u /* that have not ended: some 8 MB */

/* A request that has ended: it was created, issued to its device when it was its turn, and
 * completed. */
struct event_request {
	__u8 type, kind;
	__u16 cpu;	/* where it was created */
	__u32 chunk;	/* the stack that created it; 0: none */
	__u64 created;	/* CLOCK_MONOTONIC, ns */
	__u64 queued;	/* ns, until it was issued */
	__u64 served;	/* ns, from then to its end */
	__u32 bytes;	/* of data */
	__u32 device;	/* dev_t, as the kernel has it */
	__u32 pid, tid; /* of the thread that created it */
};

/* Not written to the ring: the deferred event that completes the stack of a request. */
struct event_request_stack {
	__u8 type, reserved[7];
	__u64 number; /* of the request in the map `pending` */
};

/* A request of which one of two has come: its end, or its deferred stack. */
struct request_pending {
	struct event_request event; /* zeroes: it has not ended */
	__u32 chunk;		    /* 0: no better stack is known */
	__u32 first_done;	    /* one of both has come */
};

/* Counters of each CPU. */
struct request_counts {
	__u64 requests;	 /* expected events: requests that ended, or that the map had no room for */
	__u64 ring_full; /* of them: lost */
	__u64 map_full;	 /* of them: lost */
	__u64 merged;	 /* requests that became part of others, and are no events */
	__u64 others;	 /* requests of kernel threads that are not recorded */
	__u64 no_memory; /* threads that could not be marked */
};

#endif
