/* seen.h: what did these bytes mean the last time? Of bytes that may never come again: then nothing
 * is remembered any more. */
#ifndef KILN_READERS_STACKS_SEEN_H
#define KILN_READERS_STACKS_SEEN_H

#include "readers/lines/memo.h"

/* `{0}` is empty. */
struct seen {
	struct memo memo;
	uint64_t lookups, hits;
	bool useless; /* hardly anything came twice */
};
struct seen_question {
	struct bytes bytes;
	uint64_t hash;
};

void seen_release(struct seen *s);

/* What the answer is looked for with is on its way into the cache then. */
static inline struct seen_question seen_question(const struct seen *s, struct bytes bytes)
{
	return (struct seen_question){bytes, s->useless ? 0 : memo_fetch(&s->memo, bytes)};
}

/* These are asked next: so are their answers, all at once. */
void seen_expect(const struct seen *s, const struct seen_question *questions, size_t count);
/* The value that was put; 0: unknown, then call seen_put. */
uint32_t seen_find(struct seen *s, const struct seen_question *question);
void seen_put(struct seen *s, const struct seen_question *question, uint32_t value);

#endif
