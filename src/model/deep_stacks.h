/* deep_stacks.h: how is the middle of very deep stacks cut out of a profile? */
#ifndef KILN_MODEL_DEEP_STACKS_H
#define KILN_MODEL_DEEP_STACKS_H

#include "model/profile.h"

/* The frame in the place of what was cut out. */
#define DEEP_STACKS_MARK "[truncated:middle]"

/* Samples whose stack has more than `frames` frames (an even number) keep the outer half and the
 * inner half of so many, with DEEP_STACKS_MARK between them; their values stay as they are. A
 * location that is not named yet counts as one frame. The numbers of stacks change. A note tells
 * how many stacks were too deep. */
void profile_cut_deep_stacks(struct profile *p, uint32_t frames);

#endif
