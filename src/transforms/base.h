/* base.h: stacks that begin at a function. */
#ifndef KILN_TRANSFORMS_BASE_H
#define KILN_TRANSFORMS_BASE_H

#include "model/view.h"

/* Every stack begins at its innermost frame with one of these names, which becomes its root.
 * Stacks without one stay as they are, or are dropped. */
void view_begin_at(struct view *v, const char *const *names, size_t count, bool keep_others);

#endif
