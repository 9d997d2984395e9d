/* change_table.h: functions of two sides as a table: what each costs, and what became of it. */
#ifndef KILN_RENDERERS_CHANGE_TABLE_H
#define KILN_RENDERERS_CHANGE_TABLE_H

#include "renderers/functions.h"
#include "renderers/text.h"

/* The first `rows` functions. `hidden`: how many there are that did not change enough. */
void change_table(struct buffer *b, const struct view *v, const struct functions *f, size_t rows,
	size_t hidden, const struct text_settings *text);

#endif
