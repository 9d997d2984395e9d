/* output_pieces.h: text that is made in pieces by several threads, and written in order. */
#ifndef KILN_BASE_OUTPUT_PIECES_H
#define KILN_BASE_OUTPUT_PIECES_H

#include "base/buffer.h"
#include "base/output.h"

/* Call make(context, i, text) for every i below `count`, each once, in up to `most` threads (and
 * as many as there are CPUs; with 1 in ascending order), and write what it puts into `text`, which
 * is empty before, in the order of i. A few pieces a thread are in memory at a time. */
void output_write_pieces(struct output *o, size_t most, size_t count,
	void (*make)(void *context, size_t i, struct buffer *text), void *context);

#endif
