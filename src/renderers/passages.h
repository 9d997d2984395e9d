/* passages.h: a call tree in the order of its stacks as sorted lines of text.
 *
 * Lines sort by bytes, so other lines can come between a stack and the stacks above it: "f",
 * "f(int)", "f;g". A node is therefore passed twice: where its own line is, and where those of its
 * callees are. */
#ifndef KILN_RENDERERS_PASSAGES_H
#define KILN_RENDERERS_PASSAGES_H

#include "model/view.h"

/* Passage 2n is node n's own line, 2n + 1 its callees'. All passages below one caller are linked in
 * the order of their text. */
struct passages {
	uint32_t *first; /* of a node: its first callee's first passage, plus one; 0: none */
	uint32_t *next;	 /* of a passage, plus one; 0: none */
};

/* What the lines of a tree are made of. */
struct passages_source {
	const node_id *caller; /* of every node, as in struct tree */
	const uint32_t *text;  /* of every node, an index of `texts` */
	const bool *ends;      /* nodes with a line of their own */
	size_t nodes;
	const struct bytes *texts; /* different ones */
	size_t text_count;
};

void passages_init(struct passages *p, const struct passages_source *source);
void passages_release(struct passages *p);

#endif
