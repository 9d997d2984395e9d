/* settle.h: a profile that is only looked at from now on. */
#ifndef KILN_MODEL_SETTLE_H
#define KILN_MODEL_SETTLE_H

#include "model/profile.h"

/* Give back what only adding rows takes: the maps to find rows by, and room for more rows, which
 * come back if a row is added after all; and columns of values that are all alike. */
void profile_settle(struct profile *p);

/* Bytes that its tables take, borrowed ones included. */
size_t profile_size(const struct profile *p);

#endif
