/* unwind.h: unwind tables and mappings, as the recorder writes them and programs search them.
 *
 * A binary's table is an array of pages of 4 KB:
 *
 *	rules	struct unwind_rule each, 128 per page. Rule 0 means "no rule"; in its place is
 *		struct unwind_head
 *	index	struct unwind_part each, 512 per page: one for each 256 bytes of code
 *	rows	4 bytes each, 1024 per page, sorted; those of a part lie in one page
 *
 * A part says which rule holds at its first address, and where the rows are that change the rule,
 * mostly a dozen. A search reads one word of the index, one or two cache lines of rows, and half a
 * line of rules. The rows are those of images/cfi_table.h, so that the recorder exports a table
 * without computing rules again (recorders/unwind/pages.c).
 *
 * A walk that needs a table that the recorder has not made yet requests it (struct unwind_requests)
 * and ends. A binary without unwind information gets a table that says so.
 *
 * A space is the set of mappings of a process: a page of mappings or, where these do not fit, a
 * page with the first address of each further page. Spaces are never changed, so that a walk always
 * sees a consistent one: when mappings change, the process gets a new space. */
#ifndef KILN_BPF_SHARED_UNWIND_H
#define KILN_BPF_SHARED_UNWIND_H

#include <linux/types.h>

#define UNWIND_PAGE_BYTES   4096
#define UNWIND_PAGE_RULES   128
#define UNWIND_PAGE_PARTS   512
#define UNWIND_PAGE_ROWS    1024
#define UNWIND_PART_BITS    8	 /* of an address: code of one part */
#define UNWIND_TABLES_MAX   4096 /* binaries at a time */
#define UNWIND_SPACE_PAGES  16384
#define UNWIND_PAGE_MAPS    124
#define UNWIND_PAGE_LEAVES  480
#define UNWIND_PROCESSES    65536
#define UNWIND_TABLE_NONE   0	   /* no file, or none that can be read: frame pointers */
#define UNWIND_TABLE_ABSENT 0xffff /* a file that there was no number for */

/* As struct cfi_table_rule. */
struct unwind_rule {
	__s32 cfa_offset, cfa_after, ra_offset, fp_offset, base_offset;
	__u8 cfa_how, cfa_base, ra_how, ra_base, fp_how, fp_base, base_how;
	__u8 signal;
	__u8 usual; /* return address at CFA - 8, frame pointer at CFA - 16, no signal */
	__u8 reserved[3];
};

struct unwind_head {
	__u64 start; /* the image's address where the first part begins */
	__u32 parts; /* 0: the binary has no tables, or there is no room for them */
	__u32 index; /* page where the index begins */
	__u64 reserved[2];
};

struct unwind_part {
	__u32 row;   /* the first of its rows, counted from the start of the table */
	__u16 count; /* of rows; at most 256 */
	__u16 rule;  /* before the first of them */
};

/* A row: the low 16 bits of an address in the upper half, its rule in the lower. */
union unwind_page {
	struct unwind_head head;
	struct unwind_rule rules[UNWIND_PAGE_RULES];
	struct unwind_part parts[UNWIND_PAGE_PARTS];
	__u32 rows[UNWIND_PAGE_ROWS];
};

struct unwind_map {
	__u64 start, end; /* addresses */
	__u64 base;	  /* what is added to the image's addresses */
	__u16 table;
	__u16 reserved[3];
};

/* Which tables walks have requested, by number. */
enum unwind_request_state { UNWIND_NOT_REQUESTED, UNWIND_REQUESTED, UNWIND_REQUEST_SEEN };
struct unwind_requests {
	__u8 tables[UNWIND_TABLES_MAX];
};

struct unwind_space_key {
	__u32 space, page;
};

/* Behind the last mapping, starts are ~0. */
struct unwind_space {
	__u32 leaves; /* 0: `maps` are all there are; else pages 1 to `leaves` hold them */
	__u32 reserved[15];
	union {
		struct unwind_map maps[UNWIND_PAGE_MAPS];
		__u64 starts[UNWIND_PAGE_LEAVES]; /* of the first map of page 1, 2, ... */
	};
};

struct unwind_process {
	__u32 space;  /* 0: its mappings are not known yet */
	__u32 copies; /* of stacks, while there is no space */
	__u64 since;  /* CLOCK_MONOTONIC, ns: of its last exec; 0: none was seen */
};

