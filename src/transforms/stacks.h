/* stacks.h: which stacks have a frame that matches? */
#ifndef KILN_TRANSFORMS_STACKS_H
#define KILN_TRANSFORMS_STACKS_H

#include "model/view.h"

/* Keep the samples whose stack has a frame that matches the regular expression (`with`), or the
 * others. */
bool stacks_select(struct view *v, const char *regex, bool with, struct error *err);

#endif
