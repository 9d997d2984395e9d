/* qsort_r.c: qsort_r, which wasi-libc lacks. A stable merge sort, as glibc's. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef int compare(const void *a, const void *b, void *context);

/* Merge the sorted [at, at + left) and [at + left, at + count), in items, through `room`. */
static void merge(char *at, size_t left, size_t count, size_t size, char *room, compare *compares,
	void *context)
{
	size_t i = 0, j = left;

	for (size_t k = 0; k < count; k++) {
		bool first = i < left &&
			     (j == count || compares(at + i * size, at + j * size, context) <= 0);

		memcpy(room + k * size, at + (first ? i++ : j++) * size, size);
	}
	memcpy(at, room, count * size);
}

void qsort_r(void *items, size_t count, size_t size, compare *compares, void *context)
{
	char *at = items, *room = memory_new(count, size);

	for (size_t run = 1; run < count; run *= 2)
		for (size_t i = 0; i + run < count; i += 2 * run)
			merge(at + i * size, run, 2 * run < count - i ? 2 * run : count - i, size,
				room, compares, context);
	free(room);
}
