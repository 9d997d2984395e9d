/* times.h: what is the first and the last time of a profile's samples? */
#ifndef KILN_MODEL_TIMES_H
#define KILN_MODEL_TIMES_H

#include "model/profile.h"

/* From the first to the last sample in time, whatever their order in the table; `first` is above
 * `last` if no sample has a time. */
struct times {
	uint64_t first, last; /* ns */
};
struct times times_both(struct times a, struct times b);
struct times samples_times(const struct samples *s);
struct times profile_times(const struct profile *p); /* over all tables */

#endif
