/* utf8.c: which bytes are text? (Unicode 15, table 3-7) */
#include "base/utf8.h"

static bool continues(struct bytes text, size_t at)
{
	return at < text.len && ((unsigned char)text.at[at] & 0xC0) == 0x80;
}

size_t utf8_decode(struct bytes text, uint32_t *ret_code_point)
{
	static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first;
	uint32_t code_point;
	size_t len;

	if (!text.len)
		return 0;
	first = (unsigned char)text.at[0];
	len = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
	if (!len || first > 0xF4)
		return 0;
	code_point = len == 1 ? first : first & (0x7Fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (!continues(text, i))
			return 0;
		code_point = code_point << 6 | ((unsigned char)text.at[i] & 0x3F);
	}
	if (code_point < min[len] || code_point > 0x10FFFF ||
		(code_point >= 0xD800 && code_point <= 0xDFFF))
		return 0;
	if (ret_code_point)
		*ret_code_point = code_point;
	return len;
}

size_t utf8_count(struct bytes text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; count++) {
		size_t sequence = utf8_decode((struct bytes){text.at + i, text.len - i}, NULL);

		i += sequence ? sequence : 1;
	}
	return count;
}

#define BLOCK 32u /* bytes that a compiler turns into one vector */

/* Are all bytes from 0x20 to 0x7e? */
static bool block_plain(const char *at)
{
	unsigned char odd = 0;

	for (size_t i = 0; i < BLOCK; i++)
		odd |= (unsigned char)((unsigned char)at[i] - 0x20) > 0x7E - 0x20;
	return !odd;
}

/* The same for eight bytes: has none the top bit set, and is none below 0x20 or equal to 0x7f? */
static bool eight_plain(const char *at)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t word, del;

	memcpy(&word, at, sizeof(word));
	del = word ^ ones * 0x7F;
	return !((word | (word - ones * 0x20) | (del - ones)) & tops);
}

/* Terminals obey C1 controls; separators end lines; the others change the direction of text
 * beyond the name that contains them (Unicode Technical Report 36, 2.5). */
static bool is_control(uint32_t code_point)
{
	return (code_point >= 0x80 && code_point <= 0x9F) ||
	       (code_point >= 0x2028 && code_point <= 0x202E) ||
	       (code_point >= 0x2066 && code_point <= 0x2069);
}

size_t utf8_clean_length(struct bytes text)
{
	size_t i = 0;

	while (i < text.len) {
		unsigned char c = (unsigned char)text.at[i];
		uint32_t code_point = 0;
		size_t sequence;

		if (text.len - i >= BLOCK && block_plain(text.at + i)) {
			i += BLOCK;
			continue;
		}
		if (text.len - i >= 8 && eight_plain(text.at + i)) {
			i += 8;
			continue;
		}
		if (c < 0x20 || c == 0x7F)
			return i;
		sequence = utf8_decode((struct bytes){text.at + i, text.len - i}, &code_point);
		if (!sequence || is_control(code_point))
			return i;
		i += sequence;
	}
	return i;
}
