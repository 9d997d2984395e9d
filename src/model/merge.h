/* merge.h: several profiles in one with a common table of stacks: two sides of a difference, or
 * the runs of a comparison. */
#ifndef KILN_MODEL_MERGE_H
#define KILN_MODEL_MERGE_H

#include "model/view.h"

/* The role of the view that is added. */
struct merge_part {
	uint32_t side;		  /* 1 and 2: before and after */
	uint32_t run;		  /* its number within the side, from 1; 0: the only one */
	const char *name;	  /* put in front of its notes */
	const thread_id *threads; /* the row in `to` of every thread of the view's profile; NULL:
				     copy them */
};

/* Add what the view shows of its selected streams. Stacks that `to` already has are shared; samples
 * and streams get tables of their own. All parts get the kind and event of the first part. They
 * must have its unit, but may have more or fewer decimals. ERR_USAGE names the units that
 * differ. */
bool profile_merge(
	struct profile *to, const struct view *v, const struct merge_part *part, struct error *err);

/* Is the unit that of what was added before, but for decimals? */
bool merge_units_agree(const struct profile *to, const struct view *v);

/* Divide the values of each side by its number of files, so that sides of 2 and 3 files can be
 * compared. What is divided is rounded so that the sum of all values so far is right to within one;
 * counts that cannot be divided get two more decimals. ERR_LIMIT when those do not fit. */
bool profile_average(struct profile *p, const size_t files[2], struct error *err);

#endif
