/* symbolize_work.c: in which order are locations looked up? */
#include "process/symbolize_work.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static int work_compare(const void *a, const void *b)
{
	const struct work *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Sort work by its keys; keys[i] belongs to work[i]. Often it is sorted already. */
static void work_arrange(struct work *work, struct sort_key *keys, size_t count)
{
	struct work *arranged;
	size_t at = 1;

	while (at < count && keys[at - 1].key <= keys[at].key)
		at++;
	if (at >= count)
		return;
	sort_keys(keys, count);
	arranged = memory_new(count, sizeof(*arranged));
	for (size_t i = 0; i < count; i++)
		arranged[i] = work[keys[i].row];
	memcpy(work, arranged, count * sizeof(*arranged));
	memory_free(arranged);
}

/* The addresses in a binary are within 4 GB of each other; those of generated code need not be. */
void work_sort_by_address(struct work *work, size_t count)
{
	uint64_t lowest = UINT64_MAX, highest = 0;
	struct sort_key *keys;

	for (size_t i = 0; i < count; i++) {
		lowest = work[i].address < lowest ? work[i].address : lowest;
		highest = work[i].address > highest ? work[i].address : highest;
	}
	if (highest - lowest > UINT32_MAX) {
		qsort(work, count, sizeof(*work), work_compare);
		return;
	}
	keys = memory_new(count, sizeof(*keys));
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){(uint32_t)(work[i].address - lowest), (uint32_t)i};
	work_arrange(work, keys, count);
	memory_free(keys);
}

void work_sort_by_mapping(struct work *work, size_t count)
{
	struct sort_key *keys = memory_new(count, sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){work[i].mapping, (uint32_t)i};
	work_arrange(work, keys, count);
	memory_free(keys);
}
