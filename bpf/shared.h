/* shared.h: what programs in the kernel and the recorder tell each other.
 *
 * Included by both, so nothing but integers of fixed widths. Every record of a ring begins with a
 * byte that says what it is. */
#ifndef KILN_BPF_SHARED_H
#define KILN_BPF_SHARED_H

#include <linux/types.h>

#define BPF_CPUS_MOST  4096u
#define GROUPS_MOST    16
#define NUMBER_OUTSIDE (-1)  /* of what is not in the recorder's pid namespace */
#define NUMBERS_MOST   16384 /* threads and processes whose numbers are kept: some 1.5 MB */

/* The function whose tracepoint it is, in the kernel: what it calls are our own programs. */
struct origin {
	__u64 start, end;
};

/* What a recording is asked for; constants of its programs. */
struct asked {
	__u8 everything; /* every thread but the idle ones */
	__u8 by_cpu;	 /* only what happens on these `cpus` */
	__u8 until_exec; /* targets are recorded from their next exec on */
	__u8 user_frames, kernel_frames;
	__u8 user_tables;    /* user frames by unwind tables */
	__u8 groups;	     /* how many of `group`: whoever is in one when it happens */
	__u8 tell_groups;    /* in which group whoever is recorded is */
	__u8 legacy;	     /* groups are of the hierarchy of version 1 that has perf events */
	__u32 pid_namespace; /* the recorder's own; 0: the first one, whose numbers the kernel uses
			      */
	__u64 group[GROUPS_MOST]; /* ids of control groups: inodes of their folders */
	__u64 crowded;		  /* bytes in the ring that wake the recorder up */
	struct origin origin;
	__u64 cpus[BPF_CPUS_MOST / 64]; /* bits */
};

enum told {
	TOLD_SPACE = 1, /* struct told_space */
	TOLD_CHUNK,	/* struct told_chunk */
	TOLD_WAIT,	/* struct told_wait */
	TOLD_COPY,	/* struct told_copy */
	TOLD_CALL,	/* struct told_call */
	TOLD_FILE,	/* struct told_file, as long as its names are */
	TOLD_REQUEST,	/* struct told_request */
	TOLD_HIT,	/* struct told_hit */
	TOLD_RUN,	/* struct told_run */
	TOLD_LOCK,	/* struct told_lock */
	TOLD_SAMPLE,	/* struct told_sample */
	TOLD_ALLOC,	/* struct told_alloc */
	TOLD_GROUP,	/* struct told_group */
};

/* What a process runs from a time on: addresses of others mean something else. */
struct told_space {
	__u8 told, reserved[3];
	__u32 id;
	__u64 time; /* CLOCK_MONOTONIC, ns */
	__u32 pid, reserved2;
};

/* In which control group a thread is from now on. */
#define GROUP_THREADS_MOST 16384 /* that this need not be told of again: some 1.5 MB */
struct told_group {
	__u8 told, reserved[3];
	__u32 tid;
	__u64 time;
	__u64 id; /* the inode of its folder */
};

/* Some frames of a stack, outermost first, and what is outside of them: another chunk, or (root)
 * the address space, with how the walk ended. Of kernel frames, whatever is outside. */
#define CHUNK_FRAMES	15
#define CHUNK_KERNEL	(1ull << 63)
#define CHUNK_ROOT	(1ull << 62)
#define CHUNK_END_SHIFT 32   /* 8 bits from here: user_stack.end... */
#define CHUNK_END_EARLY 0xff /* ... or: the thread had left the CPU before it was recorded */
#define CHUNK_GUESSED	(1ull << 40) /* of a root: some frames only frame pointers tell of */
#define CHUNKS_MOST	131072 /* some 25 MB; the recorder empties the table before it is full */
struct chunk {
	__u64 parent;		/* lower half: number of a chunk; of a root: of a space, or 0 */
	__u64 ip[CHUNK_FRAMES]; /* that name the frames, see struct location; 0: no more */
};

struct told_chunk {
	__u8 told, reserved[3];
	__u32 id;
	__u64 time;
	struct chunk chunk;
};

/* A chunk that is the user half of a stack, not walked yet: of a program whose mappings were not
 * told to the kernel at that time, or not all. */
