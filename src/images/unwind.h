/* unwind.h: from the registers of a thread and a copy of its stack to its return addresses.
 *
 * perf copies the registers of a thread and some KB of its stack into each sample
 * (PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER). A walk starts with the pc: its mapping leads
 * to the binary, the binary's call frame information to the rule for that address (cfi.h), and
 * the rule gives the caller's stack pointer, frame pointer and pc, read from the copy. This
 * repeats until a rule says that there is no caller, the pc is 0 or the copy ends. Code without
 * rules (JIT, assembly) is passed by its frame pointer if that is plausible. */
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
	const void *owner;   /* for the caller; returned with each frame */
};

/* Find the executable mapping of run-time address `pc`; false: none. Called at most once for
 * consecutive frames in the same mapping. */
typedef bool (*unwind_lookup)(void *context, uint64_t pc, struct unwind_code *ret_code);

/* How a stack ended. Only UNWIND_COMPLETE is a whole stack. */
enum unwind_end {
	UNWIND_COMPLETE,   /* the outermost frame: the rule says so, or the return address is 0 */
	UNWIND_STACK_COPY, /* the stack goes on behind the copy, which has the requested size */
	UNWIND_STACK_MISSING, /* the same, but the copy is shorter: another stack, or a page that
				 was absent */
	UNWIND_NO_TABLE,      /* code without a rule, and no plausible frame pointer */
	UNWIND_NO_MAPPING,    /* a return address outside of any code */
	UNWIND_BAD_RULE,      /* an expression fails, or a register is needed that is unknown */
	UNWIND_BAD_FRAME,     /* implausible: the stack would not go on upwards */
	UNWIND_DEPTH,	      /* more than UNWIND_FRAMES_LIMIT or than the caller's room */
	UNWIND_NO_REGISTERS,  /* the sample has none (a kernel thread, an exiting one) */
	UNWIND_PAGE,	/* a page of the stack is not in memory, and the walker must not wait */
	UNWIND_NO_ROOM, /* the walker knows too little of the process, and had no room for a copy */
	UNWIND_ENDS
};
/* The reason in "[truncated:...]", or "" for a whole stack. */
const char *unwind_end_name(enum unwind_end end);

/* A frame, leaf first. `address` is what to look up: the exact pc for the leaf, for a signal
 * trampoline and for the frame that it interrupted, otherwise the return address minus one,
 * which is inside the call. */
struct unwind_frame {
	uint64_t address;
	const void *owner; /* of the mapping, see struct unwind_code; NULL: no mapping */
	bool exact;	   /* `address` is a pc; otherwise a return address minus one */
	bool guessed;	   /* found through a frame pointer, not a rule */
};

struct unwind_input {
	const struct arch *arch;
	const struct registers *registers; /* of the thread in user space, with its pc */
	struct stack_copy stack;	   /* from its stack pointer on */
	bool stack_filled; /* the copy has the requested size, so the stack may go on behind it */
	unwind_lookup lookup;
	void *context;
};

/* Walk the stack. `ret_frames` has room for `room` frames, `*ret_count` are set (at least the
 * leaf, unless there are no registers or no room). Does not allocate. */
enum unwind_end unwind_stack(const struct unwind_input *input, struct unwind_frame *ret_frames,
	size_t room, size_t *ret_count);

#endif
