/* columns.c: how are columns of numbers written so that a page can use them in place? */
#include "renderers/columns.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>

static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "columns are written as they are");

#define ALIGNMENT 8u /* bytes: of the largest numbers */

bool columns_fit(const struct view *v, struct error *err)
{
	bool *second = memory_new(v->profile->streams.len, sizeof(*second));
	bool two = view_second_side(v, second);

	memory_free(second);
	return !two || error_set(err, ERR_UNSUPPORTED,
			       "this output cannot show differences: expected svg, top or tree");
}

static size_t size_of(const struct column *c)
{
	return c->count * (size_t)(strtol(c->type + 1, NULL, 10) / 8);
}

void columns_number(struct columns *c, const char *name, int64_t value)
{
	buffer_printf(&c->header, ",\"%s\":%lld", name, (long long)value);
}

void columns_text(struct columns *c, const char *name, struct bytes value)
{
	buffer_printf(&c->header, ",\"%s\":", name);
	buffer_json(&c->header, value);
}

void columns_add(
	struct columns *c, const char *name, const char *type, const void *items, size_t count)
{
	vector_push(&c->columns, ((struct column){name, type, items, count}));
}

static void write_header(const struct columns *c, struct output *out)
{
	struct buffer text = {0};
	uint32_t length;

	buffer_text(&text, "{\"columns\":[");
	for (size_t i = 0; i < c->columns.len; i++)
		buffer_printf(&text, "%s{\"name\":\"%s\",\"type\":\"%s\",\"count\":%zu}",
			i ? "," : "", c->columns.items[i].name, c->columns.items[i].type,
			c->columns.items[i].count);
	buffer_char(&text, ']');
	buffer_add(&text, c->header.at, c->header.len);
	buffer_char(&text, '}');
	while ((text.len + sizeof(length)) % ALIGNMENT)
		buffer_char(&text, ' ');
	length = (uint32_t)text.len;
	output_write(out, (struct bytes){(const char *)&length, sizeof(length)});
	output_write(out, buffer_bytes(&text));
	buffer_release(&text);
}

void columns_write(struct columns *c, struct output *out)
{
	static const char zeros[ALIGNMENT];

	write_header(c, out);
	for (size_t i = 0; i < c->columns.len; i++) {
		size_t size = size_of(&c->columns.items[i]);

		if (size)
			output_write(out, (struct bytes){c->columns.items[i].items, size});
		output_write(out, (struct bytes){zeros, -size % ALIGNMENT});
	}
	buffer_release(&c->header);
	vector_release(&c->columns);
}
