/* cut.h: leaves out the frames below a frame, but keeps their cost. */
#ifndef KILN_TRANSFORMS_CUT_H
#define KILN_TRANSFORMS_CUT_H

#include "model/view.h"

/* Stacks end at their first frame, from the root on, that matches the regular expression: in it
 * (`keep`), or in its caller. ERR_USAGE, ERR_LIMIT as pattern_frames. */
bool cut_matching(struct view *v, const char *regex, bool keep, struct error *err);

#endif
