/* output_pieces.h: text that several threads produce in pieces, written in order. */
#ifndef KILN_BASE_OUTPUT_PIECES_H
#define KILN_BASE_OUTPUT_PIECES_H

#include "base/buffer.h"
#include "base/output.h"

/* Call make(context, i, text) once for every i below `count`, in up to `max` threads (at most
 * one per CPU; with 1, in ascending order), and write what it puts into `text`, empty at first,
 * in the order of i. A few pieces per thread are in memory at a time. */
void output_write_pieces(struct output *o, size_t max, size_t count,
	void (*make)(void *context, size_t i, struct buffer *text), void *context);

#endif
