/* fuzz_options.c: command lines of any words against a table with every kind of option. */
#include "base/memory.h"
#include "base/options.h"

#include <stdlib.h>

#define WORDS_LIMIT 64

struct target {
	bool quiet;
	const char *name;
	uint64_t count, span;
	double ratio;
	int shape;
};

static const char *const shapes[] = {"flame", "icicle", "chart", NULL};
static const struct option options[] = {
	{"quiet", 'q', NULL, "say less", option_flag, offsetof(struct target, quiet), NULL, false},
	{"name", 'n', "TEXT", "any text", option_text, offsetof(struct target, name), NULL, false},
	{"count", 'c', "N", "a number", option_u64, offsetof(struct target, count), NULL, false},
	{"span", 's', "TIME", "a duration", option_duration, offsetof(struct target, span), NULL,
		false},
	{"ratio", 'r', "X", "a fraction", option_double, offsetof(struct target, ratio), NULL,
		false},
	{"shape", 0, "SHAPE", "one of some", option_choice, offsetof(struct target, shape), shapes,
		false},
	{0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte says whether the first operand ends the options, and whether they are read as
 * Perl's or clap's; words end at NUL bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target target = {0};
	struct option_group groups[] = {{"Options", options, &target}, {0}};
	char *argv[WORDS_LIMIT + 2] = {(char[]){"kiln"}};
	char **operands;
	struct error err = {0};
	char *text, *word;
	size_t count = 1;
	bool done;

	if (!size)
		return 0;
	text = memory_copy_text((const char *)data + 1, size - 1);
	for (word = text; word < text + size && count <= WORDS_LIMIT; word += strlen(word) + 1)
		argv[count++] = word;
	done = data[0] & 2   ? options_parse_perl(groups, argv, &operands, &err)
	       : data[0] & 4 ? options_parse_clap(groups, argv, &operands, &err)
			     : options_parse(groups, argv, data[0] & 1, &operands, &err);
	if (!done && !err.text[0])
		abort(); /* a failure without a word */
	free(text);
	return 0;
}
