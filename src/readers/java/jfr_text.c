/* jfr_text.c: strings of a Flight Recorder file, in any of their encodings. */
#include "readers/java/jfr_text.h"

struct jfr_text jfr_text_take(struct cursor *c, bool compressed)
{
	struct jfr_text text = {.encoding = (enum jfr_encoding)cursor_u8(c)};
	const uint8_t *start;

	switch (text.encoding) {
	case JFR_NULL:
	case JFR_EMPTY:
		break;
	case JFR_CONSTANT:
		text.number = jfr_number(c, 8, compressed);
		break;
	case JFR_UTF8:
	case JFR_LATIN1:
		text.bytes = cursor_take(c, jfr_number(c, 4, compressed));
		break;
	case JFR_CHARS:
		text.number = jfr_number(c, 4, compressed);
		start = c->at;
		for (uint64_t i = 0; i < text.number && !c->bad; i++)
			jfr_number(c, 2, compressed);
		text.bytes = (struct bytes){(const char *)start, (size_t)(c->at - start)};
		break;
	default:
		c->bad = true;
	}
	return c->bad ? (struct jfr_text){0} : text;
}

static void add_code_point(uint32_t code, struct buffer *out)
{
	if (code < 0x80) {
		buffer_char(out, (char)code);
		return;
	}
	if (code < 0x800) {
		buffer_char(out, (char)(0xC0 | code >> 6));
	} else {
		if (code < 0x10000) {
			buffer_char(out, (char)(0xE0 | code >> 12));
		} else {
			buffer_char(out, (char)(0xF0 | code >> 18));
			buffer_char(out, (char)(0x80 | (code >> 12 & 0x3F)));
		}
		buffer_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
	}
	buffer_char(out, (char)(0x80 | (code & 0x3F)));
}

/* Half a surrogate pair becomes bytes that are not UTF-8, which profile_string replaces. */
static void add_chars(const struct jfr_text *text, bool compressed, struct buffer *out)
{
	struct cursor c = cursor_of(text->bytes);
	uint32_t high = 0;

	for (uint64_t i = 0; i < text->number; i++) {
		uint32_t unit = (uint32_t)jfr_number(&c, 2, compressed) & 0xFFFF;
		bool is_low = (unit & 0xFC00) == 0xDC00;

		if (high && is_low)
			unit = 0x10000 + ((high & 0x3FF) << 10 | (unit & 0x3FF));
		else if (high)
			add_code_point(high, out);
		high = (unit & 0xFFFFFC00) == 0xD800 ? unit : 0;
		if (!high)
			add_code_point(unit, out);
	}
	if (high)
		add_code_point(high, out);
}

void jfr_text_add(const struct jfr_text *text, bool compressed, struct buffer *out)
{
	if (text->encoding == JFR_CHARS)
		add_chars(text, compressed, out);
	else if (text->encoding == JFR_UTF8)
		buffer_add(out, text->bytes.at, text->bytes.len);
	else if (text->encoding == JFR_LATIN1)
		for (size_t i = 0; i < text->bytes.len; i++)
			add_code_point((unsigned char)text->bytes.at[i], out);
}
