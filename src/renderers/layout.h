/* layout.h: which boxes stand where: from a call tree, or from samples in time, to rectangles in
 * value units.
 *
 * A layout knows neither pixels nor colours, nor which way is up: depth 0 is the root, and whether
 * deeper is higher (flame) or lower (icicle) is the renderer's business. It names nodes of the
 * view, so any number of further value columns (a second side, say) can be looked up for a box. It
 * opens no files, starts no threads and does not recurse. */
#ifndef KILN_RENDERERS_LAYOUT_H
#define KILN_RENDERERS_LAYOUT_H

#include "renderers/preorder.h"

struct box {
	int64_t start, end; /* in value units from the left edge, start < end */
	node_id node;
	uint32_t depth;	 /* 0: the root */
	uint32_t parent; /* index of the box below it; 0 for the root itself */
	bool own;	 /* what its node is worth itself is in it: not in all boxes of a node */
};

/* Boxes in preorder: a box comes before the boxes on top of it, and these before its next sibling.
 * boxes.items[0] is the root. Every box lies within its parent. `{0}` is empty. */
struct layout {
	VECTOR(struct box) boxes;
	uint32_t depth; /* of the deepest box */

	/* Of a chart of two sides, for each box: by how much the samples that end in it changed. */
	VECTOR(int64_t) changes;
	int64_t most_change; /* of one sample, without sign */
};

/* The call tree of `v`, every frame once below each caller. By name a frame's own value is on the
 * left, by weight on the right. `self` and `total` have an item for every node (view_self,
 * tree_totals) and are not negative. Nodes whose total is below `least` (in value units; at least
 * 1) get no box; the room that they need is left empty at the right end of their caller. */
void layout_tree(struct layout *l, const struct view *v, const int64_t *self, const int64_t *total,
	enum sibling_order order, int64_t least);

/* The same as a tree of sorted lines of text: the order of siblings is that of the lines' bytes,
 * and where other lines come between a frame's own and those of its callees it has two boxes.
 * `ends`: which nodes have a line of their own, even of 0. */
void layout_lines(struct layout *l, const struct view *v, const int64_t *self, const int64_t *total,
	const bool *ends, int64_t least);

/* The samples of `v` one after the other, each as wide as its value: a flame chart. Samples stand
 * in the order of their times, or as the input had them when it had no times; thread by thread, the
 * thread that begins first at the left, because stacks of threads that ran at once are not each
 * other's past. A frame goes on from one sample to the next of its thread while it and all of its
 * callers stay. Boxes narrower than `least` are left out. With `changes` boxes have them when there
 * are two sides, and samples of which nothing is left stand there, too. */
void layout_chart(struct layout *l, const struct view *v, bool changes, int64_t least);
/* How wide all of it is: the sum of the samples' values above 0. */
int64_t layout_chart_width(const struct view *v);

void layout_release(struct layout *l);

#endif
