/* changes.h: how is a change of a value written? */
#ifndef KILN_RENDERERS_CHANGES_H
#define KILN_RENDERERS_CHANGES_H

#include "base/buffer.h"
#include "model/sides.h"

/* "+12.3%", "new", "gone", "0%". */
void change_percent(struct buffer *b, const struct sides *s, int64_t before, int64_t after);

/* "+190 ms", "-15", "0" in the unit of the view's stream. */
void change_value(struct buffer *b, const struct view *v, const struct sides *s, int64_t before,
	int64_t after);

/* Lines with the names of the sides, their totals and how before was scaled. */
void change_summary(struct buffer *b, const struct view *v, const struct sides *s);

#endif
