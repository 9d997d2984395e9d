/* bytes.h: a borrowed run of bytes, and reading text out of one. */
#ifndef KILN_BASE_BYTES_H
#define KILN_BASE_BYTES_H

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

static inline bool bytes_start(struct bytes whole, struct bytes start)
{
	return whole.len >= start.len && (!start.len || !memcmp(whole.at, start.at, start.len));
}

static inline bool bytes_end(struct bytes whole, struct bytes end)
{
	return whole.len >= end.len &&
	       (!end.len || !memcmp(whole.at + whole.len - end.len, end.at, end.len));
}

/* Byte order, a prefix before what it is a prefix of: <0, 0, >0. */
int bytes_compare(struct bytes a, struct bytes b);

/* Lower case, as the kernel and perf print them. */
static inline bool is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* The next line of `*text` without its newline (and without a '\r' before it); `*text` moves
 * behind it. False at the end. A last line without newline counts. */
bool bytes_line(struct bytes *text, struct bytes *ret_line);

/* What is before the next `at` of `*line`, both of which are cut off; false: there is none. */
bool bytes_cut(struct bytes *line, char at, struct bytes *ret_field);

/* Cut blanks (space, tab, '\r', '\n') at both ends. */
struct bytes bytes_trim(struct bytes text);

/* Where `needle` starts in `whole`, or NULL. */
const char *bytes_find(struct bytes whole, struct bytes needle);

/* Where the last `c` is, or NULL. */
const char *bytes_last(struct bytes whole, char c);

/* Behind the last '/' of a path; all of it when it has none. */
struct bytes bytes_base_name(struct bytes path);

/* The whole of `text` as a number; false when anything else is in it or it does not fit. */
bool bytes_u64(struct bytes text, uint64_t *ret_value);
bool bytes_hex(struct bytes text, uint64_t *ret_value);	 /* no 0x in front */
bool bytes_double(struct bytes text, double *ret_value); /* locale-free: digits, '.', exponent */

/* "10s", "250ms", "1.5m", "3us", "100ns", or seconds without a unit, in nanoseconds. */
bool bytes_duration(struct bytes text, uint64_t *ret_ns);

#endif
