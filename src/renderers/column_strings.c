/* column_strings.c: which names are in a table, and where? */
#include "renderers/column_strings.h"

#include <stdlib.h>

void column_strings_init(struct column_strings *s, const struct view *v)
{
	size_t count = v->profile->string_ends.len + v->extra.string_ends.len;

	*s = (struct column_strings){.view = v, .number = memory_new(count, sizeof(*s->number))};
}

uint32_t column_string_made(struct column_strings *s)
{
	vector_push(&s->ends, (uint32_t)s->bytes.len);
	return (uint32_t)s->ends.len - 1;
}

uint32_t column_string(struct column_strings *s, string_id id)
{
	if (!s->number[id]) {
		struct bytes text = view_text(s->view, id);

		buffer_add(&s->bytes, text.at, text.len);
		s->number[id] = column_string_made(s) + 1;
	}
	return s->number[id] - 1;
}

void columns_add_strings(struct columns *c, const struct column_strings *s)
{
	columns_add(c, "string_end", "u32", s->ends.items, s->ends.len);
	columns_add(c, "strings", "u8", s->bytes.at, s->bytes.len);
}

void columns_kinds(struct columns *c)
{
	buffer_text(&c->header, ",\"kinds\":[");
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		buffer_printf(&c->header, "%s\"%s\"", kind ? "," : "",
			frame_kind_name((enum frame_kind)kind));
	buffer_char(&c->header, ']');
}

void column_strings_release(struct column_strings *s)
{
	free(s->number);
	vector_release(&s->ends);
	buffer_release(&s->bytes);
}
