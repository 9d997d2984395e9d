/* search.c: counts words by looking through all words so far, for each word of its input.
 *
 * search [fixed]: fixed looks in a table by the word's hash. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX (1u << 17)

struct word {
	char *text;
	size_t count;
};

static struct word words[WORDS_MAX]; /* in the order in which they came; fixed: by hash */
static size_t words_len;

__attribute__((noinline)) static struct word *word_find(const char *text)
{
	for (size_t i = 0; i < words_len; i++)
		if (strcmp(words[i].text, text) == 0)
			return &words[i];
	return &words[words_len];
}

__attribute__((noinline)) static struct word *word_find_by_hash(const char *text)
{
	uint32_t hash = 2166136261u;
	for (const char *p = text; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 16777619u;
	uint32_t i = hash % WORDS_MAX;
	while (words[i].text && strcmp(words[i].text, text) != 0)
		i = (i + 1) % WORDS_MAX;
	return &words[i];
}

int main(int argc, char **argv)
{
	bool fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;
	char text[64];

	while (words_len < WORDS_MAX / 2 && scanf("%63s", text) == 1) {
		struct word *word = fixed ? word_find_by_hash(text) : word_find(text);
		if (!word->text) {
			word->text = strdup(text);
			words_len++;
		}
		word->count++;
	}
	printf("%zu words\n", words_len);
	return 0;
}