#define COPY_PAGE    4096ull
#define COPY_SMALL   4	  /* pages, from the one of the stack pointer on... */
#define COPY_LARGE   16	  /* ... of a larger stack, unless the ring is crowded */
#define COPIES_MOST  4096 /* of one program that a process runs */
#define COPIES_SHARE 2	  /* times asked.crowded: of the ring */
#define COPIED_WORDS 21	  /* of struct pt_regs of x86-64 */
struct told_copy {
	__u8 told, reserved[3];
	__u32 id; /* of the chunk */
	__u64 time;
	__u32 space;
	__u32 room, copied; /* bytes; copied up to the first page that was absent */
	__u32 reserved2;
	__u64 regs[COPIED_WORDS];
	char bytes[]; /* `room` */
};

/* What a call does with a file. */
enum call_kind { CALL_NONE, CALL_READ, CALL_WRITE, CALL_SYNC, CALL_KINDS };

#define CALL_NUMBERS 512 /* of the kernel's calls: those below are looked at */

struct told_call {
	__u8 told, kind;
	__u16 cpu;   /* where it returned */
	__u32 chunk; /* its stack; 0: none */
	__u64 since; /* CLOCK_MONOTONIC, ns */
	__u64 took;  /* ns */
	__u32 bytes; /* the kernel never moves more than 2 GB at once */
	__u32 file;  /* struct told_file; 0: not asked for */
	__u32 pid, tid;
};

/* Where a file is, when it was first seen: the names from its own outwards, each with a 0. */
#define FILE_DEPTH 64	/* names and mounts on the way */
#define FILE_BYTES 2048 /* a power of two */
#define FILES_MOST 65536
struct file_key {
	__u64 inode, directory, name; /* `name`: its hash and length */
	__u64 device;
};

struct told_file {
	__u8 told;
	__u8 whole; /* up to the root */
	__u16 len;  /* of `names` */
	__u32 id;
	__u64 time;
	char names[FILE_BYTES];
};

/* What was seen, on each CPU. */
struct call_counts {
	__u64 calls;	 /* that should be told */
	__u64 ring_full; /* of them */
	__u64 unknown;	 /* ... of threads that there was no memory for */
};

/* What a device is to do. */
enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_DISCARD, REQUEST_FLUSH, REQUEST_KINDS };

#define REQUESTS_MOST 65536u /* that have not ended: some 8 MB */

/* A request that has ended: it was made, and issued to its device when it was its turn. */
struct told_request {
	__u8 told, kind;
	__u16 cpu;	/* where it was made */
	__u32 chunk;	/* the stack that made it; 0: none */
	__u64 made;	/* CLOCK_MONOTONIC, ns */
	__u64 queued;	/* ns, until it was issued */
	__u64 took;	/* ns more */
	__u32 bytes;	/* of data */
	__u32 device;	/* dev_t, as the kernel has it */
	__u32 pid, tid; /* who made it */
};

/* One whose stack is still to come, or has come before its end: the other one is awaited. */
struct request_awaited {
	struct told_request told; /* zeroes: it has not ended */
	__u32 chunk;		  /* 0: no better one is known */
	__u32 met;		  /* one of both has come */
};

/* What was seen, on each CPU. */
struct request_counts {
	__u64 requests;	 /* that should be told: they have ended, or there was no room for them */
	__u64 ring_full; /* of them */
	__u64 map_full;	 /* of them */
	__u64 merged;	 /* ... into others, and none of their own any more */
	__u64 others;	 /* ... that threads of the kernel made which are not recorded */
	__u64 unknown;	 /* threads that there was no memory for */
};

#define HIT_EVENTS_MOST 32  /* of one recording */
#define HIT_VALUES_MOST 512 /* a power of two */

/* Where the number is that a hit weighs. */
enum hit_from {
	HIT_NOTHING,
	HIT_CONSTANT,
	HIT_CONTEXT, /* what a program is given */
	HIT_MEMORY,  /* where that leads to */
	HIT_GROWTH,  /* of the heap that ends there; it is no hit when there is none */
};
struct hit_value {
	__u8 from;
	__u8 size; /* bytes: 1, 2, 4, 8 */
	__u8 is_signed;
	__u8 reserved;
	__u32 offset; /* in what a program is given: a tracepoint's fields, struct pt_regs */
	__s64 add;    /* the constant; or what makes an address of a register */
};

