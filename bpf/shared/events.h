/* events.h: the events that programs of every mode write to their ring.
 *
 * Each event begins with a byte that says what it is. The types here are those of stacks and of
 * processes, and one for modes that need nothing of their own; a mode defines its own types in
 * bpf/shared/MODE.h, from EVENT_OF_MODE on. Times are CLOCK_MONOTONIC, in ns. */
#ifndef KILN_BPF_SHARED_EVENTS_H
#define KILN_BPF_SHARED_EVENTS_H

#include <linux/types.h>

enum event_type {
	EVENT_SPACE = 1, /* struct event_space */
	EVENT_CHUNK,	 /* struct event_chunk */
	EVENT_COPY,	 /* struct event_copy */
	EVENT_GROUP,	 /* struct event_group */
	EVENT_HIT,	 /* struct event_hit */
	EVENT_OF_MODE,	 /* the first type that is a mode's own */
};

/* What a process runs from a time on: the same address means something else in another space. */
struct event_space {
	__u8 type, reserved[3];
	__u32 id;
	__u64 time;
	__u32 pid, reserved2;
};

/* The control group that a thread is in from now on. */
#define GROUP_THREADS_MAX 16384 /* threads whose group is cached, to emit it once: some 1.5 MB */
struct event_group {
	__u8 type, reserved[3];
	__u32 tid;
	__u64 time;
	__u64 id; /* the inode of its folder */
};

/* ---- Stacks ---- */

/* Some frames of a stack, outermost first, and what is outside of them: another chunk, or (root)
 * the address space, with how the walk ended. Outside of kernel frames is anything. */
#define CHUNK_FRAMES	15
#define CHUNK_KERNEL	(1ull << 63)
#define CHUNK_ROOT	(1ull << 62)
#define CHUNK_END_SHIFT 32   /* 8 bits from here: user_stack.end... */
#define CHUNK_END_EARLY 0xff /* ... or: the thread had left the CPU before it was recorded */
#define CHUNK_GUESSED	(1ull << 40) /* of a root: frames that only frame pointers found */
#define CHUNKS_MAX	131072 /* some 25 MB; the recorder empties the table before it is full */
struct chunk {
	__u64 parent;		/* lower half: number of a chunk; of a root: of a space, or 0 */
	__u64 ip[CHUNK_FRAMES]; /* that name the frames, see struct location; 0: no more */
};

struct event_chunk {
	__u8 type, reserved[3];
	__u32 id;
	__u64 time;
	struct chunk chunk;
};

/* A chunk that is a whole user stack, for the recorder to walk: the mappings of the program, or a
 * table, were not known to the kernel at that time. */
#define COPY_PAGE    4096ull
#define COPY_SMALL   4	  /* pages, from the one of the stack pointer on... */
#define COPY_LARGE   16	  /* ... of a larger stack, unless the ring is nearly full */
#define COPIES_MAX   4096 /* of one program that a process runs */
#define COPIES_SHARE 2	  /* copies may fill this many times wakeup_bytes of the ring */
#define COPIED_WORDS 21	  /* of struct pt_regs of x86-64 */
struct event_copy {
	__u8 type, reserved[3];
	__u32 id; /* of the chunk */
	__u64 time;
	__u32 space;
	__u32 size, copied; /* bytes; copied up to the first page that was absent */
	__u32 reserved2;
	__u64 regs[COPIED_WORDS];
	char bytes[]; /* `size` */
};

/* ---- Something happened, with a stack and a value ---- */

struct event_hit {
	__u8 type, number; /* which event of the recording it is */
	__u16 cpu;
	__u32 chunk; /* its stack; 0: none */
	__u64 time;
	__s64 value; /* its weight */
	__u32 pid, tid;
};

/* Counters of each CPU that are enough for a mode with one kind of event. */
struct mode_counts {
	__u64 expected;	 /* events that should be emitted */
	__u64 ring_full; /* of them: lost */
	__u64 no_memory; /* more of them, of threads that could not be marked */
};

/* ---- Deferred events: bpf/deferred.h ---- */

#define DEFERRED_MAX   128 /* a power of two */
#define DEFERRED_WORDS 7   /* of the largest event that is deferred */
enum deferred_state { DEFERRED_FREE, DEFERRED_FILLING, DEFERRED_READY, DEFERRED_EMITTING };

struct deferred_event {
	__u32 state; /* the program that replaces DEFERRED_READY by another state owns the event */
	__u32 returning; /* the thread that is now taking the stack and emitting the event */
	__u64 words[DEFERRED_WORDS]; /* the event; its first byte is its type */
};

#endif
