/* hash.c: which id has the table row with a given content? */
#include "base/hash.h"

#include "base/large_pages.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __x86_64__
#include "base/hash_avx2.h"
#define LONG_INPUT ((size_t)1 << 10) /* bytes; shorter inputs do not repay the indirect call */
#endif

uint64_t hash_bytes(const void *bytes, size_t len)
{
#ifdef __x86_64__
	if (len >= LONG_INPUT && __builtin_cpu_supports("avx2"))
		return hash_bytes_avx2(bytes, len);
#endif
	return XXH3_64bits(bytes, len);
}

void id_map_release(struct id_map *m)
{
	memory_free(m->slots);
	*m = (struct id_map){0};
}

/* A lookup in a large table misses the caches anyway. With large pages the CPU need not walk the
 * page tables as well, and filling the table takes fewer page faults. */
static struct id_slot *new_slots(size_t count)
{
	size_t size = count * sizeof(struct id_slot);
	void *slots;

	if (size < 2 * LARGE_PAGE)
		return memory_new_table(count, sizeof(struct id_slot));
	slots = memory_new_aligned(size, LARGE_PAGE);
	large_pages_advise(slots, size);
	return memset(slots, 0, size);
}

struct id_map id_map_copy(const struct id_map *m)
{
	struct id_map copy = *m;

	if (!m->slots)
		return copy;
	copy.slots = new_slots(m->mask + 1);
	memcpy(copy.slots, m->slots, (m->mask + 1) * sizeof(*m->slots));
	return copy;
}

static void grow_to(struct id_map *m, size_t slots)
{
	struct id_map old = *m;

	m->mask = slots - 1;
	m->slots = new_slots(slots);
	for (size_t i = 0; old.slots && i <= old.mask; i++) {
		size_t at = old.slots[i].tag & m->mask;

		if (!old.slots[i].id)
			continue;
		while (m->slots[at].id)
			at = (at + 1) & m->mask;
		m->slots[at] = old.slots[i];
	}
	memory_free(old.slots);
}

void id_map_grow(struct id_map *m)
{
	grow_to(m, m->slots ? (m->mask + 1) * 2 : 64);
}

void id_map_reserve(struct id_map *m, size_t count)
{
	size_t slots = m->slots ? m->mask + 1 : 64;

	while (count * 2 > slots - 1)
		slots *= 2;
	if (!m->slots || slots > m->mask + 1)
		grow_to(m, slots);
}

void id_map_insert(struct id_map *m, uint64_t hash, uint32_t id)
{
	size_t at = id_map_first(m, hash);

	while (id_map_candidate(m, hash, &at))
		;
	id_map_insert_at(m, hash, at, id);
}
