/* seen.h: what did these bytes mean the last time? Of bytes that stay where they are: memo.h, which
 * copies them, is for those that do not. */
#ifndef KILN_READERS_SEEN_H
#define KILN_READERS_SEEN_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"

/* `{0}` is empty. */
struct seen {
	struct id_map by_bytes;
	VECTOR(struct seen_row) rows;
	uint64_t asked, known;
	bool useless; /* hardly anything came twice: nothing is remembered any more */
};
struct seen_row {
	const char *at;
	uint32_t len, value;
};

struct seen_question {
	struct bytes bytes;
	uint64_t hash;
	size_t place; /* where the answer belongs, once it was looked for */
};

void seen_release(struct seen *s);

static inline struct seen_question seen_question(const struct seen *s, struct bytes bytes)
{
	return (struct seen_question){bytes, s->useless ? 0 : hash_bytes(bytes.at, bytes.len), 0};
}

/* These are going to be asked: what will be looked at is fetched into the cache, for all of them at
 * once. */
void seen_expect(const struct seen *s, const struct seen_question *questions, size_t count);
/* False: not known; then seen_put may tell. */
bool seen_find(struct seen *s, struct seen_question *question, uint32_t *ret_value);
/* What seen_find did not know, right after it. */
void seen_put(struct seen *s, const struct seen_question *question, uint32_t value);

#endif
