/* hash.h: hashing, and a map from content to the id of the table row that holds it. */
#ifndef KILN_BASE_HASH_H
#define KILN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XXH3 with 64 bits: fast, and the same on all machines and in all releases. */
uint64_t hash_bytes(const void *bytes, size_t len);

/* Hash two words with one multiplication and a fold: for keys that are pairs of ids. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	uint64_t x = (a << 32 | a >> 32) ^ b;

	x *= 0x9E3779B97F4A7C15u;
	return x ^ x >> 29;
}

/* A hash table from content to ids, with open addressing. A slot holds an id and 32 bits of its
 * hash. These bits determine the slot's home and filter out most mismatches, so that neither a miss
 * nor growing reads the rows. Ids belong to the caller and start at 1; 0 marks an empty slot. `{0}`
 * is an empty map. At most 2^32 - 1 entries.
 *
 * By hand: general hash tables store keys or pointers to them; here the rows of a table are the
 * keys, and a slot has 8 bytes. The hash itself is libxxhash's. `bench/draw_folded.sh` is mostly
 * such lookups. */
struct id_map {
	struct id_slot {
		uint32_t id, tag;
	} * slots;
	size_t mask, used;
};

void id_map_release(struct id_map *m);
struct id_map id_map_copy(const struct id_map *m);
void id_map_grow(struct id_map *m);
/* Allocate room for `count` entries at once. */
void id_map_reserve(struct id_map *m, size_t count);

/* Iterate over the candidates for `hash`:
 *
 *	size_t at = id_map_first(m, hash);
 *	for (uint32_t id; (id = id_map_candidate(m, hash, &at)); )
 *		if (row `id` is the key) return id;
 *	id_map_insert_at(m, hash, at, new_id);
 *
 * id_map_start is id_map_first for a map that has slots and that is not added to. */
static inline size_t id_map_start(const struct id_map *m, uint64_t hash)
{
	return (size_t)(hash >> 32) & m->mask;
}

static inline size_t id_map_first(struct id_map *m, uint64_t hash)
{
	if ((m->used + 1) * 2 > m->mask)
		id_map_grow(m);
	return id_map_start(m, hash);
}

static inline uint32_t id_map_candidate(const struct id_map *m, uint64_t hash, size_t *at)
{
	uint32_t tag = (uint32_t)(hash >> 32);

	for (; m->slots[*at].id; *at = (*at + 1) & m->mask) {
		if (m->slots[*at].tag == tag) {
			uint32_t id = m->slots[*at].id;

			*at = (*at + 1) & m->mask;
			return id;
		}
	}
	return 0;
}

/* Put `id` into the free slot where id_map_candidate stopped. */
static inline void id_map_insert_at(struct id_map *m, uint64_t hash, size_t at, uint32_t id)
{
	m->slots[at] = (struct id_slot){id, (uint32_t)(hash >> 32)};
	m->used++;
}

/* Enter `id` without comparing content; equal content may then have two ids. */
void id_map_insert(struct id_map *m, uint64_t hash, uint32_t id);

#endif
