/* request.h: the options of a recording, as `kiln record` has parsed them. */
#ifndef KILN_RECORDERS_REQUEST_H
#define KILN_RECORDERS_REQUEST_H

#include "base/bytes.h"
#include "base/memory.h"
#include "recorders/cgroups/search.h"
#include "recorders/target.h"

enum record_stacks {
	STACKS_TABLES,	       /* user stacks from a copy of the stack and unwind tables */
	STACKS_FRAME_POINTERS, /* user stacks as the kernel walks them */
};

enum record_way {
	WAY_BEST,
	WAY_PERF, /* samples come through the rings of perf_event_open */
	WAY_BPF,  /* a program in the kernel takes them */
};

#define FREQUENCY_MAX	  UINT64_MAX /* as the kernel allows */
#define STACK_BYTES_MAX	  65528u     /* the kernel's limit: what fits into a record */
#define STACK_BYTES_SMALL 16384u     /* where locked memory is short */

struct record_options {
	struct number_list pids, tids, cpus;
	struct cgroup_names groups;
	bool system_wide;
	char **command;		     /* NULL-terminated; NULL: none */
	uint64_t frequency;	     /* Hz, FREQUENCY_MAX, or 0: the default */
	uint64_t duration;	     /* ns; 0: until the target ends or a signal comes */
	const char *events;	     /* names between commas; NULL: CPU time */
	bool user_only, kernel_only; /* stacks without the other half */
	int stacks;		     /* enum record_stacks */
	int way;		     /* enum record_way, of samples */
	bool untimed;		     /* samples are counted, their times are not kept */
	bool no_page_in;      /* do not read in stack pages; stacks end where one is missing */
	uint64_t ring_bytes;  /* of each CPU's ring; 0: as large as it has to be */
	uint64_t stack_bytes; /* 0: the default */
	const char *tee;      /* save ring bytes here; NULL: no */
	uint64_t min_duration, max_duration; /* of a wait, ns; 0: the mode's own; no limit */
	VECTOR(struct bytes) wait_states;    /* wait_state_named, each; none: all */
	bool wakers;			     /* append the waker's stack to the stack of a wait */
	bool reads, writes;		     /* only such calls */
	bool latency;	       /* calls and requests weigh their time, not their bytes */
	bool files;	       /* stacks end with the name of the file */
	bool devices;	       /* ... of the device */
	unsigned lock_kinds;   /* bits by enum lock_kind; 0: all */
	const char *weight;    /* what a hit weighs; NULL: 1 */
	bool cheap;	       /* page faults, brk and mmap instead of malloc */
	bool yes;	       /* probes may be put into every process */
	uint64_t max_overhead; /* parts of BUDGET_WHOLE that the recorder may take; 0: any */
	bool by_cgroup;	       /* samples are labelled with their control group */
};

#endif
