/* sort.c: sorting rows by a number, in linear time.
 *
 * A radix sort, least significant digit first: three stable passes over digits of 11 bits sort
 * 32-bit keys; 64-bit numbers are sorted by their lower half and then by their upper half. 11 bits
 * keep the 2,048 counters in the L1 cache; 16 bits would save one pass and miss the cache in each.
 * A digit that all keys share costs one scan instead of a pass, so small numbers take fewer passes.
 *
 * By hand: qsort calls a function for each of n log n comparisons and is not stable. The symbols of
 * binaries and the addresses to be named are sorted here: `bench/symbolize.sh`. */
#include "base/sort.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS	   (1u << DIGIT_BITS)

/* One stable pass; false, and nothing moved, when all keys have the same digit. */
static bool sort_pass(
	const struct sort_key *from, struct sort_key *to, size_t count, unsigned shift)
{
	uint32_t starts[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		starts[from[i].key >> shift & (DIGITS - 1)]++;
	if (starts[from[0].key >> shift & (DIGITS - 1)] == count)
		return false;
	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t here = starts[i];

		starts[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

void sort_keys(struct sort_key *keys, size_t count)
{
	struct sort_key *other, *from = keys, *to, *sorted;

	if (count < 2)
		return;
	to = other = memory_new(count, sizeof(*other));
	for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS) {
		if (!sort_pass(from, to, count, shift))
			continue;
		sorted = to;
		to = from;
		from = sorted;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
	memory_free(other);
}

void sort_by_number(const uint64_t *numbers, size_t count, struct sort_key *ret_sorted)
{
	for (size_t i = 0; i < count; i++)
		ret_sorted[i] = (struct sort_key){(uint32_t)numbers[i], (uint32_t)i};
	sort_keys(ret_sorted, count);
	for (size_t i = 0; i < count; i++)
		ret_sorted[i].key = (uint32_t)(numbers[ret_sorted[i].row] >> 32);
	sort_keys(ret_sorted, count);
}