/* Code of the kernel that is left out of stacks, and what calls that where several listen to a
 * tracepoint. */
struct hit_plumbing {
	__u64 start, size;
	__u64 caller, caller_size;
};

/* What a place is attached with: the event, and its number in the values above. */
#define HIT_COOKIE(event, value) ((__u64)(value) << 8 | (event))

/* An event came by. */
struct told_hit {
	__u8 told, event;
	__u16 cpu;
	__u32 chunk; /* its stack; 0: none */
	__u64 time;  /* CLOCK_MONOTONIC, ns */
	__s64 value; /* that it weighs */
	__u32 pid, tid;
};

/* What was seen, on each CPU, of each event. */
struct hit_counts {
	__u64 hits[HIT_EVENTS_MOST];	  /* that should be told */
	__u64 ring_full[HIT_EVENTS_MOST]; /* of them */
	__u64 unread[HIT_EVENTS_MOST];	  /* of them: the value is in memory that is not there */
	__u64 crowded[HIT_EVENTS_MOST];	  /* of them: too many programs at once on this CPU */
	__u64 unknown;			  /* children that there was no memory to mark */
};

/* What is waited for: a program's lock, or one of the kernel's. */
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

/* Calls that can wait for a program's lock: futex(2) by its operation, later ones always. */
enum lock_call { LOCK_CALL_NONE, LOCK_CALL_FUTEX, LOCK_CALL_WAIT, LOCK_CALL_RESTART };

/* A thread waited for a lock. */
struct told_lock {
	__u8 told, kind;
	__u16 cpu;   /* where it began to */
	__u32 chunk; /* its stack; 0: none */
	__u64 since; /* CLOCK_MONOTONIC, ns */
	__u64 took;  /* ns */
	__u32 pid, tid;
};

/* What was seen, on each CPU. */
struct lock_counts {
	__u64 waits;	 /* that should be told */
	__u64 ring_full; /* of them */
	__u64 unseen;	 /* ... of which the end was not told */
	__u64 nested;	 /* ... that began while a program of ours ran on the CPU */
	__u64 unknown;	 /* ... of threads that there was no memory for */
};

/* What a CPU was doing when a timer asked. */
#define SAMPLE_SWITCHING                                                                           \
	0xffffffffu /* nobody's: the events of a control group have begun early                    \
		     */
struct told_sample {
	__u8 told, reserved;
	__u16 cpu;
	__u32 chunk; /* its stack; 0: none; or SAMPLE_SWITCHING */
	__u64 time;  /* CLOCK_MONOTONIC, ns */
	__u32 pid, tid;
};

/* Where such samples are only counted: by whom and where. */
#define TALLIES_MOST 131072 /* the recorder may have less */
struct tally_key {
	__u32 epoch, pid, tid, chunk;
};

/* A half of the rows is for even epochs, the other one for odd ones. */
struct tally_row {
	struct tally_key who;
	__u64 count; /* 0: not used yet */
};

/* What was seen, on each CPU. */
struct sample_counts {
	__u64 ring_full, map_full; /* samples */
	__u64 passed_over;	   /* ticks that were to be no samples */
	__u64 unknown;		   /* threads that there was no memory to mark; timers know them */
};

/* Where an allocating function has its size, and what becomes of other blocks. */
enum alloc_kind {
	ALLOC_MALLOC,	    /* (size) */
	ALLOC_CALLOC,	    /* (count, size) */
	ALLOC_REALLOC,	    /* (block, size) */
	ALLOC_REALLOCARRAY, /* (block, count, size) */
	ALLOC_ALIGNED,	    /* (alignment, size) */
	ALLOC_POSIX,	    /* (where to put it, alignment, size) */
	ALLOC_FREE,	    /* (block) */
	ALLOC_KINDS
};

#define BLOCKS_MOST (1u << 20) /* that live: some 110 MB */

struct block_key {
	__u64 address, start_time; /* of the process */
	__u32 pid, exec;
};

