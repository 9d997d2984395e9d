/* callees.h: which row of a tree has this caller and this key?
 *
 * A tree is two columns, `callers` and `keys` (a location or a frame): a row is its caller and
 * its key, and comes behind its caller. The search for a caller's callee with a given key is the
 * innermost loop of every reader and of most transforms. A hash table of all rows would cost a
 * cache miss for each search. But most rows have few callees, and rows that were added one after
 * another are mostly searched for in that order, too. So the callees of a row are a linked list;
 * the links lie in one array, indexed by row, and walking a list mostly stays within a few cache
 * lines. Only the callees of a row that has more than LISTED_LIMIT of them are found in a hash
 * table, which bounds the cost. `bench/draw_folded.sh` (shuffled) and `bench/fold.sh` measure
 * it. */
#ifndef KILN_MODEL_CALLEES_H
#define KILN_MODEL_CALLEES_H

#include "base/hash.h"
#include "base/memory.h"

#define CALLEES_HASHED UINT32_MAX /* in place of the first callee: ask the map */

/* `{0}` contains no row. */
struct callees {
	VECTOR(struct callee_link {
		uint32_t first; /* first callee; 0: none */
		uint32_t next;	/* next callee of the same caller */
	})
	links;		      /* for every row that was learned */
	struct id_map hashed; /* the callees of rows with many */
};

void callees_release(struct callees *c);

void callees_index_rows(
	struct callees *c, const uint32_t *callers, const uint32_t *keys, size_t count);
/* Learn all rows up to `count`, in their order. Row 0 is the root. */
static inline void callees_index(
	struct callees *c, const uint32_t *callers, const uint32_t *keys, size_t count)
{
	if (c->links.len < count)
		callees_index_rows(c, callers, keys, count);
}
/* For a caller with many callees. */
uint32_t callees_find_hashed(const struct callees *c, const uint32_t *callers, const uint32_t *keys,
	uint32_t caller, uint32_t key);

/* Prefetch what callees_find reads: first callees_prefetch, a little later callees_prefetch_first.
 */
static inline void callees_prefetch(const struct callees *c, uint32_t caller)
{
	__builtin_prefetch(&c->links.items[caller]);
}
static inline void callees_prefetch_first(
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

/* The row with this caller and key, or 0. All rows have been learned; the caller is one of them. */
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
