/* compare_options.h: from views of before and after to one profile with two sides.
 *
 *	for each side: view_init, shape_select, compare_prepare, transform_list_apply, compare_add
 *	compare_name for each side
 *	a view of the result, with compare_display
 *
 * Used by `kiln diff`, and by queries with before=. */
#ifndef KILN_TRANSFORMS_COMPARE_OPTIONS_H
#define KILN_TRANSFORMS_COMPARE_OPTIONS_H

#include "base/options.h"
#include "model/merge.h"
#include "transforms/canonical.h"

/* The options of a comparison. Side 0 is before, side 1 is after. */
struct compare_options {
	struct canonical canonical;
	bool normalise, elided, any_kind;
	double threshold;    /* percent */
	const char *time[2]; /* FROM..TO of a side; NULL: everything */
};

#define COMPARE_DEFAULT                                                                            \
	{                                                                                          \
		.canonical.names = true, .threshold = COMPARISON_THRESHOLD                         \
	}

/* For an option group whose target is a struct compare_options. */
extern const struct option compare_option_table[];

void compare_options_release(struct compare_options *c);
/* Do the options change what the sides are... */
bool compare_changes_sides(const struct compare_options *c);
/* ... or how they are shown, which is also possible for a profile that has sides already? */
bool compare_changes_display(const struct compare_options *c);

/* Call before the transforms: select a side's time range and make names comparable. */
bool compare_prepare(
	const struct compare_options *c, struct view *v, size_t side, struct error *err);

/* Add what a view shows as a side; part->side and part->threads are filled in here. `threads`:
 * outermost frames stand for threads, as in threads_from_roots. ERR_USAGE: the view has two
 * sides itself, or its unit or kind differs from that of what was added before. */
bool compare_add(const struct compare_options *c, struct profile *to, struct view *v, size_t side,
	struct merge_part part, bool threads, struct error *err);

/* Name a side for outputs: the name, and its time range if it has one. */
void compare_name(
	const struct compare_options *c, struct profile *p, size_t side, struct bytes name);

/* How the sides are shown. */
struct comparison compare_display(const struct compare_options *c);

#endif
