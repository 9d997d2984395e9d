/* append.h: how does what was read of an input's next part get behind what was read before it? */
#ifndef KILN_MODEL_APPEND_H
#define KILN_MODEL_APPEND_H

#include "model/profile.h"

/* How two profiles are parts of one. */
struct append_how {
	/* Both have one table of samples and so has the result, with the streams of both; else
	 * those of other events are another table's. */
	bool one_table;
	/* Nothing is to be added to `to` afterwards: who looks for stacks gets to know them again.
	 */
	bool last;
	/* The first stacks of `from` are these of `to`. */
	const stack_id *above;
	size_t above_count;
	/* Stacks of `from` that are to be told in their new numbers. */
	stack_id *path;
	size_t path_len;
};

/* Add to `to` what `from` has, as if one reader had read both: rows in the order in which they
 * came, what is known once, and the values of samples of one stack together. For inputs that say
 * nothing of a sample but its stack and values, and nothing about the profile as a whole. Stacks of
 * `from` are released as soon as they are moved: both tables at once are the most memory that a
 * long input takes. False when `from` says more, or when its streams are others than those of `to`
 * for the same event: then neither is of use. */
bool profile_append(struct profile *to, struct profile *from, const struct append_how *how);

#endif
