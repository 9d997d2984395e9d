/* times.h: from when to when are there samples? */
#ifndef KILN_MODEL_TIMES_H
#define KILN_MODEL_TIMES_H

#include "model/profile.h"

/* From the first sample to the last, whatever their order; `first` is above `last` where none has a
 * time. */
struct times {
	uint64_t first, last; /* ns */
};
struct times times_both(struct times a, struct times b);
struct times samples_times(const struct samples *s);
struct times profile_times(const struct profile *p); /* of all its tables */

#endif
