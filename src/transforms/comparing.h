/* comparing.h: from views of before and of after to one profile with two sides.
 *
 *	for each side: view_init, shape_select, comparing_prepare, transform_list_apply,
 *comparing_add comparing_name for each side; then a view of what was made, with comparing_look.
 *
 * Whoever compares does so by these options: `kiln diff`, and queries with before=. */
#ifndef KILN_TRANSFORMS_COMPARING_H
#define KILN_TRANSFORMS_COMPARING_H

#include "base/options.h"
#include "model/merge.h"
#include "transforms/canonical.h"

/* What options say of a comparison. Sides are 0, before, and 1, after. */
struct comparing {
	struct canonical canonical;
	bool normalise, elided;
	double threshold;    /* percent */
	const char *time[2]; /* FROM..TO of a side; NULL: all of it */
};

#define COMPARING_DEFAULT                                                                          \
	{                                                                                          \
		.canonical.names = true, .threshold = COMPARISON_THRESHOLD                         \
	}

/* For a group whose target is a struct comparing. */
extern const struct option comparing_options[];

void comparing_release(struct comparing *c);
/* Does it say anything but the defaults of what the sides are... */
bool comparing_changes_sides(const struct comparing *c);
/* ... or of how they are seen, which can be said of a profile that has them already, too? */
bool comparing_changes_look(const struct comparing *c);

/* Before the transforms: a side's time, and names that are the same in any build. */
bool comparing_prepare(const struct comparing *c, struct view *v, size_t side, struct error *err);

/* Add what a view shows to a side; part->side and part->threads are filled in here. `threads`:
 * outermost frames stand for threads, as threads_from_roots says. ERR_USAGE: it has two sides
 * itself, or another unit than what has been added. */
bool comparing_add(const struct comparing *c, struct profile *to, struct view *v, size_t side,
	struct merge_part part, bool threads, struct error *err);

/* What a side is called in outputs: the name, and its time if it has one. */
void comparing_name(const struct comparing *c, struct profile *p, size_t side, struct bytes name);

/* How the sides are to be seen. */
struct comparison comparing_look(const struct comparing *c);

#endif
