/* profile_internal.h: what the files of the profile share: may a table have one more row, and do
 * its rows have a map? */
#ifndef KILN_MODEL_PROFILE_INTERNAL_H
#define KILN_MODEL_PROFILE_INTERNAL_H

#include "model/profile.h"

/* A profile that was mapped from a file has rows but no maps to find them; the first row that is
 * added makes the map. */
static inline bool rows_unindexed(const struct id_map *m, size_t rows)
{
	return !m->slots && rows > 1;
}

/* Is there room for one more row? */
static inline bool rows_have_room(struct profile *p, size_t rows)
{
	if (rows < PROFILE_ROWS_LIMIT &&
		(!p->limit || (uint64_t)rows * PROFILE_ROW_COST <= p->limit))
		return true;
	p->full = true;
	return false;
}

#endif
