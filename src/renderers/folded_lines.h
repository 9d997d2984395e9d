/* folded_lines.h: the lines of folded text, in order. */
#ifndef KILN_RENDERERS_FOLDED_LINES_H
#define KILN_RENDERERS_FOLDED_LINES_H

#include "base/output.h"
#include "model/sides.h"
#include "renderers/sorted_stacks.h"

/* A line is the texts of a node's callers and its own, joined by ';', and a value for each side. */
struct folded_lines {
	const node_id *caller;	   /* of every node */
	const uint32_t *text;	   /* of every node but the root: an index into `texts` */
	const bool *ends;	   /* of every node: does it have a line? */
	const struct bytes *texts; /* distinct, without ';' */
	size_t nodes, text_count;
	const int64_t *self[2]; /* of every node */
	size_t sides;
	unsigned decimals; /* of the values: see buffer_decimal */
	/* If not NULL, before's values are written as shares of after's total. */
	struct sides_share *share;
};

/* Write the lines, sorted bytewise. */
void folded_lines_write(const struct folded_lines *l, struct output *out);

#endif
