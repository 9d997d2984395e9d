/* passages.h: a call tree in the order of its stacks as sorted lines of text.
 *
 * It is not enough to sort siblings by name. Lines are sorted by bytes, and ';' sorts after '(',
 * so other lines can come between the line of a stack and the lines of its callees: "f",
 * "f(int)", "f;g". Therefore a node has two passages: its own line, and the lines of its
 * callees. Both have a rank (text_order.h), an integer, so that passages of one caller are
 * sorted by radix without comparing any text. Each list is sorted only when a walk reaches it. */
#ifndef KILN_RENDERERS_PASSAGES_H
#define KILN_RENDERERS_PASSAGES_H

#include "base/sort.h"
#include "model/view.h"
#include "renderers/text_order.h"

/* A tree and its texts. */
struct passages_source {
	const node_id *caller; /* of every node, as in struct tree */
	const uint32_t *text;  /* of every node, an index into `texts` */
	const bool *ends;      /* nodes with a line of their own */
	size_t nodes;
	const struct bytes *texts; /* distinct */
	size_t text_count;
};

/* Passage 2n is node n's own line, 2n + 1 the lines of its callees. All passages below one
 * caller are linked; in the order of their texts once they have been sorted. Links are passages
 * plus one; 0: none. */
struct passages {
	struct passage_links {
		uint32_t first;	  /* first passage of its callees */
		uint32_t next[2]; /* next links of its own two passages */
		uint32_t text; /* of the node: kept here because it is read together with these */
	} * of_node;
	struct text_order order;
};

/* Scratch memory for sorting. Starts as `{0}`; release it with vector_release. */
struct passages_room {
	VECTOR(struct sort_key) keys;
};

/* The two halves of passages_init, which can run in parallel. */
void passages_rank(struct passages *p, const struct passages_source *source);
void passages_link(struct passages *p, const struct passages_source *source);
void passages_init(struct passages *p, const struct passages_source *source);
void passages_release(struct passages *p);

/* Sort the passages of a node's callees; call before reading them. Several threads may sort
 * those of different nodes. */
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
