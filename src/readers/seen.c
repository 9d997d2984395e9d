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

bool seen_find(struct seen *s, struct bytes bytes, uint32_t *ret_value)
{
	uint32_t id;

	if (s->useless)
		return false;
	s->asked++;
	s->hash = hash_bytes(bytes.at, bytes.len);
	s->at = id_map_first(&s->by_bytes, s->hash);
	while ((id = id_map_candidate(&s->by_bytes, s->hash, &s->at))) {
		const struct seen_row *row = &s->rows.items[id - 1];

		if (row->len != bytes.len || memcmp(row->at, bytes.at, bytes.len) != 0)
			continue;
		s->known++;
		*ret_value = row->value;
		return true;
	}
	return false;
}

void seen_put(struct seen *s, struct bytes bytes, uint32_t value)
{
	if (s->useless || s->rows.len == ROWS_LIMIT || bytes.len > UINT32_MAX)
		return;
	if (s->asked >= TRIAL && s->known < s->asked / KNOWN_PART) {
		seen_release(s);
		s->useless = true;
		return;
	}
	vector_push(&s->rows, ((struct seen_row){bytes.at, (uint32_t)bytes.len, value}));
	id_map_put(&s->by_bytes, s->hash, s->at, (uint32_t)s->rows.len);
}
