/* sorted_stacks.h: a call tree in the order of its stacks as sorted lines of text.
 *
 * It is not enough to sort siblings by name. Lines are sorted by bytes, and ';' sorts after '(',
 * so other lines can come between the line of a stack and the lines of its callees: "f",
 * "f(int)", "f;g". Therefore a node has two visits: its own line, and the lines of its
 * callees. Both have a rank (text_order.h), an integer, so that visits of one caller are
 * sorted by radix without comparing any text. Each list is sorted only when a walk reaches it. */
#ifndef KILN_RENDERERS_SORTED_STACKS_H
#define KILN_RENDERERS_SORTED_STACKS_H

#include "base/sort.h"
#include "model/view.h"
#include "renderers/text_order.h"

/* A tree and its texts. */
struct sorted_stacks_source {
	const node_id *caller; /* of every node, as in struct tree */
	const uint32_t *text;  /* of every node, an index into `texts` */
	const bool *ends;      /* nodes with a line of their own */
	size_t nodes;
	const struct bytes *texts; /* distinct */
	size_t text_count;
};

/* Visit 2n is node n's own line, 2n + 1 the lines of its callees. All visits below one
 * caller are linked; in the order of their texts once they have been sorted. Links are visits
 * plus one; 0: none. */
struct sorted_stacks {
	struct visit_links {
		uint32_t first;	  /* first visit of its callees */
		uint32_t next[2]; /* next links of its own two visits */
		uint32_t text; /* of the node: kept here because it is read together with these */
	} * of_node;
	struct text_order order;
};

/* Scratch memory for sorting. Starts as `{0}`; release it with vector_release. */
struct sorted_stacks_scratch {
	VECTOR(struct sort_key) keys;
};

/* The two halves of sorted_stacks_init; they can run in parallel. */
void sorted_stacks_rank(struct sorted_stacks *p, const struct sorted_stacks_source *source);
void sorted_stacks_link(struct sorted_stacks *p, const struct sorted_stacks_source *source);
void sorted_stacks_init(struct sorted_stacks *p, const struct sorted_stacks_source *source);
void sorted_stacks_release(struct sorted_stacks *p);

/* Sort the visits of a node's callees; call before reading them. Several threads may sort
 * those of different nodes. */
void sorted_stacks_sort(struct sorted_stacks *p, node_id node, struct sorted_stacks_scratch *room);

static inline uint32_t sorted_stacks_first(const struct sorted_stacks *p, node_id node)
{
	return p->of_node[node].first;
}

static inline uint32_t sorted_stacks_next(const struct sorted_stacks *p, uint32_t visit)
{
	return p->of_node[visit / 2].next[visit & 1];
}

#endif
