/* merge.h: several profiles in one, over one table of stacks: the sides of a difference, the runs
 * of a comparison. */
#ifndef KILN_MODEL_MERGE_H
#define KILN_MODEL_MERGE_H

#include "model/view.h"

/* As what a view is added. */
struct merge_part {
	uint32_t side;		  /* 1 and 2: before and after */
	uint32_t run;		  /* of its side, from 1; 0: there is only one */
	const char *name;	  /* in front of its notes */
	const thread_id *threads; /* for every thread of the view's profile its row in `to`; NULL:
				   * a copy of what it is there */
};

/* Add what the view shows of its selected streams: stacks that `to` has are found again, samples
 * become tables, and streams, of their own. The streams of all parts are called as those of the
 * first, whose unit they must have, with decimals or without. ERR_USAGE names the units that
 * differ. */
bool profile_merge(
	struct profile *to, const struct view *v, const struct merge_part *part, struct error *err);

#endif
