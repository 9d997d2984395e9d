/* materialise.h: a view as a profile of its own, for writing it to a file. */
#ifndef KILN_MODEL_MATERIALISE_H
#define KILN_MODEL_MATERIALISE_H

#include "model/view.h"

/* What the view shows of every stream of its profile: the tree's stacks, the samples that were
 * not left out, with all of their columns, losses and metadata. Addresses are lost, because a
 * tree is over frames. Initialises *ret_profile; the caller releases it. */
void view_materialise(const struct view *v, struct profile *ret_profile);

#endif
