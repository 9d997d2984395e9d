/* append.h: how is the profile of an input's next part appended to that of the parts before it? */
#ifndef KILN_MODEL_APPEND_H
#define KILN_MODEL_APPEND_H

#include "model/profile.h"

/* In what way two profiles are parts of one. */
struct append_options {
	/* Both have one table of samples and so has the result, with the streams of both;
	 * otherwise each event has a table of its own. */
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
 * values but no other columns, and without metadata about the whole profile. Each stack of
 * `from` is released once it has been moved, because the stack tables are most of the memory of
 * a long input. False when `from` has more than that, or when its streams differ from those of
 * `to` for the same event; then neither profile is usable. */
bool profile_append(struct profile *to, struct profile *from, const struct append_options *how);

#endif
