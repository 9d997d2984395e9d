/* row_scan_loops.h: the loops of row_scan.h, compiled for several vector widths.
 *
 * Before a .kiln file is used, every id in it is checked (kiln_reader.c); `bench/open_kiln.sh`
 * measures it. A loop with an exit in each row cannot be vectorised. So blocks of 64 rows are
 * tested as a whole: the comparisons of a block are or'ed, which compilers turn into vector code,
 * and there is one branch per block. Only a bad block, and the last incomplete one, is searched row
 * by row.
 *
 * By hand: no library has such loops; with them the checks of 180 MB take no longer than to read
 * the memory, 9 ms (`bench/open_kiln.sh`). The includer defines ROW_SCAN(name), the name of a
 * loop at its width. */
#include <stddef.h>
#include <stdint.h>

#define BLOCK ((size_t)64) /* rows; compilers vectorise loops with a constant count */

size_t ROW_SCAN(ids)(const uint32_t *ids, size_t count, uint32_t bound)
{
	size_t i = 0;

	for (; i + BLOCK <= count; i += BLOCK) {
		uint32_t wrong = 0;

		for (size_t k = 0; k < BLOCK; k++)
			wrong |= (uint32_t)(ids[i + k] >= bound);
		if (wrong)
			break;
	}
	while (i < count && ids[i] < bound)
		i++;
	return i;
}

size_t ROW_SCAN(earlier)(const uint32_t *ids, size_t count, uint32_t first)
{
	size_t i = !first && count && !ids[0];

	for (; i + BLOCK <= count; i += BLOCK) {
		uint32_t own = first + (uint32_t)i, wrong = 0;

		for (uint32_t k = 0; k < BLOCK; k++)
			wrong |= (uint32_t)(ids[i + k] >= own + k);
		if (wrong)
			break;
	}
	while (i < count && ids[i] < first + (uint32_t)i)
		i++;
	return i;
}

size_t ROW_SCAN(times)(const uint64_t *times, size_t count, uint64_t limit)
{
	size_t i = 0;

	for (; i + BLOCK <= count; i += BLOCK) {
		uint64_t bits = 0;

		for (size_t k = 0; k < BLOCK; k++)
			bits |= times[i + k];
		if (bits & ~limit)
			break;
	}
	while (i < count && times[i] <= limit)
		i++;
	return i;
}

#undef BLOCK
