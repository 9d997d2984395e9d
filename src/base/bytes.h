/* bytes.h: a borrowed range of bytes, and parsers for the text in it. */
#ifndef KILN_BASE_BYTES_H
#define KILN_BASE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Never owned, not NUL-terminated, valid as long as what it points into. */
struct bytes {
	const char *at;
	size_t len;
};

/* A string literal as bytes. */
#define BYTES(literal) ((struct bytes){(literal), sizeof(literal) - 1})

static inline struct bytes bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static inline bool bytes_equal(struct bytes a, struct bytes b)
{
	return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static inline bool bytes_starts_with(struct bytes whole, struct bytes start)
{
	return whole.len >= start.len && (!start.len || !memcmp(whole.at, start.at, start.len));
}

static inline bool bytes_ends_with(struct bytes whole, struct bytes end)
{
	return whole.len >= end.len &&
	       (!end.len || !memcmp(whole.at + whole.len - end.len, end.at, end.len));
}

/* The first `max` bytes, or all if there are fewer. */
static inline struct bytes bytes_head(struct bytes whole, uint64_t max)
{
	return (struct bytes){whole.at, whole.len < max ? whole.len : (size_t)max};
}

/* Compare bytewise; a prefix sorts before the longer text. Returns <0, 0 or >0. */
int bytes_compare(struct bytes a, struct bytes b);

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Lower case, as the kernel and perf print them. */
static inline bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Take the next line off `*text`, without its newline and a '\r' before that. False at the end.
 * A last line without a newline counts. */
bool bytes_line(struct bytes *text, struct bytes *ret_line);

static inline bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Cut blanks at both ends. */
static inline struct bytes bytes_trim(struct bytes text)
{
	while (text.len && is_space(text.at[0]))
		text.at++, text.len--;
	while (text.len && is_space(text.at[text.len - 1]))
		text.len--;
	return text;
}

/* The number of bytes before the first `stop`, or text.len. The first eight bytes are tested at
 * once: for short fields, that is faster than a call of memchr. */
static inline size_t bytes_until(struct bytes text, char stop)
{
	const uint64_t low = 0x0101010101010101;
	const char *found;

	if (text.len >= 8) {
		uint64_t eight;

		memcpy(&eight, text.at, sizeof(eight));
		eight = le64toh(eight) ^ low * (unsigned char)stop;
		eight = (eight - low) & ~eight & low << 7;
		if (eight)
			return (size_t)__builtin_ctzll(eight) / 8;
	}
	found = text.len ? memchr(text.at, stop, text.len) : NULL;
	return found ? (size_t)(found - text.at) : text.len;
}

/* Take the field before the next `at` off `*line`, and the separator with it. False: no
 * separator. */
static inline bool bytes_cut(struct bytes *line, char at, struct bytes *ret_field)
{
	size_t len = bytes_until(*line, at);

	if (len == line->len)
		return false;
	*ret_field = (struct bytes){line->at, len};
	*line = (struct bytes){line->at + len + 1, line->len - len - 1};
	return true;
}

/* How many bytes at the start equal `of`. */
static inline size_t bytes_count_leading(struct bytes text, char of)
{
	const uint64_t low = 0x0101010101010101;
	size_t i = 0;

	for (; i + 8 <= text.len; i += 8) {
		uint64_t eight;

		memcpy(&eight, text.at + i, sizeof(eight));
		eight = le64toh(eight) ^ low * (unsigned char)of;
		if (eight)
			return i + (size_t)__builtin_ctzll(eight) / 8;
	}
	while (i < text.len && text.at[i] == of)
		i++;
	return i;
}

/* Where `needle` starts in `whole`, or NULL. */
const char *bytes_find(struct bytes whole, struct bytes needle);

/* Address of the last `c`, or NULL. */
const char *bytes_find_last(struct bytes whole, char c);

/* The part behind the last '/' of a path; all of it without a '/'. */
struct bytes bytes_base_name(struct bytes path);

/* The whole of `text` as a number; false when it contains anything else or overflows. */
bool bytes_u64(struct bytes text, uint64_t *ret_value);
bool bytes_hex(struct bytes text, uint64_t *ret_value); /* without 0x */
bool bytes_double(
	struct bytes text, double *ret_value); /* as in the C locale: digits, '.', exponent */

/* "10s", "250ms", "1.5m", "3us", "100ns", or seconds without a unit, in nanoseconds. */
bool bytes_duration(struct bytes text, uint64_t *ret_ns);

#endif
