/* hash.c: how do contents become ids? */
#include "base/hash.h"

#include "base/memory.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __x86_64__
#include "base/hash_avx2.h"
#define LONG_INPUT ((size_t)1 << 10) /* bytes from which the way there pays */
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
	free(m->slots);
	*m = (struct id_map){0};
}

void id_map_grow(struct id_map *m)
{
	struct id_map old = *m;
	size_t slots = m->slots ? (m->mask + 1) * 2 : 64;

	m->mask = slots - 1;
	m->slots = memory_new(slots, sizeof(*m->slots));
	for (size_t i = 0; old.slots && i <= old.mask; i++) {
		size_t at = old.slots[i].tag & m->mask;

		if (!old.slots[i].id)
			continue;
		while (m->slots[at].id)
			at = (at + 1) & m->mask;
		m->slots[at] = old.slots[i];
	}
	free(old.slots);
}
