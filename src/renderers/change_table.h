/* change_table.h: functions of two sides as a table: what each costs, and how that changed. */
#ifndef KILN_RENDERERS_CHANGE_TABLE_H
#define KILN_RENDERERS_CHANGE_TABLE_H

#include "renderers/functions.h"
#include "renderers/text.h"

/* Append the first `rows` functions. `hidden`: how many did not change enough to be listed. */
void change_table(struct buffer *b, const struct view *v, const struct functions *f, size_t rows,
	size_t hidden, const struct text_settings *text);

#endif
