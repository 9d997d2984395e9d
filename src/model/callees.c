/* callees.c: which row of a tree has this caller and this key? */
#include "model/callees.h"

#include <stdlib.h>

#define LISTED_LIMIT                                                                               \
	8u /* callees: two lines of the cache at worst where they were added together              \
	    */

void callees_release(struct callees *c)
{
	vector_release(&c->links);
	id_map_release(&c->hashed);
}

uint32_t callees_find_hashed(const struct callees *c, const uint32_t *callers, const uint32_t *keys,
	uint32_t caller, uint32_t key)
{
	uint64_t hash = hash_pair(caller, key);
	size_t at = id_map_start(&c->hashed, hash);
	uint32_t row;

	while ((row = id_map_candidate(&c->hashed, hash, &at)))
		if (callers[row] == caller && keys[row] == key)
			return row;
	return 0;
}

static void enter(struct callees *c, const uint32_t *keys, uint32_t caller, uint32_t row)
{
	id_map_insert(&c->hashed, hash_pair(caller, keys[row]), row);
}

static void learn(struct callees *c, const uint32_t *keys, uint32_t caller, uint32_t row)
{
	uint32_t *link = &c->links.items[caller].first;
	unsigned listed = 0;

	if (*link == CALLEES_HASHED) {
		enter(c, keys, caller, row);
		return;
	}
	for (; *link; link = &c->links.items[*link].next)
		listed++;
	*link = row;
	if (listed < LISTED_LIMIT)
		return;
	for (row = c->links.items[caller].first; row; row = c->links.items[row].next)
		enter(c, keys, caller, row);
	c->links.items[caller].first = CALLEES_HASHED;
}

void callees_index_rows(
	struct callees *c, const uint32_t *callers, const uint32_t *keys, size_t count)
{
	while (c->links.len < count) {
		uint32_t row = (uint32_t)c->links.len;

		vector_push(&c->links, ((struct callee_link){0}));
		if (row)
			learn(c, keys, callers[row], row);
	}
}
