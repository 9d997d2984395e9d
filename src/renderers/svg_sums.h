/* svg_sums.h: what do values with decimals come to when they are added up in doubles?
 *
 * Perl adds one line's value to the next; 0.1 ten times is not 1 then, and what stands in a title
 * is rounded from that. Kiln's own values are whole numbers, and exact. */
#ifndef KILN_RENDERERS_SVG_SUMS_H
#define KILN_RENDERERS_SVG_SUMS_H

#include "renderers/layout.h"

struct svg_sum {
	int64_t at; /* in value units from the left edge */
	double sum; /* of the values up to there, as they are shown */
};

/* Where boxes begin and end, ascending. `{0}` is empty. */
struct svg_sums {
	VECTOR(struct svg_sum) items;
};
void svg_sums_release(struct svg_sums *s);

/* Add up the values between the edges of `all`, a layout from which no box is left out; `one` is
 * what is shown as 1. */
void svg_sums_find(struct svg_sums *s, const struct layout *all, double one);

/* The sum up to an edge. */
double svg_sums_at(const struct svg_sums *s, int64_t at);

#endif
