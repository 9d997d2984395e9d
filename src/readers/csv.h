/* csv.h: the fields of a line of comma-separated values. */
#ifndef KILN_READERS_CSV_H
#define KILN_READERS_CSV_H

#include "base/bytes.h"

/* The next field of *line, without the quotes around it; *line moves behind it and is {0} behind
 * the last one, where false follows. In quotes, a quote only ends the field before a delimiter or
 * the end: writers that do not double quotes are understood, and doubled ones stay double. */
bool csv_next(struct bytes *line, char delimiter, struct bytes *ret_field);

/* "2,893,824", "2.893.824", "2 893 824": groups of three, one kind of separator. */
bool csv_grouped(struct bytes field, uint64_t *ret_value);

#endif
