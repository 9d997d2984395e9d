/* unwind_shared.h: unwind tables and mappings, as user space lays them out and programs search
 *them.
 *
 * A binary's table is an array of pages of 4 KB:
 *
 *	rules	struct unwind_rule each, 128 a page; where rule 0 would be, which stands for "none",
 *		is struct unwind_head
 *	index	struct unwind_part each, 512 a page: one for each 256 bytes of code
 *	rows	4 bytes each, 1024 a page, sorted; those of a part lie in one page
 *
 * A part says which rule holds where it begins and where the rows are that change it, most often a
 * dozen: an address costs one word of the index, one or two cache lines of rows and half a line of
 * rules. The rows are those of images/cfi_table.h.
 *
 * A walk that needs a table which is not there asks for it, and ends. Binaries that have none get
 * one that says so.
 *
 * An address space is a page of mappings or, where these do not fit, a page that says where each of
 * the further ones begins. Spaces are never changed: one that differs has another number. */
#ifndef KILN_BPF_UNWIND_SHARED_H
#define KILN_BPF_UNWIND_SHARED_H

#include <linux/types.h>

#define UNWIND_PAGE_BYTES   4096
#define UNWIND_PAGE_RULES   128
#define UNWIND_PAGE_PARTS   512
#define UNWIND_PAGE_ROWS    1024
#define UNWIND_PART_BITS    8	 /* of an address: code of one part */
#define UNWIND_TABLES_MOST  4096 /* binaries at a time */
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

/* Which tables are asked for, by number. */
enum unwind_want { UNWIND_UNASKED, UNWIND_WANTED, UNWIND_SEEN };
struct unwind_wants {
	__u8 tables[UNWIND_TABLES_MOST];
};

struct unwind_space_key {
	__u32 space, page;
};

/* Behind the last, starts are ~0. */
struct unwind_space {
	__u32 leaves; /* 0: `maps` are all there are; else pages 1 to `leaves` hold them */
	__u32 reserved[15];
	union {
		struct unwind_map maps[UNWIND_PAGE_MAPS];
		__u64 starts[UNWIND_PAGE_LEAVES]; /* of the first map of page 1, 2, ... */
	};
};

struct unwind_process {
	__u32 space;  /* 0: not told yet */
	__u32 copies; /* of stacks, while there is none */
	__u64 since;  /* CLOCK_MONOTONIC, ns: when it began to run another program; 0: never seen */
};

#define UNWIND_RECENT 256 /* a power of two */

/* A rule that was found lately; one line of memory. */
struct unwind_recent {
	__u64 address;
	__u32 space;
	__u32 reserved;
	struct unwind_rule rule;
	__u64 unused[2];
};

/* How the walk of a stack ended: enum unwind_end (images/unwind.h), and what only programs meet. */
enum user_stack_end {
	USER_STACK_COMPLETE = 0,
	USER_STACK_NO_TABLE = 3,
	USER_STACK_NO_MAPPING = 4,
	USER_STACK_BAD_RULE = 5,
	USER_STACK_BAD_FRAME = 6,
	USER_STACK_DEPTH = 7,
	USER_STACK_NO_REGISTERS = 8,
	USER_STACK_PAGE = 9,	 /* a page of it is not in memory */
	USER_STACK_NO_ROOM = 10, /* too little is known, and no copy of it fits the ring */
	USER_STACK_FOREIGN = 11, /* of 32-bit code; not walked */
	USER_STACK_ENDS
};

#define USER_FRAMES_MOST 1024 /* a power of two */

#define STACK_BLOCK 32 /* words: a power of two, and of a page */
#define NO_BLOCK    1  /* the address of none */

#define MEMO_FRAMES  64	   /* a power of two */
#define MEMO_WORDS   1023u /* of a stack, at most; also: none */
#define MEMO_BELOW   0x8000
#define FP_REGISTER  0xffff /* it is what the thread has there */
#define FP_ELSEWHERE 0xfffe /* saved somewhere */

/* It lies in a map: what is there is unknown to the verifier, while each value on a program's stack
 * that decides a branch multiplies the paths that it looks at. */
struct user_stack {
	/* ---- What was found ---- */
	__u32 count;
	__u32 end;     /* enum user_stack_end */
	__u32 space;   /* of the process; 0: not told */
	__u32 guesses; /* frames that only frame pointers tell of */

	/* ---- Where the walk is ---- */
	__u64 pc, sp, fp;
	__u64 start;		  /* the stack pointer of the first frame */
	__u64 absent;		  /* an address in the page that is not in memory */
	__u64 base_at;		  /* where the base pointer was saved, or BASE_* */
	struct unwind_map map;	  /* of the frame before */
	__u64 block_at;		  /* an address, or NO_BLOCK */
	__u64 block[STACK_BLOCK]; /* what is there: frames are close, and to read takes a call */
	__u8 exact;		  /* pc is one; else a return address */
	__u8 leaf;		  /* the frame whose registers are all known */
	__u8 fp_known;
	__u8 guessed; /* found by a frame pointer */
	__u8 turned;  /* ... and the next one does not point upwards */
	__u8 wants;   /* a table that is not there; it is being made, or will be */
	__u8 asks;    /* ... and nobody has before */
	__u8 reserved;

	/* What the walk depends on besides registers, tables and mappings: for each frame the place
	 * of its return address, in words from `start`, and MEMO_BELOW if what is below it (a saved
	 * frame pointer) matters, too. */
	__u16 at[MEMO_FRAMES];
	__u16 fp_from; /* the frame that saved the present frame pointer, or FP_... */
	__u8 fp_used;  /* the one in its register matters */
	__u8 unsure;   /* there is more that it depends on */

	/* What to look up, innermost first: the exact address of the leaf, of a signal's trampoline
	 * and of the frame that it interrupted, else the return address less one. */
	__u64 ip[USER_FRAMES_MOST];
};

#endif
