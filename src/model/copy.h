/* copy.h: copying the rows of a view into another profile. */
#ifndef KILN_MODEL_COPY_H
#define KILN_MODEL_COPY_H

#include "model/view.h"

string_id copy_text(const struct view *v, struct profile *to, string_id id);

/* These add rows to `to` and return the new id of each of the view's rows. copy_stacks returns
 * one for each node: stacks of locations that have only names, 0 for nodes without a shown
 * sample. The caller frees the array. */
stack_id *copy_stacks(const struct view *v, struct profile *to);
thread_id *copy_threads(const struct view *v, struct profile *to);
label_set_id *copy_labels(const struct view *v, struct profile *to);

/* What these functions returned. */
struct copied {
	const stack_id *stacks;
	const thread_id *threads;
	const label_set_id *labels;
};

/* Add a new table with the samples of `table` that the view shows. ret_kept, as long as `table`,
 * gets the old row numbers of these samples; returns how many there are. */
size_t copy_samples(const struct view *v, uint32_t table, const struct copied *rows,
	struct profile *to, size_t *ret_kept);

#endif
