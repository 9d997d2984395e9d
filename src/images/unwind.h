/* unwind.h: from the registers of a thread and a copy of its stack to its return addresses. */
#ifndef KILN_IMAGES_UNWIND_H
#define KILN_IMAGES_UNWIND_H

#include "images/cfi.h"
#include "images/expression.h"

#define UNWIND_FRAMES_LIMIT 10000 /* frames of one stack */

/* What is mapped at an address. */
struct unwind_code {
	uint64_t start, end; /* run-time addresses, [start, end) */
	uint64_t bias;	     /* run-time address minus the image's (p_vaddr) */
	struct cfi *cfi;     /* NULL: no tables (JIT, an unreadable file) */
	const void *owner;   /* the caller's; handed back with each frame */
};

/* Find the executable mapping of run-time address `pc`; false: there is none. Asked at most once
 * for a mapping that follows itself in one stack. */
typedef bool (*unwind_lookup)(void *context, uint64_t pc, struct unwind_code *ret_code);

/* How a stack ended. Only the first is whole. */
enum unwind_end {
	UNWIND_COMPLETE,      /* the outermost frame says so: no return address, or address 0 */
	UNWIND_STACK_COPY,    /* the stack goes on behind the copy, which is as long as was asked */
	UNWIND_STACK_MISSING, /* ... which ended early: another stack, or a page that was absent */
	UNWIND_NO_TABLE,      /* code without a rule, and no frame pointer that makes sense */
	UNWIND_NO_MAPPING,    /* a return address that leads to no code */
	UNWIND_BAD_RULE,      /* an expression fails, or a register is needed that is lost */
	UNWIND_BAD_FRAME,     /* a rule that leads to nowhere: the stack does not go on upwards */
	UNWIND_DEPTH,	      /* more than UNWIND_FRAMES_LIMIT or than the caller has room for */
	UNWIND_NO_REGISTERS,  /* the sample has none (a kernel thread, an exiting one) */
	UNWIND_PAGE,	/* a page of the stack is not in memory, and whoever walks cannot wait */
	UNWIND_NO_ROOM, /* ... knows too little of the process, and had no room for a copy */
	UNWIND_ENDS
};
/* What stands in "[truncated:...]", or "" for a whole stack. */
const char *unwind_end_name(enum unwind_end end);

/* A frame, leaf first. `address` is what to look up: the exact pc of the leaf, of a signal's
 * trampoline and of the frame that it interrupted, else the return address less one, which is
 * inside of the call. */
struct unwind_frame {
	uint64_t address;
	const void *owner; /* of the mapping, see struct unwind_code; NULL: no mapping */
	bool exact;	   /* `address` is a pc; else a return address less one */
	bool guessed;	   /* found by a frame pointer, not by a rule */
};

struct unwind_input {
	const struct arch *arch;
	const struct registers *registers; /* of the thread in user space, its pc included */
	struct stack_copy stack;	   /* from its stack pointer on */
	bool stack_filled; /* the copy is as long as was asked for, so the stack may go on behind it
			    */
	unwind_lookup lookup;
	void *context;
};

/* Walk the stack; `ret_frames` has room for `room` frames, `*ret_count` are set (at least the leaf,
 * unless there are no registers or no room). Allocates nothing. */
enum unwind_end unwind_stack(const struct unwind_input *input, struct unwind_frame *ret_frames,
	size_t room, size_t *ret_count);

#endif
