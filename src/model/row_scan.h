/* row_scan.h: which is the first row of a column that is out of bounds?
 *
 * A good column is read once, at memory speed. */
#ifndef KILN_MODEL_ROW_SCAN_H
#define KILN_MODEL_ROW_SCAN_H

#include <stddef.h>
#include <stdint.h>

/* The index of the first id that is not below `bound`; `count` if there is none. */
size_t row_scan_ids(const uint32_t *ids, size_t count, uint32_t bound);

/* The index of the first id that is not below the number of its own row (`first` for ids[0]);
 * row 0 may refer to itself. There are at most UINT32_MAX rows. `count` if there is none. */
size_t row_scan_earlier(const uint32_t *ids, size_t count, uint32_t first);

/* The index of the first time above `limit`, which is a power of two minus one; `count` if there
 * is none. */
size_t row_scan_times(const uint64_t *times, size_t count, uint64_t limit);

#endif
