/* unwinder.h: which addresses led to a sample, according to its registers and its stack copy? */
#ifndef KILN_PROCESS_UNWINDER_H
#define KILN_PROCESS_UNWINDER_H

#include "images/unwind.h"
#include "process/address_space.h"
#include "process/perf_record.h"

/* The code of a process. */
struct code_view {
	void *self;
	/* The mapping at an address, valid until the next call; NULL: none. */
	const struct mapped *(*find)(void *self, uint64_t address);
	/* The image of a binary; NULL: none. False: it has not been requested yet, which only the
	 * caller's thread can do, so the walk is abandoned. */
	bool (*image)(void *self, uint32_t binary, const struct image **ret_image);
};

/* A user stack. If `missing_image` is set, nothing else is. */
struct user_frames {
	const uint64_t *addresses; /* to be looked up, outermost first */
	size_t count;
	enum unwind_end end;
	bool foreign;		/* 32-bit code: not walked */
	bool absent;		/* the thread has no user stack: it is in execve or exit */
	bool guessed;		/* a frame pointer led through code without tables */
	uint32_t unread;	/* a binary on the way whose file could not be opened, or 0 */
	uint32_t missing_image; /* the binary whose image has to be requested first, or 0 */
};

/* Used by one thread; several may work on one address space that does not change. */
struct unwinder {
	const struct arch *arch;
	VECTOR(struct cfi *) tables; /* by row of the binaries */
	struct unwind_frame *frames; /* room for UNWIND_FRAMES_LIMIT */
	uint64_t *addresses;
};

void unwinder_init(struct unwinder *u, const struct arch *arch);
void unwinder_release(struct unwinder *u);

/* Does a sample have what a walk of its stack needs? */
bool unwinder_supports(const struct arch *arch, const struct perf_sample *sample);

/* A sample that will be walked soon: prefetch its registers and the part of its stack copy where
 * most frames are. Otherwise the walk waits for memory frame by frame, since each frame's
 * position depends on the one before. */
void unwinder_prefetch(const struct perf_record *record);

/* The registers of a thread in user space and a copy of its stack. */
struct unwinder_copy {
	struct registers registers;
	struct stack_copy stack;
	bool filled;	   /* the copy has the requested size */
	bool in_user_code; /* the thread was sampled in user code */
};
/* Walk a stack copy. An address outside of any code ends the stack and is left out, unless it is
 * where the thread was sampled. Valid until the next walk. */
void unwinder_walk_copy(struct unwinder *u, const struct code_view *view,
	const struct unwinder_copy *copy, struct user_frames *ret_frames);

/* The same for a sample with registers. During execve and exit, a sample may be outside of any
 * code; without a stack copy, it has no user stack then. */
void unwinder_walk(struct unwinder *u, const struct code_view *view,
	const struct perf_record *record, struct user_frames *ret_frames);

#endif
