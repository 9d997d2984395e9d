/* scan.h: searches text at memory speed.
 *
 * By hand: with memchr, memmem and comparison byte by byte instead, 340 MB of perf script's text
 * take 0.63 s of CPU time to fold instead of 0.20, and 440 MB of folded text 0.51 instead of 0.43:
 * `bench/fold.sh`. */
#ifndef KILN_READERS_LINES_SCAN_H
#define KILN_READERS_LINES_SCAN_H

#include "base/bytes.h"

#include <endian.h>

/* Where the newline is that an empty line follows ("\n\n" or "\n\r\n"); text.len: nowhere. */
size_t scan_empty_line(struct bytes text);

/* The offsets of the first newlines, in less than 4 GiB of text. Returns how many were found: at
 * least one, if there is any, but perhaps not all. `limit`: room for offsets, at least 32. */
size_t scan_newlines(struct bytes text, uint32_t *ret_at, size_t limit);

/* How many bytes `a` and `b` have in common at the start, and at the end. */
size_t scan_common_start(struct bytes a, struct bytes b);
size_t scan_common_end(struct bytes a, struct bytes b);

typedef unsigned char scan_sixteen __attribute__((vector_size(16)));

static inline scan_sixteen scan_load(const char *at)
{
	scan_sixteen bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* Zero where the bytes are the same. */
static inline scan_sixteen scan_difference(const char *a, const char *b)
{
	return scan_load(a) ^ scan_load(b);
}

static inline bool scan_is_zero(scan_sixteen bytes)
{
	uint64_t words[2];

	memcpy(words, &bytes, sizeof(words));
	return !(words[0] | words[1]);
}

/* Are these bytes equal? For mostly short texts. All of up to 64 bytes are compared, some twice:
 * the end of a loop would be mispredicted. */
static inline bool scan_same(const char *a, const char *b, size_t len)
{
	scan_sixteen all;

	if (len < 16) {
		uint64_t of_a[2], of_b[2];

		if (len < 8)
			return !memcmp(a, b, len);
		memcpy(&of_a[0], a, 8);
		memcpy(&of_b[0], b, 8);
		memcpy(&of_a[1], a + len - 8, 8);
		memcpy(&of_b[1], b + len - 8, 8);
		return !((of_a[0] ^ of_b[0]) | (of_a[1] ^ of_b[1]));
	}
	if (len > 64)
		return !memcmp(a, b, len);
	all = scan_difference(a, b) | scan_difference(a + len - 16, b + len - 16);
	if (len > 32)
		all |= scan_difference(a + 16, b + 16) |
		       scan_difference(a + len - 32, b + len - 32);
	return scan_is_zero(all);
}

/* Not zero where the bytes differ and one of them is no decimal digit. */
static inline scan_sixteen scan_difference_but_digits(const char *a, const char *b)
{
	scan_sixteen of_a = scan_load(a), of_b = scan_load(b);

	return (scan_sixteen)(of_a != of_b) &
	       ((scan_sixteen)(of_a - '0' > 9) | (scan_sixteen)(of_b - '0' > 9));
}

/* Are these bytes equal, except that digits may differ from digits? False for less than 16
 * bytes. */
static inline bool scan_same_but_digits(const char *a, const char *b, size_t len)
{
	scan_sixteen all;

	if (len < 16)
		return false;
	all = scan_difference_but_digits(a + len - 16, b + len - 16);
	for (size_t i = 0; i + 16 < len; i += 16)
		all |= scan_difference_but_digits(a + i, b + i);
	return scan_is_zero(all);
}

/* Are these 16 bytes blanks and then hexadecimal digits (is_hex_digit), at least one? */
static inline bool scan_hex_column(const char *at)
{
	scan_sixteen text = scan_load(at), blanks = (scan_sixteen)(text == ' ');
	scan_sixteen either =
		blanks | (scan_sixteen)(text - '0' <= 9) | (scan_sixteen)(text - 'a' <= 5);
	uint64_t words[2];

	memcpy(words, &either, sizeof(words));
	if ((words[0] & words[1]) != UINT64_MAX)
		return false;
	memcpy(words, &blanks, sizeof(words));
	words[0] = le64toh(words[0]);
	words[1] = le64toh(words[1]);
	if (words[1] && words[0] != UINT64_MAX)
		return false;
	return !(words[0] & (words[0] + 1)) && !(words[1] & (words[1] + 1)) &&
	       words[1] != UINT64_MAX;
}

/* How many digits, hexadecimal ones (is_hex_digit) or not, end at `end`, going back to `start` at
 * most. For numbers of a few digits: eight bytes at once are faster than branches that are
 * mispredicted. */
static inline size_t scan_digits_of(const char *start, const char *end, bool hex)
{
	const uint64_t low = 0x0101010101010101, high = low << 7;
	size_t count = 0;

	if (end - start >= 8) {
		uint64_t bytes, seven, digits, letters, others;

		memcpy(&bytes, end - 8, sizeof(bytes));
		bytes = le64toh(bytes); /* the last one on top */
		seven = bytes & ~high;
		/* The top bit of a byte's sum tells whether the byte reaches a character. */
		digits = (seven + low * (0x80 - '0')) & ~(seven + low * (0x80 - '9' - 1));
		letters = (seven + low * (0x80 - 'a')) & ~(seven + low * (0x80 - 'f' - 1));
		others = ~((hex ? digits | letters : digits) & ~bytes) & high;
		if (others)
			return (size_t)__builtin_clzll(others) / 8;
		count = 8;
	}
	for (; end - start > (ptrdiff_t)count; count++) {
		char c = end[-1 - (ptrdiff_t)count];

		if (!(hex ? is_hex_digit(c) : is_digit(c)))
			break;
	}
	return count;
}

static inline size_t scan_hex_before(const char *start, const char *end)
{
	return scan_digits_of(start, end, true);
}

static inline size_t scan_digits_before(const char *start, const char *end)
{
	return scan_digits_of(start, end, false);
}

#endif
