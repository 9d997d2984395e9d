/* tree.h: a call tree.
 *
 * The tree is two columns, caller and frame, indexed by node. Node 0 is the root; a node's caller
 * has a smaller id than the node. So totals are one backward sweep (tree_totals: add each node to
 * its caller), and most transforms are one forward sweep (add each node below the new node of its
 * caller). Both read memory in order and neither recurses, however deep the stacks are. */
#ifndef KILN_MODEL_TREE_H
#define KILN_MODEL_TREE_H

#include "model/callees.h"
#include "model/profile.h"

typedef uint32_t node_id;
#define NODE_DROPPED UINT32_MAX /* in maps: samples that end here are left out */

struct tree {
	VECTOR(node_id) caller; /* [0] is 0 */
	VECTOR(frame_id) frame; /* [0] is 0 */
};

/* A call tree that is being built: tree_child adds the child of `caller` with `frame` if it is
 * new. */
struct tree_builder {
	struct tree tree;
	struct callees children;
	size_t limit; /* nodes; beyond it none is added */
	bool full;    /* the limit was reached */
};
/* With a root, and the limit of trees over this profile; NULL: PROFILE_ROWS_LIMIT. */
void tree_builder_init(struct tree_builder *b, const struct profile *p);
node_id tree_child(struct tree_builder *b, node_id caller, frame_id frame);
void tree_builder_release(struct tree_builder *b); /* frees what has not been moved out */
void tree_release(struct tree *t);

/* The value of every node with everything below it, from the nodes' own values; totals[0] is the
 * sum of all. Both arrays have an item for each node. */
void tree_totals(const struct tree *t, const int64_t *self, int64_t *ret_total);

#endif
