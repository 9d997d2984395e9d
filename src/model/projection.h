/* projection.h: how does a profile become a tree? */
#ifndef KILN_MODEL_PROJECTION_H
#define KILN_MODEL_PROJECTION_H

#include "model/overlay.h"
#include "model/tree.h"

enum projection {
	BY_FUNCTION, /* frames with the same function, module and kind are one */
	BY_LINE,     /* ... and file and line */
	BY_ADDRESS,  /* ... and locations without a name are told apart by their addresses */
	BY_ROOT,     /* only the root, for questions about when samples were taken, not where */

	/* May be or'ed to one of them: */
	PROJECT_LINES =
		8, /* append the line to the name of frames that have one: `work (file.c:42)` */
	PROJECT_WITHOUT_INLINED = 16, /* leave out functions that were inlined */
};

/* Make a tree over frames of the stacks over locations of o->base. *ret_node_of_stack: the node of
 * each stack; NULL: node and stack have the same number. *ret_full: the tree reached the profile's
 * limit and is incomplete. The caller releases both. */
void projection_build(struct overlay *o, enum projection projection, struct tree *ret_tree,
	node_id **ret_node_of_stack, bool *ret_full);

#endif
