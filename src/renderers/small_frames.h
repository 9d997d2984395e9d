/* small_frames.h: a tree with fewer nodes: for each caller, one node stands for its small callees
 * and everything below them. */
#ifndef KILN_RENDERERS_SMALL_FRAMES_H
#define KILN_RENDERERS_SMALL_FRAMES_H

#include "model/view.h"

struct small_rule {
	double share; /* a node with less than this share of the whole is small */
	node_id open; /* below this node, the share is of its total; 0: none */
};

/* `{0}` is empty. */
struct small_frames {
	struct tree tree; /* in the order of the old tree; nodes for small frames have frame 0 */
	node_id *map;	  /* the new node for every old one */
	VECTOR(node_id) from; /* the (first) old node for every new one */
	VECTOR(uint32_t)
	count;		 /* for every new node how many it stands for; 0: an ordinary node */
	uint64_t frames; /* number of merged frames */
};

/* `total` has an item for every node of `tree` (tree_totals); nodes without a value do not
 * count. */
void small_frames_merge(struct small_frames *s, const struct tree *tree, const int64_t *total,
	const struct small_rule *rule);
void small_frames_release(struct small_frames *s);

/* The self values of the old tree's nodes, added up for the new ones; the caller frees the
 * array. */
int64_t *small_frames_sum(const struct small_frames *s, size_t nodes, const int64_t *self);

#endif
