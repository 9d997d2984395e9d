/* row_scan_loops.h: the loops of row_scan.h, to be compiled for several widths of registers.
 *
 * Whoever includes it defines ROW_SCAN(name), the name of a loop at its width. A block that is
 * wrong is found first, then its row. */
#include <stddef.h>
#include <stdint.h>

#define BLOCK ((size_t)64) /* rows; a constant count of turns is what compilers use vectors for */

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
