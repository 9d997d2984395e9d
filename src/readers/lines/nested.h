/* nested.h: samples out of a printed call tree whose counts include what is below.
 *
 * What a line has more than the lines below it is its own: leaves have all of theirs, and inner
 * lines keep what is left. */
#ifndef KILN_READERS_LINES_NESTED_H
#define KILN_READERS_LINES_NESTED_H

#include "readers/lines/text_stacks.h"

struct nested_level {
	location_id location;
	stack_id stack; /* when the first level is the root */
	uint32_t stream;
	int64_t count, below;
	uint64_t line; /* where it is */
};

/* `{.stacks = ..., .order = ...}` is ready for use. */
struct nested {
	struct text_stacks *stacks;
	enum frame_order order; /* is the first level the root or the leaf? */
	struct sample sample;	/* what samples have besides the stack */
	VECTOR(struct nested_level) levels;
};

void nested_release(struct nested *n);

/* Has a line `depth` levels below the first a line above that is its caller (or callee)? Ask before
 * adding names of a line to the profile: a line that is skipped adds none. */
static inline bool nested_takes(const struct nested *n, size_t depth)
{
	return depth <= n->levels.len && depth < READ_DEPTH_LIMIT;
}

/* The next line, which nested_takes, `depth` levels below the first; the count belongs to the
 * stream of that number. ERR_LIMIT when values overflow. */
bool nested_add(struct nested *n, size_t depth, location_id location, uint32_t stream,
	int64_t count, struct error *err);

/* The tree has ended; another one may follow. */
bool nested_finish(struct nested *n, struct error *err);

#endif
