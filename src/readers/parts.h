/* parts.h: how is one long input read by several threads? */
#ifndef KILN_READERS_PARTS_H
#define KILN_READERS_PARTS_H

#include "readers/part.h"

/* Into how many parts should the input be cut for this reader? 1: not at all. */
unsigned parts_count(
	const struct reader *reader, const struct input *in, const struct read_options *options);

/* Read an input of which nothing has been skipped yet in up to `count` parts, each in a thread of
 * its own, into the profile that one reader would give (but for the numbers of strings that a
 * reader knows only at its end). False, and nothing is read, when that cannot be: when a part
 * depends on what is before it, say, or there is something to be said about it other than which
 * lines were skipped. Then one reader is to read it. */
bool parts_read(const struct reader *reader, struct input *in, const struct read_options *options,
	unsigned count, struct profile *out);

#endif
