/* matching.h: which threads of several profiles are the same one? */
#ifndef KILN_TRANSFORMS_MATCHING_H
#define KILN_TRANSFORMS_MATCHING_H

#include "transforms/canonical.h"

/* For every thread of the view's profile a thread of `to` (to be freed), without ids, which no two
 * runs share: its name with the digits at its end as "*" (unless `exact`), and the rank by what it
 * costs, as in "worker-* 2", among several of that name. NULL when samples do not say which thread
 * they are of. */
thread_id *match_threads(const struct view *v, bool exact, struct profile *to);

/* Of a profile that does not know threads, but may have them as outermost frames: make threads of
 * these, called as canonical_root says. False when it knows them. */
bool threads_from_roots(const struct canonical *c, struct profile *p);

#endif
