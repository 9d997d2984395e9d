/* passages.h: a call tree in the order of its stacks as sorted lines of text.
 *
 * Lines sort by bytes, so other lines can come between a stack and the stacks above it: "f",
 * "f(int)", "f;g". A node is therefore passed twice: where its own line is, and where those of its
 * callees are. */
#ifndef KILN_RENDERERS_PASSAGES_H
#define KILN_RENDERERS_PASSAGES_H

#include "base/sort.h"
#include "model/view.h"
#include "renderers/text_order.h"

/* What the lines of a tree are made of. */
struct passages_source {
	const node_id *caller; /* of every node, as in struct tree */
	const uint32_t *text;  /* of every node, an index of `texts` */
	const bool *ends;      /* nodes with a line of their own */
	size_t nodes;
	const struct bytes *texts; /* different ones */
	size_t text_count;
};

/* Passage 2n is node n's own line, 2n + 1 its callees'. All passages below one caller are linked in
 * the order of their text, once they have been sorted. All links are passages, plus one; 0: none.
 */
struct passages {
	struct passage_links {
		uint32_t first;	  /* of its callees' passages */
		uint32_t next[2]; /* behind its own passages */
		uint32_t text;	  /* of the node: looked at together with these */
	} * of_node;
	struct text_order order;
};

/* Room to sort in. `{0}` to begin with; vector_release it. */
struct passages_room {
	VECTOR(struct sort_key) keys;
};

/* The two halves of passages_init, which may be done at once. */
void passages_rank(struct passages *p, const struct passages_source *source);
void passages_link(struct passages *p, const struct passages_source *source);
void passages_init(struct passages *p, const struct passages_source *source);
void passages_release(struct passages *p);

/* Put the passages of a node's callees in order: before they are asked for. What nobody looks at
 * is never sorted, and several threads may sort those of different nodes. */
void passages_sort(struct passages *p, node_id node, struct passages_room *room);

static inline uint32_t passages_first(const struct passages *p, node_id node)
{
	return p->of_node[node].first;
}

static inline uint32_t passages_next(const struct passages *p, uint32_t passage)
{
	return p->of_node[passage / 2].next[passage & 1];
}

#endif
