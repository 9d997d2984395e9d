/* parts.h: how is one long input read by several threads? */
#ifndef KILN_READERS_PARTS_H
#define KILN_READERS_PARTS_H

#include "readers/part.h"

/* Into how many parts should the input be cut for this reader? 1: not at all. */
unsigned parts_count(
	const struct reader *reader, const struct input *in, const struct read_options *options);

/* Read an input, of which nothing has been skipped yet, in up to `count` parts, each in a thread of
 * its own. The profile is the one that a single call of the reader would give, except for the ids
 * of strings that a reader adds at its end. False: the input cannot be read in parts, because a
 * part depends on what is before it, say, or cannot be read. Then nothing has been consumed of `in`
 * nor added to `out`: a single call of the reader has to read all of the input, or to say what is
 * wrong with it. */
bool parts_read(const struct reader *reader, struct input *in, const struct read_options *options,
	unsigned count, struct profile *out);

#endif
