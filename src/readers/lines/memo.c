/* memo.c: remembers values by text. */
#include "readers/lines/memo.h"

#include <stdlib.h>

/* A record's id is the index of its first word, plus one. Value and text lie together, so that a
 * hit costs one cache line besides the slot. */

void memo_release(struct memo *m)
{
	id_map_release(&m->by_text);
	vector_release(&m->records);
}

uint32_t memo_find_hashed(struct memo *m, struct bytes text, uint64_t hash)
{
	size_t at = id_map_first(&m->by_text, hash);

	while ((m->last = id_map_candidate(&m->by_text, hash, &at)))
		if (memo_is(m, m->last, text))
			return memo_value(m, m->last);
	return 0;
}

void memo_put_hashed(struct memo *m, struct bytes text, uint64_t hash, uint32_t value)
{
	size_t words = 1 + (text.len + 7) / 8;
	size_t at;

	m->last = 0;
	if (words * 8 > MEMO_LIMIT / 16)
		return;
	if ((m->records.len + words) * 8 > MEMO_LIMIT) {
		memo_release(m);
		m->beginnings++;
	}
	m->last = (uint32_t)m->records.len + 1;
	vector_reserve(&m->records, words);
	m->records.items[m->records.len] = (uint64_t)value << 32 | text.len;
	memcpy(m->records.items + m->records.len + 1, text.at, text.len);
	m->records.len += words;
	at = id_map_first(&m->by_text, hash);
	while (id_map_candidate(&m->by_text, hash, &at))
		;
	id_map_insert_at(&m->by_text, hash, at, m->last);
}
