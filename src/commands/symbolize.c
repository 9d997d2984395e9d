/* symbolize.c: `kiln symbolize`: give names to what was recorded elsewhere, or before they were
 * here. */
#include "commands/pipeline.h"

extern const struct command command_symbolize;

static struct symbolize {
	const char *output;
} own;

static const struct option options[] = {
	{.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.help = "write to FILE; its suffix chooses the format",
		.set = option_text,
		.offset = offsetof(struct symbolize, output)},
	{0},
};

static const struct option_group *groups(void)
{
	static struct option_group all[2 + LOAD_GROUPS];

	all[0] = (struct option_group){"Output", options, &own};
	load_groups(all + 1);
	return all;
}

static const struct renderer *choose(struct error *err)
{
	const struct renderer *found = own.output ? renderer_for_path(own.output) : NULL;
	struct buffer known = {0};

	if (found)
		return found;
	renderer_suffixes(&known);
	error_set(err, ERR_USAGE,
		"symbolize: name an output with -o; its suffix chooses the format: %s", known.at);
	buffer_release(&known);
	return NULL;
}

static int run(char **operands)
{
	struct error err = {0};
	const struct renderer *renderer = choose(&err);

	if (!renderer)
		return fail(&err);
	return pipeline_write(&command_symbolize, operands,
		&(struct pipeline_output){
			.renderer = renderer, .path = own.output, .thorough = true});
}

const struct command command_symbolize = {
	.name = "symbolize",
	.about = "add missing names of functions to a profile",
	.usage = "symbolize [OPTIONS] [FILE] -o OUT.kiln",
	.groups = groups,
	.run = run,
};
