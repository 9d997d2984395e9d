/* walk.h: a view's tree from the root down, depth first. */
#ifndef KILN_RENDERERS_WALK_H
#define KILN_RENDERERS_WALK_H

#include "model/view.h"

/* Links between the nodes that take part; 0: none (the root is not a child). */
struct walk {
	node_id *first; /* a node's first child */
	node_id *next;	/* its next sibling */
	const struct tree *tree;
};

/* Link the nodes of `order`, which includes all callers but the root, in that order among
 * siblings; NULL: all nodes by id. */
void walk_init(struct walk *w, const struct tree *tree, const node_id *order, size_t count);
void walk_release(struct walk *w);

/* Visit every linked node but the root: `enter` before its children, `leave` (may be NULL) after
 * them. Does not recurse. */
struct walk_visitor {
	void (*enter)(void *context, node_id node, size_t depth); /* 1: children of the root */
	void (*leave)(void *context, node_id node);
	void *context;
};
void walk_visit(const struct walk *w, const struct walk_visitor *visitor);

#endif
