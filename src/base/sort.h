/* sort.h: sorting rows by a number, in linear time. */
#ifndef KILN_BASE_SORT_H
#define KILN_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_key {
	uint32_t key, row;
};

/* Sort by ascending key; equal keys keep their order. Needs memory for another `count` keys. */
void sort_keys(struct sort_key *keys, size_t count);

/* The rows 0 to count - 1 in ascending order of their numbers; equal numbers keep their order.
 * `ret_sorted` has room for `count`; only its rows are meaningful. */
void sort_by_number(const uint64_t *numbers, size_t count, struct sort_key *ret_sorted);

#endif
