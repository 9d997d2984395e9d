/* projection.h: how does a profile become a tree? */
#ifndef KILN_MODEL_PROJECTION_H
#define KILN_MODEL_PROJECTION_H

#include "model/view.h"

/* Fill in tree and node_of_stack of a new view: stacks over locations become a tree over frames.
 * Called by view_init. */
void projection_build(struct view *v, enum projection projection);

#endif
