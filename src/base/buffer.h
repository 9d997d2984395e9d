/* buffer.h: a growable buffer of bytes, and functions that append text to it. */
#ifndef KILN_BASE_BUFFER_H
#define KILN_BASE_BUFFER_H

#include "base/bytes.h"

#include <stdarg.h>

/* `{0}` is empty. `at[len]` is NUL whenever `at` is not NULL. */
struct buffer {
	char *at;
	size_t len, cap;
};

void buffer_release(struct buffer *b);
void buffer_grow(struct buffer *b, size_t more);
/* Room for `more` bytes at the end; the caller writes there and adds to len. */
static inline char *buffer_reserve(struct buffer *b, size_t more)
{
	if (b->len + more + 1 > b->cap)
		buffer_grow(b, more + 1);
	return b->at + b->len;
}
void buffer_add(struct buffer *b, const void *bytes, size_t len);
void buffer_set(struct buffer *b, struct bytes text); /* replaces the content */
void buffer_text(struct buffer *b, const char *text);
void buffer_char(struct buffer *b, char c);
void buffer_u64(struct buffer *b, uint64_t value);
void buffer_i64(struct buffer *b, int64_t value);
/* 1250 with three decimals is "1.25": trailing zeroes are dropped. */
void buffer_decimal(struct buffer *b, int64_t value, unsigned decimals);
__attribute__((format(printf, 2, 3))) void buffer_printf(struct buffer *b, const char *fmt, ...);
__attribute__((format(printf, 2, 0))) void buffer_format(
	struct buffer *b, const char *fmt, va_list args);
struct bytes buffer_bytes(const struct buffer *b);

/* `text` as a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD. */
void buffer_json(struct buffer *b, struct bytes text);

/* `text` for XML content and attributes: & < > " ' are escaped; control characters that XML 1.0
 * forbids and bytes that are not UTF-8 become U+FFFD. */
void buffer_xml(struct buffer *b, struct bytes text);

/* `text` within an XML comment: as buffer_xml, but nothing is escaped, and a blank is put between
 * two dashes, which would end the comment. */
void buffer_xml_comment(struct buffer *b, struct bytes text);

/* `text` in a form that is safe for a terminal: control characters, marks that change the direction
 * of text and bytes that are not UTF-8 (see utf8_clean_length) are written as escapes such as \x1b
 * or \u202e. */
void buffer_visible(struct buffer *b, struct bytes text);

/* `text` as one CSV field (RFC 4180), quoted if necessary. */
void buffer_csv(struct buffer *b, struct bytes text);

#endif
