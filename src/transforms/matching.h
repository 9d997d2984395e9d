/* matching.h: which threads of several profiles correspond? */
#ifndef KILN_TRANSFORMS_MATCHING_H
#define KILN_TRANSFORMS_MATCHING_H

#include "transforms/canonical.h"

/* For every thread of the view's profile, a thread of `to` (the caller frees the array). It has
 * no ids, which differ between runs; its name has "*" for digits at the end (unless `exact`),
 * and the rank by cost among threads of that name, as in "worker-* 2". NULL if samples have no
 * threads. */
thread_id *match_threads(const struct view *v, bool exact, struct profile *to);

/* For a profile without threads that may have them as outermost frames: make threads from these,
 * named as by canonical_root. False if it has threads. */
bool threads_from_roots(const struct canonical *c, struct profile *p);

#endif
