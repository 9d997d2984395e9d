/* text_siblings.h: which nodes of a call tree are one when frames are told apart by their text? */
#ifndef KILN_RENDERERS_TEXT_SIBLINGS_H
#define KILN_RENDERERS_TEXT_SIBLINGS_H

#include "model/view.h"

/* The node that stands for each node, itself or one before it: callees of one caller with one text
 * are one, and then the callees of both. `text` is every node's, `shared` tells of every text
 * whether it is that of several frames. NULL: every node stands for itself. The caller's to free.
 */
node_id *text_siblings(const struct tree *t, const uint32_t *text, const bool *shared);

#endif
