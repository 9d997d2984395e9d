/* materialise.h: a view as a profile of its own, to be written to a file. */
#ifndef KILN_MODEL_MATERIALISE_H
#define KILN_MODEL_MATERIALISE_H

#include "model/view.h"

/* What the view shows of every stream of its profile: stacks as the tree has them, the samples that
 * were not left out with all of their columns, losses and meta as they were. Places in binaries are
 * gone (a transformed tree is over frames). Initialises *ret_profile; the caller releases it. */
void view_materialise(const struct view *v, struct profile *ret_profile);

#endif
