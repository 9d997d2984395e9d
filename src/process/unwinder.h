/* unwinder.h: which addresses led to a sample, by its registers and the copy of its stack? */
#ifndef KILN_PROCESS_UNWINDER_H
#define KILN_PROCESS_UNWINDER_H

#include "images/unwind.h"
#include "process/address_space.h"
#include "process/perf_record.h"

/* Where the code of a process is. */
struct code_view {
	void *self;
	/* What is mapped at an address, valid until the next call; NULL: nothing. */
	const struct mapped *(*find)(void *self, uint64_t address);
	/* The image of a binary, NULL: there is none. False when nobody has asked for it yet and it
	 * cannot be done here: the walk is given up. */
	bool (*image)(void *self, uint32_t binary, const struct image **ret_image);
};

/* A user stack. Nothing but `asked` is set when that is. */
struct user_frames {
	const uint64_t *addresses; /* what to look up, outermost first */
	size_t count;
	enum unwind_end end;
	bool foreign;	/* of 32-bit code: not walked */
	bool guessed;	/* a frame pointer led through code without tables */
	uint32_t asked; /* the binary whose image has to be asked for first, or 0 */
};

/* For one thread; several may work at once on one address space that does not change. */
struct unwinder {
	const struct arch *arch;
	VECTOR(struct cfi *) tables; /* by row of the binaries */
	struct unwind_frame *frames; /* room for UNWIND_FRAMES_LIMIT */
	uint64_t *addresses;
};

void unwinder_init(struct unwinder *u, const struct arch *arch);
void unwinder_release(struct unwinder *u);

/* Has a sample what it takes to walk its stack? */
bool unwinder_can(const struct arch *arch, const struct perf_sample *sample);

/* A sample that is soon to be walked: its registers and the part of its stack copy where most
 * frames lie are fetched into the cache. A walk waits for memory otherwise, frame by frame, as each
 * tells where the next one lies. */
void unwinder_expect(const struct perf_record *record);

/* Registers of a thread in user space and a copy of its stack. */
struct unwinder_copy {
	struct registers registers;
	struct stack_copy stack;
	bool filled;	   /* the copy is as long as was asked for */
	bool in_user_code; /* that is where the thread was seen */
};
/* Walk a stack copy. An address that leads to no code ends the stack and is left out, unless it is
 * where the thread was seen. Valid until the next walk. */
void unwinder_walk_copy(struct unwinder *u, const struct code_view *view,
	const struct unwinder_copy *copy, struct user_frames *ret_frames);

/* The same for a sample that has registers; execve and exit leave addresses that lead to no code.
 */
void unwinder_walk(struct unwinder *u, const struct code_view *view,
	const struct perf_record *record, struct user_frames *ret_frames);

#endif
