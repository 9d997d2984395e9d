/* svg_sums.h: what are the sums of decimal values if they are added as doubles?
 *
 * flamegraph.pl adds the values of lines as doubles, where ten times 0.1 is not 1, and rounds
 * the result in titles. To print the same digits, Kiln repeats those additions; its own values
 * are exact integers. */
#ifndef KILN_RENDERERS_SVG_SUMS_H
#define KILN_RENDERERS_SVG_SUMS_H

#include "renderers/layout.h"

struct svg_sum {
	int64_t at; /* in value units from the left edge */
	double sum; /* of the values up to there, as shown */
};

/* The edges of boxes, ascending. `{0}` is empty. */
struct svg_sums {
	VECTOR(struct svg_sum) items;
};
void svg_sums_release(struct svg_sums *s);

/* Add up the values between the edges of `all`, a layout in which no box is left out; `one` is
 * the value that is shown as 1. */
void svg_sums_find(struct svg_sums *s, const struct layout *all, double one);

/* The sum up to an edge. */
double svg_sums_at(const struct svg_sums *s, int64_t at);

#endif
