/* mem.h: allocations of memory, and blocks that live (bpf/mem.bpf.c). */
#ifndef KILN_BPF_SHARED_MEM_H
#define KILN_BPF_SHARED_MEM_H

#include "bpf/shared/events.h"

enum { EVENT_ALLOC = EVENT_OF_MODE };

/* The arguments of an allocating function. */
enum alloc_kind {
	ALLOC_MALLOC,	    /* (size) */
	ALLOC_CALLOC,	    /* (count, size) */
	ALLOC_REALLOC,	    /* (block, size) */
	ALLOC_REALLOCARRAY, /* (block, count, size) */
	ALLOC_ALIGNED,	    /* (alignment, size) */
	ALLOC_POSIX,	    /* (where to put the address, alignment, size) */
	ALLOC_FREE,	    /* (block) */
	ALLOC_KINDS
};

#define BLOCKS_MAX (1u << 20) /* that live: some 110 MB */

struct block_key {
	__u64 address, start_time; /* of the process */
	__u32 pid, exec;
};

/* Why the stack of a block was lost. */
enum block_lost { BLOCK_WHOLE, BLOCK_RING_FULL, BLOCK_NO_SCRATCH };
struct block {
	__u64 size; /* the bytes that the caller wanted */
	__u64 time; /* CLOCK_MONOTONIC, ns */
	__u32 tid;
	__u32 chunk; /* its stack; 0: none */
	__u16 cpu;
	__u8 kind; /* enum alloc_kind */
	__u8 lost; /* enum block_lost */
	__u32 reserved;
};

struct event_alloc {
	__u8 type, reserved[3];
	__u32 pid;
	struct block block;
};

/* Counters of each CPU. */
struct alloc_counts {
	__u64 allocations;   /* expected events */
	__u64 ring_full;     /* of them: lost */
	__u64 no_scratch;    /* of them: too many programs at once on this CPU */
	__u64 map_full;	     /* of them: it is not known whether they were freed */
	__u64 frees;	     /* of blocks that were known */
	__u64 unknown_frees; /* of others: allocated before the recording */
	__u64 own_frees;     /* by the library itself, which caches some freed blocks */
	__u64 replaced;	     /* blocks whose address was given out again: their free was not seen */
	__u64 no_memory;     /* threads that could not be marked */
};

#endif
