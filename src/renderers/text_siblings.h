/* text_siblings.h: which nodes of a call tree are the same if frames are told apart only by
 * their text? */
#ifndef KILN_RENDERERS_TEXT_SIBLINGS_H
#define KILN_RENDERERS_TEXT_SIBLINGS_H

#include "model/view.h"

/* The node that stands for each node, itself or an earlier one: callees of one caller with the
 * same text are merged, and then their callees. `text` is every node's; `shared`: do several
 * frames have this text? NULL: every node stands for itself. The caller frees the array. */
node_id *text_siblings(const struct tree *t, const uint32_t *text, const bool *shared);

#endif
