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
	{.name = "quiet",
		.letter = 'q',
		.help = "say less",
		.set = option_flag,
		.offset = offsetof(struct target, quiet)},
	{.name = "name",
		.letter = 'n',
		.argument = "TEXT",
		.help = "any text",
		.set = option_text,
		.offset = offsetof(struct target, name)},
	{.name = "count",
		.letter = 'c',
		.argument = "N",
		.help = "a number",
		.set = option_u64,
		.offset = offsetof(struct target, count)},
	{.name = "span",
		.letter = 's',
		.argument = "TIME",
		.help = "a duration",
		.set = option_duration,
		.offset = offsetof(struct target, span)},
	{.name = "ratio",
		.letter = 'r',
		.argument = "X",
		.help = "a fraction",
		.set = option_double,
		.offset = offsetof(struct target, ratio)},
	{.name = "shape",
		.argument = "SHAPE",
		.help = "one of some",
		.set = option_choice,
		.offset = offsetof(struct target, shape),
		.choices = shapes},
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
