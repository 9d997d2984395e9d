/* search.h: binary search in sorted rows. */
#ifndef KILN_BASE_SEARCH_H
#define KILN_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* How many of `count` rows of `size` bytes have a number of at most `key` at `offset`. Rows
 * ascend by it. */
static inline size_t search_rows(
	const void *rows, size_t count, size_t size, size_t offset, uint64_t key)
{
	const char *at = rows; /* NULL when there are none */
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)(const void *)(at + middle * size + offset) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many of `count` ascending numbers are below `key`. */
static inline size_t search_below(const uint64_t *numbers, size_t count, uint64_t key)
{
	return key ? search_rows(numbers, count, sizeof(*numbers), 0, key - 1) : 0;
}

/* How many items of a vector that ascends by `member` (a uint64_t) have one of at most `key`.
 * The last of them is at the result minus 1. */
#define search_up_to(v, member, key)                                                               \
	search_rows((v)->items, (v)->len, sizeof(*(v)->items),                                     \
		offsetof(__typeof__(*(v)->items), member), (key))

#endif
