/* buffer.c: how is output text put together? */
#include "base/buffer.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define REPLACEMENT "\xEF\xBF\xBD"

void buffer_release(struct buffer *b)
{
	memory_free(b->at);
	*b = (struct buffer){0};
}

void buffer_grow(struct buffer *b, size_t more)
{
	b->at = vector_grow(b->at, b->len, &b->cap, more, 1);
}

void buffer_add(struct buffer *b, const void *bytes, size_t len)
{
	char *room = buffer_reserve(b, len);

	if (len)
		memcpy(room, bytes, len);
	b->len += len;
	b->at[b->len] = '\0';
}

void buffer_set(struct buffer *b, struct bytes text)
{
	b->len = 0;
	buffer_add(b, text.at, text.len);
}

void buffer_text(struct buffer *b, const char *text)
{
	buffer_add(b, text, strlen(text));
}

void buffer_char(struct buffer *b, char c)
{
	char *room = buffer_reserve(b, 1);

	room[0] = c;
	room[1] = '\0';
	b->len++;
}

void buffer_u64(struct buffer *b, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	buffer_add(b, digits + at, sizeof(digits) - at);
}

void buffer_i64(struct buffer *b, int64_t value)
{
	if (value < 0)
		buffer_char(b, '-');
	buffer_u64(b, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void buffer_decimal(struct buffer *b, int64_t value, unsigned decimals)
{
	size_t start, digits;

	if (!decimals) {
		buffer_i64(b, value);
		return;
	}
	if (value < 0)
		buffer_char(b, '-');
	start = b->len;
	buffer_u64(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	digits = b->len - start;
	if (digits <= decimals) {
		size_t zeroes = decimals + 1 - digits;

		buffer_reserve(b, zeroes);
		memmove(b->at + start + zeroes, b->at + start, digits);
		memset(b->at + start, '0', zeroes);
		b->len += zeroes;
	}
	buffer_char(b, '\0');
	memmove(b->at + b->len - decimals, b->at + b->len - 1 - decimals, decimals);
	b->at[b->len - 1 - decimals] = '.';
	while (b->at[b->len - 1] == '0')
		b->len--;
	if (b->at[b->len - 1] == '.')
		b->len--;
}

void buffer_format(struct buffer *b, const char *fmt, va_list args)
{
	va_list again;
	int need;

	va_copy(again, args);
	need = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (need < 0)
		return;
	vsnprintf(buffer_reserve(b, (size_t)need), (size_t)need + 1, fmt, args);
	b->len += (size_t)need;
}

void buffer_printf(struct buffer *b, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	buffer_format(b, fmt, args);
	va_end(args);
}

struct bytes buffer_bytes(const struct buffer *b)
{
	return (struct bytes){b->at ? b->at : "", b->len};
}

void buffer_json(struct buffer *b, struct bytes text)
{
	buffer_char(b, '"');
	for (size_t i = 0; i < text.len;) {
		unsigned char c = (unsigned char)text.at[i];
		size_t sequence = utf8_decode((struct bytes){text.at + i, text.len - i}, NULL);

		if (c == '"' || c == '\\')
			buffer_printf(b, "\\%c", c);
		else if (c < 0x20)
			buffer_printf(b, "\\u%04x", c);
		else if (sequence)
			buffer_add(b, text.at + i, sequence);
		else
			buffer_text(b, REPLACEMENT);
		i += sequence ? sequence : 1;
	}
	buffer_char(b, '"');
}

static const char *xml_entity(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void xml_add(struct buffer *b, struct bytes text, bool comment)
{
	for (size_t i = 0; i < text.len;) {
		unsigned char c = (unsigned char)text.at[i];
		const char *entity = comment ? NULL : xml_entity(c);
		uint32_t code_point = 0;
		size_t sequence =
			utf8_decode((struct bytes){text.at + i, text.len - i}, &code_point);
		bool forbidden = !sequence || (c < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
				 code_point == 0xFFFE || code_point == 0xFFFF;

		if (comment && i && c == '-' && text.at[i - 1] == '-')
			buffer_char(b, ' ');
		if (entity)
			buffer_text(b, entity);
		else if (forbidden)
			buffer_text(b, REPLACEMENT);
		else
			buffer_add(b, text.at + i, sequence);
		i += sequence ? sequence : 1;
	}
}

void buffer_xml(struct buffer *b, struct bytes text)
{
	xml_add(b, text, false);
}

void buffer_xml_comment(struct buffer *b, struct bytes text)
{
	xml_add(b, text, true);
}

void buffer_visible(struct buffer *b, struct bytes text)
{
	while (text.len) {
		size_t clean = utf8_clean_length(text), odd = 1;
		uint32_t code_point = 0;

		buffer_add(b, text.at, clean);
		text = (struct bytes){text.at + clean, text.len - clean};
		if (!text.len)
			break;
		if (utf8_decode(text, &code_point) > 1) {
			odd = utf8_decode(text, NULL);
			buffer_printf(b, "\\u%04x", (unsigned)code_point);
		} else {
			buffer_printf(b, "\\x%02x", (unsigned)(unsigned char)*text.at);
		}
		text = (struct bytes){text.at + odd, text.len - odd};
	}
}

void buffer_csv(struct buffer *b, struct bytes text)
{
	bool quote = false;

	for (size_t i = 0; i < text.len; i++)
		quote |= strchr(",\"\r\n", text.at[i]) != NULL;
	if (!quote) {
		buffer_add(b, text.at, text.len);
		return;
	}
	buffer_char(b, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '"')
			buffer_char(b, '"');
		buffer_char(b, text.at[i]);
	}
	buffer_char(b, '"');
}
