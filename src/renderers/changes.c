/* changes.c: how is a change of a value written? */
#include "renderers/changes.h"

#include "renderers/text.h"

#include <math.h>

void change_percent(struct buffer *b, const struct sides *s, int64_t before, int64_t after)
{
	double from = (double)before * s->scale, percent;

	if (!before || !after) {
		buffer_text(b, after ? "new" : before ? "gone" : "0%");
		return;
	}
	percent = ((double)after - from) / fabs(from) * 100; /* more is positive, also below 0 */
	if (fabs(percent) < 0.05)
		buffer_text(b, "0%");
	else
		buffer_printf(b, fabs(percent) < 99.95 ? "%+.1f%%" : "%+.0f%%", percent);
}

void change_value(struct buffer *b, const struct view *v, const struct sides *s, int64_t before,
	int64_t after)
{
	int64_t change = sides_change(s, before, after);

	if (change > 0)
		buffer_char(b, '+');
	if (change)
		text_value(b, v, change);
	else
		buffer_char(b, '0');
}

void change_summary(struct buffer *b, const struct view *v, const struct sides *s)
{
	for (size_t side = 0; side < 2; side++) {
		sides_name(v->profile, side, b);
		buffer_text(b, ": ");
		text_stream_value(b, v->profile, view_stream(v), s->total[side][0]);
		if (side && s->scale == 1) {
			buffer_text(b, " (");
			change_value(b, v, s, s->total[0][0], s->total[1][0]);
			buffer_text(b, ", ");
			change_percent(b, s, s->total[0][0], s->total[1][0]);
			buffer_char(b, ')');
		} else if (!side && s->scale != 1) {
			buffer_printf(b, ", taken %.4g times to compare", s->scale);
		}
		buffer_char(b, '\n');
	}
}
