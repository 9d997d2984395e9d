/* memo.h: what did this text mean the last time?
 *
 * Profiles repeat themselves: 5.5 million frame lines can be 50,000 different ones. */
#ifndef KILN_READERS_MEMO_H
#define KILN_READERS_MEMO_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"

#define MEMO_LIMIT ((size_t)64 << 20) /* bytes of text; a memo that reaches it starts afresh */

/* From texts to values that are not 0. `{0}` is empty. */
struct memo {
	struct id_map by_text;
	VECTOR(uint64_t) records; /* value and length in one word, then the text, padded */
	uint32_t last;		  /* the record that was found or put last; 0: neither */
	uint32_t beginnings;	  /* how often it started afresh, and older records became void */
};

void memo_release(struct memo *m);
/* The value of `text`, or 0 when it is not known (or was forgotten). */
uint32_t memo_find(struct memo *m, struct bytes text);
/* The text of a record. */
static inline struct bytes memo_text(const struct memo *m, uint32_t record)
{
	const uint64_t *words = m->records.items + record - 1;

	return (struct bytes){(const char *)(words + 1), (uint32_t)*words};
}

static inline bool memo_is(const struct memo *m, uint32_t record, struct bytes text)
{
	struct bytes own = memo_text(m, record);

	return own.len == text.len && !memcmp(own.at, text.at, text.len);
}

static inline uint32_t memo_value(const struct memo *m, uint32_t record)
{
	return (uint32_t)(m->records.items[record - 1] >> 32);
}

/* Remember a text that memo_find did not know. */
void memo_put(struct memo *m, struct bytes text, uint32_t value);

#endif