#define UNWIND_CACHE_RULES 256 /* a power of two */

/* A rule that was found lately; one cache line. */
struct unwind_cached_rule {
	__u64 address;
	__u32 space;
	__u32 reserved;
	struct unwind_rule rule;
	__u64 unused[2];
};

/* How the walk of a stack ended: as enum unwind_end (images/unwind.h), and ends that only programs
 * have. */
enum user_stack_end {
	USER_STACK_COMPLETE = 0,
	USER_STACK_NO_TABLE = 3,
	USER_STACK_NO_MAPPING = 4,
	USER_STACK_BAD_RULE = 5,
	USER_STACK_BAD_FRAME = 6,
	USER_STACK_DEPTH = 7,
	USER_STACK_NO_REGISTERS = 8,
	USER_STACK_PAGE = 9,	 /* a page of it is not in memory */
	USER_STACK_NO_ROOM = 10, /* too little is known, and the ring has no room for a copy */
	USER_STACK_FOREIGN = 11, /* of 32-bit code; not walked */
	USER_STACK_ENDS
};

#define USER_FRAMES_MAX 1024 /* a power of two */

#define STACK_BLOCK 32 /* words: a power of two, and of a page */
#define NO_BLOCK    1  /* no address of a block */

#define MEMO_FRAMES  64	   /* a power of two */
#define MEMO_WORDS   1023u /* of a stack, at most; also a mask, and "nowhere" */
#define MEMO_BELOW   0x8000
#define FP_REGISTER  0xffff /* the thread still has it in the register */
#define FP_ELSEWHERE 0xfffe /* saved in another place */

/* Scratch areas of each CPU, for stacks that are being taken. A timer or a tracepoint may interrupt
 * a program that is taking one: each kind of program has an area of its own, and programs that can
 * be preempted take any that is free. */
enum scratch_area {
	SCRATCH_CURRENT,  /* the stack of the current thread */
	SCRATCH_DEFERRED, /* ... that is returning to user space (bpf/deferred.h) */
	SCRATCH_OTHER,	  /* the stack of another thread, which is off the CPU */
	SCRATCH_RETURN,	  /* the stack of a thread whose wait has just ended */
	SCRATCH_MAX = 6
};

/* A walk. It is in a map and not on the program's stack: the verifier knows nothing of what is in
 * maps, while each known value that decides a branch would multiply the paths that it follows. */
struct user_stack {
	/* ---- The result ---- */
	__u32 count;
	__u32 end;     /* enum user_stack_end */
	__u32 space;   /* the mappings of the process; 0: not known */
	__u32 guesses; /* frames that only frame pointers found */

	/* ---- The present frame ---- */
	__u64 pc, sp, fp;
	__u64 start;		  /* the stack pointer of the first frame */
	__u64 absent;		  /* an address in the page that is not in memory */
	__u64 base_at;		  /* where the base pointer was saved, or BASE_* */
	struct unwind_map map;	  /* of the last frame */
	__u64 block_at;		  /* an address, or NO_BLOCK */
	__u64 block[STACK_BLOCK]; /* the words there */
	__u8 exact;		  /* pc is the address of an instruction, not a return address */
	__u8 leaf;		  /* the innermost frame: all registers are known */
	__u8 fp_known;
	__u8 guessed;	    /* found by a frame pointer */
	__u8 fp_not_rising; /* ... and the saved frame pointer is not above it */
	__u8 needs_table;   /* the table that the walk needs is not made yet */
	__u8 new_request;   /* ... and this walk is the first to request it */
	__u8 reserved;

	/* For bpf/memo.h, the words of the stack that the walk depends on: for each frame the place
	 * of its return address, in words from `start`, and MEMO_BELOW if the word below it (a
	 * saved frame pointer) matters, too. */
	__u16 at[MEMO_FRAMES];
	__u16 fp_from; /* the frame that saved the present frame pointer, or FP_... */
	__u8 fp_used;  /* the one in the register matters */
	__u8 unsure;   /* the walk depends on other things, too */

	/* The addresses to look up, innermost first: of the leaf, of a signal's trampoline and of
	 * the frame that a signal interrupted the exact address, else the return address less one.
	 */
	__u64 ip[USER_FRAMES_MAX];
};

#endif
