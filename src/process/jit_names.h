/* jit_names.h: names for code that was generated at run time.
 *
 * First a location is named by the code that was written there last. Where addresses were
 * reused, that is wrong for samples taken earlier. So every sample is then examined with its
 * time: if one of its locations had other code then, the sample gets a stack with new locations
 * that carry the names of that time. The cost is paid only for stacks that contain reused code. */
#ifndef KILN_PROCESS_JIT_NAMES_H
#define KILN_PROCESS_JIT_NAMES_H

#include "process/jit_code.h"

/* The frame for an address in a piece of code. V8's names lose their category and mark; the tier
 * becomes the frame's kind. `lines`: with the address's line, if it is known. */
frame_id jit_frame(struct profile *p, const struct code_piece *piece, uint64_t address, bool lines);

struct jit_times {
	uint64_t by_time; /* samples whose stack got other names by their time */
	uint64_t guessed; /* samples in reused code for which times are unknown */
};

/* Rename the stacks of samples with times, after locations were named. Call again after additions.
 * `all`: for all samples, otherwise for new ones. */
void jit_names_by_time(struct profile *p, struct jit_code *code, bool lines, bool all,
	struct jit_times *ret_times);

#endif
