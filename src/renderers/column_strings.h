/* column_strings.h: names as columns: each string once, by number. */
#ifndef KILN_RENDERERS_COLUMN_STRINGS_H
#define KILN_RENDERERS_COLUMN_STRINGS_H

#include "renderers/columns.h"

/* Columns `string_end` and `strings` in the making. */
struct column_strings {
	const struct view *view;
	uint32_t *number; /* of every string id of the view plus one; 0: not used yet */
	VECTOR(uint32_t) ends;
	struct buffer bytes;
};

void column_strings_init(struct column_strings *s, const struct view *v);
/* The number of a string, which is added when it is new. */
uint32_t column_string(struct column_strings *s, string_id id);
/* The number of a text that is new and has been appended to `bytes`. */
uint32_t column_string_made(struct column_strings *s);
/* `string_end` (u32), where each string ends in the next column, and `strings` (u8): they stay
 * there until columns_write. */
void columns_add_strings(struct columns *c, const struct column_strings *s);
/* `"kinds":[...]`: the names of the kinds of frames, by their numbers. */
void columns_kinds(struct columns *c);
void column_strings_release(struct column_strings *s);

#endif
