/* matching.h: which threads of several profiles are the same one? */
#ifndef KILN_TRANSFORMS_MATCHING_H
#define KILN_TRANSFORMS_MATCHING_H

#include "model/view.h"

/* For every thread of the view's profile a thread of `to` (to be freed), without ids, which no two
 * runs share: its name with the digits at its end as "*", and the rank by what it costs, as in
 * "worker-* 2", among several of that name. NULL when samples do not say which thread they are of.
 */
thread_id *match_threads(const struct view *v, struct profile *to);

#endif
