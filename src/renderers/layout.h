/* layout.h: where are the boxes of a flame graph? From a call tree, or from samples in time, to
 * rectangles in value units.
 *
 * A layout knows nothing about pixels, colours or direction: depth 0 is the root, and the
 * renderer decides whether deeper is higher (flame) or lower (icicle). Boxes refer to nodes of
 * the view, so that further columns of values (a second side, for example) can be looked up. It
 * opens no files, starts no threads and does not recurse. */
#ifndef KILN_RENDERERS_LAYOUT_H
#define KILN_RENDERERS_LAYOUT_H

#include "renderers/preorder.h"

struct box {
	int64_t start, end; /* in value units from the left edge, start < end */
	node_id node;
	uint32_t depth;	 /* 0: the root */
	uint32_t parent; /* index of the caller's box; 0 for the root itself */
	bool own; /* the node's own value is inside this box (a node may have several boxes) */
};

/* Boxes in preorder: a box, then the boxes of its callees, then its next sibling. boxes.items[0]
 * is the root. Every box lies within its parent. `{0}` is empty. */
struct layout {
	VECTOR(struct box) boxes;
	uint32_t depth; /* of the deepest box */

	/* For a chart of two sides: for each box, the change of the samples that end in it. */
	VECTOR(int64_t) changes;
	int64_t max_change; /* of one sample, unsigned */
};

/* The call tree of `v`. With order by name a frame's own value is on the left, by weight on the
 * right. `self` and `total` have an item for every node (view_self, tree_totals) and are not
 * negative. Nodes whose total is below `min` (in value units; at least 1) get no box; their
 * space is left empty at the right end of their caller. */
void layout_tree(struct layout *l, const struct view *v, const int64_t *self, const int64_t *total,
	enum sibling_order order, int64_t min);

/* As a tree of sorted lines of text: siblings are in the order of their lines' bytes, and if
 * other lines come between a frame's own line and those of its callees, it has two boxes.
 * `ends`: which nodes have a line of their own, even with value 0. */
void layout_lines(struct layout *l, const struct view *v, const int64_t *self, const int64_t *total,
	const bool *ends, int64_t min);

/* A flame chart: the samples of `v` one after the other, each as wide as its value. They are in
 * the order of their times, or as in the input if there are none; thread by thread, the thread
 * that begins first at the left, because stacks of threads that run at the same time do not
 * follow each other. A frame continues from one sample of its thread to the next if it and all
 * of its callers do. Boxes narrower than `min` are left out. With `changes` and two sides,
 * boxes have changes, and samples that are only in before are included. */
void layout_chart(struct layout *l, const struct view *v, bool changes, int64_t min);
/* The width of the whole chart: the sum of the samples' positive values. */
int64_t layout_chart_width(const struct view *v);

void layout_release(struct layout *l);

#endif
