/* scan_loops.h: the loops of scan.h, for vectors of SCAN_BLOCK bytes. A file that has them defines
 * its width, and SCAN(name) for their names. */
#include "readers/lines/scan.h"

/* Vectors of the compiler's: SSE2, AVX2 or NEON, plain code elsewhere. */
typedef unsigned char scan_block __attribute__((vector_size(SCAN_BLOCK)));
typedef char scan_chars __attribute__((vector_size(SCAN_BLOCK)));

static inline void load_block(scan_block *to, const char *from)
{
	memcpy(to, from, sizeof(*to));
}

/* Text comes from memory that is not cached yet. The processor prefetches, but not beyond a page;
 * the address prefetched here need not be valid. */
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
#if SCAN_BLOCK == 32 && defined(__AVX2__)
	typedef long long scan_words __attribute__((vector_size(SCAN_BLOCK)));

	return !__builtin_ia32_ptestz256((scan_words)*b, (scan_words)*b);
#else
	uint64_t all = 0, words[SCAN_BLOCK / 8];

	memcpy(words, b, sizeof(words));
	for (int i = 0; i < SCAN_BLOCK / 8; i++)
		all |= words[i];
	return all;
#endif
}

/* A bit for each byte, which is all ones or all zeros. */
static inline uint32_t bits_of(const scan_block *b)
{
#if SCAN_BLOCK == 32 && defined(__AVX2__)
	return (uint32_t)__builtin_ia32_pmovmskb256((scan_chars)*b);
#elif SCAN_BLOCK == 16 && defined(__SSE2__)
	return (uint32_t)__builtin_ia32_pmovmskb128((scan_chars)*b);
#else
	uint32_t bits = 0;

	for (unsigned i = 0; i < SCAN_BLOCK; i++)
		bits |= (uint32_t)((*b)[i] & 1) << i;
	return bits;
#endif
}

#define BLOCKS 4 /* that are looked at together */

/* Where, within BLOCKS, are newlines with a newline or a carriage return behind them? */
static inline bool may_have_empty_line(const char *at, scan_block ret_hits[BLOCKS])
{
	scan_block any = {0};

	for (int i = 0; i < BLOCKS; i++) {
		scan_block here, next;

		load_block(&here, at + i * SCAN_BLOCK);
		load_block(&next, at + i * SCAN_BLOCK + 1);
		ret_hits[i] = (scan_block)((here == '\n') & ((next == '\n') | (next == '\r')));
		any |= ret_hits[i];
	}
	return any_bit(&any);
}

/* Does an empty line follow this newline? */
static inline bool is_empty_behind(struct bytes text, size_t newline)
{
	const char *at = text.at + newline;

	if (newline + 1 < text.len && at[1] == '\n')
		return true;
	return newline + 2 < text.len && at[1] == '\r' && at[2] == '\n';
}

/* The first hit that holds, or text.len. `start` is where the blocks are. */
static inline size_t first_hit(struct bytes text, size_t start, const scan_block hits[BLOCKS])
{
	for (size_t i = 0; i < BLOCKS; i++)
		for (uint32_t bits = bits_of(&hits[i]); bits; bits &= bits - 1) {
			size_t at = start + i * SCAN_BLOCK + (size_t)__builtin_ctz(bits);

			if (is_empty_behind(text, at))
				return at;
		}
	return text.len;
}

size_t SCAN(empty_line)(struct bytes text)
{
	size_t i = 0;

	for (; i + BLOCKS * SCAN_BLOCK + 1 <= text.len; i += BLOCKS * SCAN_BLOCK) {
		scan_block hits[BLOCKS];

		fetch_ahead(text.at + i, sizeof(hits));
		if (may_have_empty_line(text.at + i, hits)) {
			size_t at = first_hit(text, i, hits);

			if (at < text.len)
				return at;
		}
	}
	for (; i < text.len; i++)
		if (text.at[i] == '\n' && is_empty_behind(text, i))
			return i;
	return text.len;
}

/* A bit for each byte of a block that is a newline. */
static inline uint32_t newline_bits(const char *at)
{
	scan_block here;

	load_block(&here, at);
	here = (scan_block)(here == '\n');
	return bits_of(&here);
}

/* Most blocks have a few newlines: four are written without a branch, whether they exist or not. */
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

#define SPAN ((size_t)2 * SCAN_BLOCK) /* bytes that are compared together: at most 64 */

static inline bool differ(const char *a, const char *b)
{
	scan_block differences = {0};

	for (size_t i = 0; i < SPAN; i += SCAN_BLOCK) {
		scan_block of_a, of_b;

		load_block(&of_a, a + i);
		load_block(&of_b, b + i);
		differences |= of_a ^ of_b;
	}
	return any_bit(&differences);
}

/* A bit for each byte of a span that differs. */
static inline uint64_t different_bits(const char *a, const char *b)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < SPAN; i += SCAN_BLOCK) {
		scan_block of_a, of_b;

		load_block(&of_a, a + i);
		load_block(&of_b, b + i);
		of_a = (scan_block)(of_a != of_b);
		bits |= (uint64_t)bits_of(&of_a) << i;
	}
	return bits;
}

/* The last span that is looked at may reach back to where all were the same. */
size_t SCAN(common_start)(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;
	uint64_t bits;

	if (len < SPAN) {
		while (i + 8 <= len && load_word(a.at + i) == load_word(b.at + i))
			i += 8;
		while (i < len && a.at[i] == b.at[i])
			i++;
		return i;
	}
	while (i + SPAN <= len && !differ(a.at + i, b.at + i))
		i += SPAN;
	if (i + SPAN > len)
		i = len - SPAN;
	bits = different_bits(a.at + i, b.at + i);
	return bits ? i + (size_t)__builtin_ctzll(bits) : len;
}

size_t SCAN(common_end)(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;
	const char *a_end = a.at + a.len, *b_end = b.at + b.len;
	uint64_t bits;

	if (len < SPAN) {
		while (i + 8 <= len && load_word(a_end - i - 8) == load_word(b_end - i - 8))
			i += 8;
		while (i < len && a_end[-1 - (ptrdiff_t)i] == b_end[-1 - (ptrdiff_t)i])
			i++;
		return i;
	}
	while (i + SPAN <= len && !differ(a_end - i - SPAN, b_end - i - SPAN))
		i += SPAN;
	if (i + SPAN > len)
		i = len - SPAN;
	bits = different_bits(a_end - i - SPAN, b_end - i - SPAN) << (64 - SPAN);
	return bits ? i + (size_t)__builtin_clzll(bits) : len;
}
