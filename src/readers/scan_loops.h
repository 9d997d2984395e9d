/* scan_loops.h: the loops of scan.h, for vectors of SCAN_BLOCK bytes. A file that has them defines
 * its width, and SCAN(name) for their names. */
#include "readers/scan.h"

/* Vectors of the compiler's: SSE2, AVX2 or NEON, plain code elsewhere. */
typedef unsigned char scan_block __attribute__((vector_size(SCAN_BLOCK)));
typedef char scan_chars __attribute__((vector_size(SCAN_BLOCK)));

static inline void load_block(scan_block *to, const char *from)
{
	memcpy(to, from, sizeof(*to));
}

/* Text comes from memory that nobody has looked at yet. The processor fetches ahead by itself, but
 * not beyond a page; there need not be anything there. */
#define AHEAD ((size_t)4 << 10) /* bytes */

static inline void fetch_ahead(const char *at, size_t len)
{
	for (size_t i = 0; i < len; i += 64)
		__builtin_prefetch(at + AHEAD + i);
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
		fetch_ahead(text.at + i, 4 * SCAN_BLOCK);
		if (may_have_empty_line(text.at + i)) {
			size_t at = find_empty_line(text, i, i + 4 * SCAN_BLOCK);

			if (at < text.len)
				return at;
		}
	}
	return find_empty_line(text, i, text.len);
}

/* A bit for each byte of a block that is a newline. */
static inline uint32_t newline_bits(const char *at)
{
	scan_block here;

	load_block(&here, at);
#if SCAN_BLOCK == 32 && defined(__AVX2__)
	return (uint32_t)__builtin_ia32_pmovmskb256((scan_chars)(here == '\n'));
#elif SCAN_BLOCK == 16 && defined(__SSE2__)
	return (uint32_t)__builtin_ia32_pmovmskb128((scan_chars)(here == '\n'));
#else
	uint32_t bits = 0;

	for (unsigned i = 0; i < SCAN_BLOCK; i++)
		bits |= (uint32_t)(at[i] == '\n') << i;
	return bits;
#endif
}

/* Most blocks have a few newlines, nobody knows how many: four are written, whether they are there
 * or not, without asking. */
size_t SCAN(newlines)(struct bytes text, uint32_t *ret_at, size_t limit)
{
	size_t count = 0, i = 0;

	for (; i + SCAN_BLOCK <= text.len; i += SCAN_BLOCK) {
		uint32_t bits = newline_bits(text.at + i), *at = ret_at + count;

		if (count + SCAN_BLOCK > limit)
			return count;
		fetch_ahead(text.at + i, SCAN_BLOCK);
		count += (size_t)__builtin_popcount(bits);
		for (int k = 0; k < 4; k++, bits &= bits - 1)
			at[k] = (uint32_t)i + (uint32_t)__builtin_ctzll(bits | 1ull << 32);
		for (at += 4; bits; bits &= bits - 1)
			*at++ = (uint32_t)i + (uint32_t)__builtin_ctz(bits);
	}
	for (; i < text.len && count < limit; i++)
		if (text.at[i] == '\n')
			ret_at[count++] = (uint32_t)i;
	return count;
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
