/* target.c: what does the target of a request ask for, and may it? */
#include "server/target.h"

#include <stdlib.h>

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Append `text` decoded, and a NUL. False: it has a % without two digits behind it, or a NUL. */
static bool decode(struct bytes text, struct buffer *out)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c == '%') {
			int high = text.len - i > 2 ? hex(text.at[i + 1]) : -1;
			int low = high >= 0 ? hex(text.at[i + 2]) : -1;

			if (low < 0)
				return false;
			c = (char)(high << 4 | low);
			i += 2;
		}
		if (!c)
			return false;
		buffer_char(out, c);
	}
	buffer_char(out, '\0');
	return true;
}

/* As long for every token of that length, so that its time tells nothing. */
static bool same_token(struct bytes given, const char *token)
{
	unsigned differs = 0;

	if (given.len != strlen(token))
		return false;
	for (size_t i = 0; i < given.len; i++)
		differs |= (unsigned char)(given.at[i] ^ token[i]);
	return !differs;
}

/* The words behind the `?`; empty ones are none. */
static bool parse_words(struct target *t, struct bytes rest)
{
	VECTOR(size_t) starts = {0};
	bool fits = true, more = rest.len;

	while (more && fits) {
		struct bytes word;

		more = bytes_cut(&rest, '&', &word);
		word = more ? word : rest;
		if (!word.len)
			continue;
		vector_push(&starts, t->text.len);
		fits = starts.len <= QUESTION_WORDS_MOST && decode(word, &t->text);
	}
	for (size_t i = 0; i < starts.len; i++)
		vector_push(&t->question.words, t->text.at + starts.items[i]);
	vector_release(&starts);
	return fits;
}

bool target_parse(struct target *ret, const char *uri, const char *token)
{
	struct bytes rest = bytes_of(uri), path, part;
	bool query = bytes_cut(&rest, '?', &path);
	struct target t = {0};

	if (!query) {
		path = rest;
		rest.len = 0;
	}
	if (path.len && *path.at == '/')
		path = (struct bytes){path.at + 1, path.len - 1};
	if (!bytes_cut(&path, '/', &part) || !same_token(part, token) || !decode(path, &t.text) ||
		!parse_words(&t, rest)) {
		target_release(&t);
		return false;
	}
	t.question.address = t.text.at;
	*ret = t;
	return true;
}

void target_release(struct target *t)
{
	vector_release(&t->question.words);
	buffer_release(&t->text);
	*t = (struct target){0};
}
