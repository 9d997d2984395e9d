/* scan.c: questions to text that are asked at memory speed. */
#include "readers/scan.h"

/* Vectors of the compiler's: two instructions a line on SSE2 and NEON, plain code elsewhere. */
typedef unsigned char block __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));

static inline block load_block(const char *at)
{
	block b;

	memcpy(&b, at, sizeof(b));
	return b;
}

static inline uint64_t load_word(const char *at)
{
	uint64_t w;

	memcpy(&w, at, sizeof(w));
	return w;
}

/* Is there, within 64 bytes, a newline with a newline or a carriage return behind it? */
static inline bool may_have_empty_line(const char *at)
{
	block hit = {0};

	for (int i = 0; i < 64; i += 16) {
		block here = load_block(at + i), next = load_block(at + i + 1);

		hit |= (block)((here == '\n') & ((next == '\n') | (next == '\r')));
	}
	return ((words)hit)[0] | ((words)hit)[1];
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

size_t scan_empty_line(struct bytes text)
{
	size_t i = 0;

	for (; i + 65 <= text.len; i += 64) {
		if (may_have_empty_line(text.at + i)) {
			size_t at = find_empty_line(text, i, i + 64);

			if (at < text.len)
				return at;
		}
	}
	return find_empty_line(text, i, text.len);
}

static inline uint64_t differ(const char *a, const char *b)
{
	return (load_word(a) ^ load_word(b)) | (load_word(a + 8) ^ load_word(b + 8)) |
	       (load_word(a + 16) ^ load_word(b + 16)) | (load_word(a + 24) ^ load_word(b + 24));
}

size_t scan_common_start(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;

	while (i + 32 <= len && !differ(a.at + i, b.at + i))
		i += 32;
	while (i + 8 <= len && load_word(a.at + i) == load_word(b.at + i))
		i += 8;
	while (i < len && a.at[i] == b.at[i])
		i++;
	return i;
}

size_t scan_common_end(struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len, i = 0;
	const char *a_end = a.at + a.len, *b_end = b.at + b.len;

	while (i + 32 <= len && !differ(a_end - i - 32, b_end - i - 32))
		i += 32;
	while (i + 8 <= len && load_word(a_end - i - 8) == load_word(b_end - i - 8))
		i += 8;
	while (i < len && a_end[-1 - (ptrdiff_t)i] == b_end[-1 - (ptrdiff_t)i])
		i++;
	return i;
}
