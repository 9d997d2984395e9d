/* json_internal.h: what the files that read JSON share. */
#ifndef KILN_BASE_JSON_INTERNAL_H
#define KILN_BASE_JSON_INTERNAL_H

#include "base/json.h"

/* More of the input behind what the window has, which from `*keep` on stays; both it and j->at are
 * moved along. False at the end of the input. */
bool json_more(struct json *j, const char **keep);

/* Fail where this was expected, for what there is instead, or because nothing is. */
bool json_unexpected(struct json *j, const char *expected);
bool json_ended(struct json *j, const char *expected);

/* A word such as null, and nothing that goes on behind it. */
bool json_word(struct json *j, const char *word);

/* Behind the number that comes next, with all of it in the window; NULL: it is none. */
const char *json_number_text(struct json *j, struct json_decimal *n);

/* The next byte that is no blank, which stays to be read; -1: none. */
static inline int json_next_byte(struct json *j)
{
	for (;;) {
		for (; j->at < j->end; j->at++) {
			unsigned char c = (unsigned char)*j->at;

			if (c > ' ' || !(c == ' ' || c == '\n' || c == '\r' || c == '\t'))
				return j->failed ? -1 : c;
		}
		if (!json_more(j, &j->at))
			return -1;
	}
}

#endif
