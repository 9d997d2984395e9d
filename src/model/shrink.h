/* shrink.h: shrinking a profile that will only be read. */
#ifndef KILN_MODEL_SHRINK_H
#define KILN_MODEL_SHRINK_H

#include "model/profile.h"

/* Release what only adding rows needs: the maps and spare room. If a row is added after all, both
 * are allocated again. Also release columns of values that are all equal. */
void profile_shrink(struct profile *p);

/* Bytes that its tables take, borrowed ones included. */
size_t profile_size(const struct profile *p);

#endif