enum block_lost { BLOCK_WHOLE, BLOCK_RING_FULL, BLOCK_NO_ROOM };
struct block {
	__u64 size; /* bytes asked for */
	__u64 time; /* CLOCK_MONOTONIC, ns */
	__u32 tid;
	__u32 chunk; /* its stack; 0: none */
	__u16 cpu;
	__u8 kind; /* enum alloc_kind */
	__u8 lost; /* enum block_lost: why there is no stack */
	__u32 reserved;
};

struct told_alloc {
	__u8 told, reserved[3];
	__u32 pid;
	struct block block;
};

/* What was seen, on each CPU. */
struct alloc_counts {
	__u64 allocations;   /* that should be told */
	__u64 ring_full;     /* of them */
	__u64 crowded;	     /* of them: too many programs at once on this CPU */
	__u64 map_full;	     /* of them: nobody knows whether they were freed */
	__u64 frees;	     /* of blocks that were known */
	__u64 unknown_frees; /* ... of others: from before */
	__u64 own_frees;     /* ... by the library itself, which keeps some freed ones */
	__u64 replaced;	     /* blocks whose address was given again: freed, but not seen so */
	__u64 unknown;	     /* threads that there was no memory for */
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

/* Where a thread waits that is asleep: */
#define WAIT_IN_FAULT 1	     /* of a page, or another exception; 0: nobody knows */
#define WAIT_IN_CALL  2	     /* of the kernel: and its number */
#define WAIT_PLACES   1024   /* a power of two */
#define WAIT_IN_IO    0x8000 /* ... for what the kernel counts as input and output (iowait) */

/* A thread was off the CPU: first for the reason it left, then, woken up, for a CPU. */
struct told_wait {
	__u8 told, kind;
	__u16 cpu;    /* that it left */
	__u32 chunk;  /* its stack; 0: none */
	__u64 since;  /* CLOCK_MONOTONIC, ns */
	__u64 kept;   /* ns, for `kind` */
	__u64 queued; /* ns more until it ran */
	__u32 pid, tid;
	__u16 in; /* WAIT_IN_..., of kinds that are sleep */
	__u16 reserved;
	/* Who woke it up, where that was asked for: what was running there, or interrupted. */
	__u32 waker_chunk; /* 0: it was not seen */
	__u32 waker_pid, waker_tid;
};

enum run_kind {
	RUN_MET,   /* by a timer, there or before */
	RUN_UNMET, /* nothing is known of its stack */
	RUN_AWAY,  /* off the CPU, in truth: nobody saw the thread leave, nor knows why */
	RUN_KINDS
};

/* A thread was on the CPU. */
struct told_run {
	__u8 told, kind;
	__u16 cpu;
	__u32 chunk; /* its stack; 0: none */
	__u64 time;  /* CLOCK_MONOTONIC, ns */
	__u64 ran;   /* ns since the one before */
	__u32 pid, tid;
};

_Static_assert(sizeof(struct told_sample) <= 24, "what a sample writes");

/* What waits for its stack: bpf/later.h. */
#define LATER_SLOTS 128 /* a power of two */
enum later_state { LATER_FREE, LATER_BEING_KEPT, LATER_KEPT, LATER_BEING_TOLD };
/* None: only the request's stack is told then, see bpf/disk.bpf.c. */
struct later_request {
	__u8 told, reserved[7]; /* 0 */
	__u64 number;
};
union later_told {
	struct told_sample sample;
	struct told_wait wait;
	struct told_run run;
	struct told_call call;
	struct told_hit hit;
	struct told_lock lock;
	struct later_request request;
};
struct later_slot {
	__u32 state;  /* from KEPT on, whoever exchanges it has what is told */
	__u32 teller; /* a thread that is just taking its stack and telling it */
	union later_told told;
};

/* What was seen, on each CPU. A part is what `kept`, `queued` or `ran` stand for. */
struct wait_counts {
	__u64 parts;		     /* that should be told */
	__u64 ring_full;	     /* of them */
	__u64 unseen;		     /* of them: the other switch did not come */
	__u64 unknown;		     /* ... which threads there was no memory for have left */
	__u64 short_waits, short_ns; /* below the least time asked for */
	__u64 long_waits, long_ns;   /* beyond the most */
};

#endif
