/* scan_loops.h: the loops of scan.h, for vectors of SCAN_BLOCK bytes. A file that has them defines
 * its width, and SCAN(name) for their names. */
#include "readers/scan.h"

/* Vectors of the compiler's: SSE2, AVX2 or NEON, plain code elsewhere. */
typedef unsigned char scan_block __attribute__((vector_size(SCAN_BLOCK)));

static inline void load_block(scan_block *to, const char *from)
{
	memcpy(to, from, sizeof(*to));
}

static inline uint64_t load_word(const char *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return word;
}

static inline bool any_bit(const scan_block *b)
{
	uint64_t all = 0, words[SCAN_BLOCK / 8];

	memcpy(words, b, sizeof(words));
	for (int i = 0; i < SCAN_BLOCK / 8; i++)
		all |= words[i];
	return all;
}

/* Is there, within four blocks, a newline with a newline or a carriage return behind it? */
static inline bool may_have_empty_line(const char *at)
{
	scan_block hit = {0};

	for (int i = 0; i < 4 * SCAN_BLOCK; i += SCAN_BLOCK) {
		scan_block here, next;

		load_block(&here, at + i);
		load_block(&next, at + i + 1);
		hit |= (scan_block)((here == '\n') & ((next == '\n') | (next == '\r')));
	}
	return any_bit(&hit);
}

/* The same question, one newline after the other, for newlines before `end`. */
static size_t find_empty_line(struct bytes text, size_t start, size_t end)
{
	while (start < end) {
		const char *newline = memchr(text.at + start, '\n', end - start);
		size_t at;

		if (!newline)
			break;
		at = (size_t)(newline - text.at);
		if (at + 1 < text.len && newline[1] == '\n')
			return at;
		if (at + 2 < text.len && newline[1] == '\r' && newline[2] == '\n')
			return at;
		start = at + 1;
	}
	return text.len;
}

size_t SCAN(empty_line)(struct bytes text)
{
	size_t i = 0;

	for (; i + 4 * SCAN_BLOCK + 1 <= text.len; i += 4 * SCAN_BLOCK) {
		if (may_have_empty_line(text.at + i)) {
			size_t at = find_empty_line(text, i, i + 4 * SCAN_BLOCK);

			if (at < text.len)
				return at;
		}
	}
	return find_empty_line(text, i, text.len);
}

static inline bool differ(const char *a, const char *b)
{
	scan_block differences = {0};

	for (int i = 0; i < 2 * SCAN_BLOCK; i += SCAN_BLOCK) {
		scan_block of_a, of_b;

		load_block(&of_a, a + i);
		load_block(&of_b, b + i);
		differences |= of_a ^ of_b;
	}
	return any_bit(&differences);
}

size_t SCAN(common_start)(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;

	while (i + 2 * SCAN_BLOCK <= len && !differ(a.at + i, b.at + i))
		i += 2 * SCAN_BLOCK;
	while (i + 8 <= len && load_word(a.at + i) == load_word(b.at + i))
		i += 8;
	while (i < len && a.at[i] == b.at[i])
		i++;
	return i;
}

size_t SCAN(common_end)(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;
	const char *a_end = a.at + a.len, *b_end = b.at + b.len;

	while (i + 2 * SCAN_BLOCK <= len &&
		!differ(a_end - i - 2 * SCAN_BLOCK, b_end - i - 2 * SCAN_BLOCK))
		i += 2 * SCAN_BLOCK;
	while (i + 8 <= len && load_word(a_end - i - 8) == load_word(b_end - i - 8))
		i += 8;
	while (i < len && a_end[-1 - (ptrdiff_t)i] == b_end[-1 - (ptrdiff_t)i])
		i++;
	return i;
}
