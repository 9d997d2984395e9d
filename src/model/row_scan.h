/* row_scan.h: which is the first row of a column that is out of its bounds?
 *
 * At memory speed: a good column is read once, and nothing is decided for each row. */
#ifndef KILN_MODEL_ROW_SCAN_H
#define KILN_MODEL_ROW_SCAN_H

#include <stddef.h>
#include <stdint.h>

/* The first id that is not below `bound`; `count` when all are. */
size_t row_scan_ids(const uint32_t *ids, size_t count, uint32_t bound);

/* The first id that is not below the number of its own row, which is `first` for ids[0]; row 0 may
 * refer to itself. There are at most UINT32_MAX rows. `count` when all are. */
size_t row_scan_earlier(const uint32_t *ids, size_t count, uint32_t first);

/* The first time above `limit`, which is one less than a power of two; `count` when none is. */
size_t row_scan_times(const uint64_t *times, size_t count, uint64_t limit);

#endif
