/* memo.h: what did this text mean the last time?
 *
 * Profiles repeat themselves: 5.5 million frame lines can be 50,000 different ones. */
#ifndef KILN_READERS_LINES_MEMO_H
#define KILN_READERS_LINES_MEMO_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "readers/lines/scan.h"

#define MEMO_LIMIT ((size_t)64 << 20) /* bytes of text; a memo that reaches it starts afresh */

/* From texts to values that are not 0. `{0}` is empty. */
struct memo {
	struct id_map by_text;
	VECTOR(uint64_t) records; /* value and length in one word, then the text, padded */
	uint32_t last;		  /* the record that was found or put last; 0: neither */
	uint32_t beginnings;	  /* how often it started afresh, and older records became void */
};

void memo_release(struct memo *m);

/* The value of a text that has this hash, or 0 when it is not known (or was forgotten). */
uint32_t memo_find_hashed(struct memo *m, struct bytes text, uint64_t hash);
/* Remember one that was not found. */
void memo_put_hashed(struct memo *m, struct bytes text, uint64_t hash, uint32_t value);

static inline uint32_t memo_find(struct memo *m, struct bytes text)
{
	return memo_find_hashed(m, text, hash_bytes(text.at, text.len));
}

static inline void memo_put(struct memo *m, struct bytes text, uint32_t value)
{
	memo_put_hashed(m, text, hash_bytes(text.at, text.len), value);
}

/* The first step of memo_find is to hash the text: what the next one looks at is then on its way
 * into the cache. */
static inline uint64_t memo_fetch(const struct memo *m, struct bytes text)
{
	uint64_t hash = hash_bytes(text.at, text.len);

	if (m->by_text.slots)
		__builtin_prefetch(m->by_text.slots + id_map_start(&m->by_text, hash));
	return hash;
}

/* The next step: the record that may be of a text with this hash, or 0. It is on its way then. */
static inline uint32_t memo_candidate(const struct memo *m, uint64_t hash)
{
	size_t at = id_map_start(&m->by_text, hash);
	uint32_t record = m->by_text.slots ? id_map_candidate(&m->by_text, hash, &at) : 0;

	if (record)
		__builtin_prefetch(m->records.items + record - 1);
	return record;
}

/* The text of a record. */
static inline struct bytes memo_text(const struct memo *m, uint32_t record)
{
	const uint64_t *words = m->records.items + record - 1;

	return (struct bytes){(const char *)(words + 1), (uint32_t)*words};
}

static inline bool memo_is(const struct memo *m, uint32_t record, struct bytes text)
{
	struct bytes own = memo_text(m, record);

	return own.len == text.len && scan_same(own.at, text.at, text.len);
}

static inline uint32_t memo_value(const struct memo *m, uint32_t record)
{
	return (uint32_t)(m->records.items[record - 1] >> 32);
}

#endif
