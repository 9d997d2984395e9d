/* small.h: of a tree with more frames than anybody can see, those that are too small, put together:
 * for each caller one node stands for its small callees and all that these call. */
#ifndef KILN_RENDERERS_SMALL_H
#define KILN_RENDERERS_SMALL_H

#include "model/view.h"

struct small_rule {
	double share; /* what is less than this share of the whole is small */
	node_id open; /* from here on the share is of this node; 0: nowhere */
};

/* `{0}` is empty. */
struct small {
	struct tree tree; /* what is left, in the order of the old one; small ones have frame 0 */
	node_id *map;	  /* for every node of the old tree that of this one */
	VECTOR(node_id) from; /* for every node of this one the (first) old one */
	VECTOR(uint32_t)
	count;		 /* for every node of this one how many it stands for; 0: it is itself */
	uint64_t frames; /* that were put together */
};

/* `total` has an item for every node of `tree` (tree_totals); what has no value counts for nothing.
 */
void small_find(struct small *s, const struct tree *tree, const int64_t *total,
	const struct small_rule *rule);
void small_release(struct small *s);

/* Self values of the old tree's nodes as those of this one's; an array to be freed. */
int64_t *small_sum(const struct small *s, size_t nodes, const int64_t *self);

#endif
