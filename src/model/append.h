/* append.h: how is the profile of an input's next part appended to that of the parts before it? */
#ifndef KILN_MODEL_APPEND_H
#define KILN_MODEL_APPEND_H

#include "model/profile.h"

/* How two profiles become one. */
struct append_options {
	/* Both have one table of samples, and so has the result, with the streams of both.
	 * Otherwise each event has a table of its own. */
	bool one_table;
	/* Nothing will be added to `to` afterwards, so its stacks need not be findable. */
	bool last;
	/* The first stacks of `from` are these stacks of `to`. */
	const stack_id *above;
	size_t above_count;
	/* Stacks of `from` whose new ids the caller wants; they are replaced. */
	stack_id *path;
	size_t path_len;
};

/* Append `from` to `to`, as if one reader had read both: rows keep their order, equal rows are
 * merged, and values of samples of one stack are added. For inputs whose samples have stacks and
 * values but no other columns; only `to` may have metadata about the whole profile. The stack
 * tables of `from` are released once they have been moved, because they are most of the memory of a
 * long input. False when a profile has more than that, when the streams of `from` differ from those
 * of `to` for the same event, or when a sum overflows or a table is full; then neither profile is
 * usable. */
bool profile_append(struct profile *to, struct profile *from, const struct append_options *how);

#endif
