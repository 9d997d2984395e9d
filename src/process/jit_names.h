/* jit_names.h: names for code that was made while the program ran.
 *
 * A place is named by what was written last about it. Where the place was used for one piece of
 * code after the other, each sample is looked at: stacks of samples from another time get a place
 * of their own, with the name of the code that was there then. */
#ifndef KILN_PROCESS_JIT_NAMES_H
#define KILN_PROCESS_JIT_NAMES_H

#include "process/jit_code.h"

/* The frame of a piece of code at an address in it. Names of V8 are shown without category and
 * mark: their tier becomes the frame's kind. With `lines` the line of the address, when it is
 * known. */
frame_id jit_frame(struct profile *p, const struct code_piece *piece, uint64_t address, bool lines);

struct jit_times {
	uint64_t by_time; /* samples whose stack has another name by their time */
	uint64_t guessed; /* samples with code at a place used again, nobody knows when */
};

/* After places were named, for samples that have times; again after every addition: for `all`, or
 * those that are new. */
void jit_names_by_time(struct profile *p, struct jit_code *code, bool lines, bool all,
	struct jit_times *ret_times);

#endif
