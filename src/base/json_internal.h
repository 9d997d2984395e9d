/* json_internal.h: declarations that json.c and json_numbers.c share. */
#ifndef KILN_BASE_JSON_INTERNAL_H
#define KILN_BASE_JSON_INTERNAL_H

#include "base/json.h"

/* Read more input. The window keeps everything from `*keep` on; `*keep` and j->at move with it.
 * False at the end of the input. */
bool json_more(struct json *j, const char **keep);

/* Fail: `expected` is missing; the text says what is there instead, or that the input ends. */
bool json_unexpected(struct json *j, const char *expected);

/* Read a word such as null; it must not continue. */
bool json_literal(struct json *j, const char *word);

/* The end of the next number, all of which is then in the window; NULL: it is not a number. */
const char *json_number_text(struct json *j, struct json_decimal *n);

/* The next byte that is not a blank, not consumed; -1: none. */
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
