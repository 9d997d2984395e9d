/* profile_cost.h: is a profile small enough for a fuzzer that looks at every frame of it? */
#ifndef KILN_FUZZ_PROFILE_COST_H
#define KILN_FUZZ_PROFILE_COST_H

#include "model/profile.h"

/* Is what it expands to small: the frames of all stacks, written out, and the bytes of their names?
 * A few KB of spans or of callers stand for any number of frames, which takes time and memory, and
 * finds nothing new. */
bool profile_is_small(const struct profile *p);

#endif
