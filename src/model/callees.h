/* callees.h: which row of a tree is called by this row, at this place?
 *
 * A tree is two columns, `callers` and `keys` (a location, a frame): a row is its caller and its
 * key, and comes behind its caller. Most rows have few callees, and rows that were added one after
 * another are mostly looked for in that order too: so the callees of a row are a list, whose links
 * lie beside one another, as the rows do. Only those of rows with many are found by their hash. */
#ifndef KILN_MODEL_CALLEES_H
#define KILN_MODEL_CALLEES_H

#include "base/hash.h"
#include "base/memory.h"

#define CALLEES_HASHED UINT32_MAX /* in place of the first callee: ask the map */

/* `{0}` knows no row. */
struct callees {
	VECTOR(struct callee_link {
		uint32_t first; /* callee, 0: none */
		uint32_t next;	/* callee of the same caller */
	})
	links;		      /* for every row that is known */
	struct id_map hashed; /* rows that are callees of rows with many */
};

void callees_release(struct callees *c);

void callees_learn_more(
	struct callees *c, const uint32_t *callers, const uint32_t *keys, size_t count);
/* Get to know all rows up to `count`, in their order. Row 0 is the root. */
static inline void callees_learn(
	struct callees *c, const uint32_t *callers, const uint32_t *keys, size_t count)
{
	if (c->links.len < count)
		callees_learn_more(c, callers, keys, count);
}
/* For rows whose caller has many. */
uint32_t callees_find_hashed(const struct callees *c, const uint32_t *callers, const uint32_t *keys,
	uint32_t caller, uint32_t key);

/* What callees_find looks at is on its way into the cache: first this, and a little later the other
 * one. */
static inline void callees_fetch(const struct callees *c, uint32_t caller)
{
	__builtin_prefetch(&c->links.items[caller]);
}
static inline void callees_fetch_first(
	const struct callees *c, const uint32_t *keys, uint32_t caller, uint32_t key)
{
	uint32_t row = c->links.items[caller].first;

	if (row == CALLEES_HASHED) {
		__builtin_prefetch(
			&c->hashed.slots[id_map_start(&c->hashed, hash_pair(caller, key))]);
		return;
	}
	__builtin_prefetch(&keys[row]);
	__builtin_prefetch(&c->links.items[row]);
}

/* The row with this caller and key, or 0. All rows are known, the caller is one of them. */
static inline uint32_t callees_find(const struct callees *c, const uint32_t *callers,
	const uint32_t *keys, uint32_t caller, uint32_t key)
{
	uint32_t row = c->links.items[caller].first;

	if (row == CALLEES_HASHED)
		return callees_find_hashed(c, callers, keys, caller, key);
	while (row && keys[row] != key)
		row = c->links.items[row].next;
	return row;
}

#endif
