/* seen.c: what did these bytes mean the last time? */
#include "readers/seen.h"

#include <stdlib.h>

#define TRIAL	   16384u   /* questions before it is asked whether it is worth while */
#define KNOWN_PART 8u	    /* of so many questions one should be answered */
#define ROWS_LIMIT 8000000u /* a row and its slots take 32 to 64 bytes */

void seen_release(struct seen *s)
{
	id_map_release(&s->by_bytes);
	vector_release(&s->rows);
	*s = (struct seen){0};
}

#define TOGETHER 32u /* questions that wait for memory at once */

static uint32_t candidate(const struct seen *s, uint64_t hash)
{
	size_t at = id_map_start(&s->by_bytes, hash);

	return id_map_candidate(&s->by_bytes, hash, &at);
}

/* A step of all of them before the next step of any. */
static void fetch(const struct seen *s, const struct seen_question *questions, size_t count)
{
	uint32_t ids[TOGETHER];

	for (size_t i = 0; i < count; i++)
		__builtin_prefetch(
			s->by_bytes.slots + id_map_start(&s->by_bytes, questions[i].hash));
	for (size_t i = 0; i < count; i++) {
		ids[i] = candidate(s, questions[i].hash);
		if (ids[i])
			__builtin_prefetch(s->rows.items + ids[i] - 1);
	}
	for (size_t i = 0; i < count; i++)
		if (ids[i])
			__builtin_prefetch(s->rows.items[ids[i] - 1].at);
}

void seen_expect(const struct seen *s, const struct seen_question *questions, size_t count)
{
	if (s->useless || !s->rows.len)
		return;
	for (size_t done = 0; done < count; done += TOGETHER)
		fetch(s, questions + done, count - done < TOGETHER ? count - done : TOGETHER);
}

bool seen_find(struct seen *s, struct seen_question *question, uint32_t *ret_value)
{
	struct bytes bytes = question->bytes;
	uint32_t id;

	if (s->useless)
		return false;
	s->asked++;
	question->place = id_map_first(&s->by_bytes, question->hash);
	while ((id = id_map_candidate(&s->by_bytes, question->hash, &question->place))) {
		const struct seen_row *row = &s->rows.items[id - 1];

		if (row->len != bytes.len || memcmp(row->at, bytes.at, bytes.len) != 0)
			continue;
		s->known++;
		*ret_value = row->value;
		return true;
	}
	return false;
}

void seen_put(struct seen *s, const struct seen_question *question, uint32_t value)
{
	struct bytes bytes = question->bytes;

	if (s->useless || s->rows.len == ROWS_LIMIT || bytes.len > UINT32_MAX)
		return;
	if (s->asked >= TRIAL && s->known < s->asked / KNOWN_PART) {
		seen_release(s);
		s->useless = true;
		return;
	}
	vector_push(&s->rows, ((struct seen_row){bytes.at, (uint32_t)bytes.len, value}));
	id_map_put(&s->by_bytes, question->hash, question->place, (uint32_t)s->rows.len);
}
