/* go_words.h: words of a line that `go tool pprof -raw` prints. */
#ifndef KILN_READERS_PPROF_GO_WORDS_H
#define KILN_READERS_PPROF_GO_WORDS_H

#include "base/bytes.h"

#define GO_NUMBER_LIMIT UINT32_MAX /* of locations and mappings */

static inline struct bytes go_skip_blanks(struct bytes text)
{
	size_t len = 0;

	while (len < text.len && (text.at[len] == ' ' || text.at[len] == '\t'))
		len++;
	return (struct bytes){text.at + len, text.len - len};
}

/* The next word of *text, which moves behind it; false at the end. */
static inline bool go_next_word(struct bytes *text, struct bytes *ret_word)
{
	size_t len = 0;

	*text = go_skip_blanks(*text);
	while (len < text->len && text->at[len] != ' ' && text->at[len] != '\t')
		len++;
	*ret_word = (struct bytes){text->at, len};
	*text = (struct bytes){text->at + len, text->len - len};
	return len > 0;
}

static inline bool go_is_number(struct bytes word, uint32_t *ret_number)
{
	uint64_t number;

	if (!bytes_u64(word, &number) || number >= GO_NUMBER_LIMIT)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

#endif
