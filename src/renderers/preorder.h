/* preorder.h: the nodes of a call tree in drawing order: callers before their callees, siblings
 * by name or by weight. */
#ifndef KILN_RENDERERS_PREORDER_H
#define KILN_RENDERERS_PREORDER_H

#include "model/view.h"

enum sibling_order {
	SIBLINGS_BY_NAME,   /* bytewise */
	SIBLINGS_BY_WEIGHT, /* heaviest first */
};

/* Two arrays of `count` items; [0] is the root. `{0}` is empty. */
struct preorder {
	node_id *node;
	uint32_t *depth; /* 0: the root */
	size_t count;
	uint32_t deepest;
};

/* The nodes whose `total` (tree_totals, not negative) is at least `min` and at least 1; empty
 * if there are no values. */
void preorder_build(struct preorder *p, const struct view *v, const int64_t *total,
	enum sibling_order order, int64_t min);
void preorder_release(struct preorder *p);

#endif
