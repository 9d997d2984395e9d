/* info.c: `kiln info`: what is in a profile? */
#include "commands/pipeline.h"

#include "readers/readers.h"

extern const struct command command_info;

static struct pipeline own = {.renderer = "info", .title = "Form", .text = true};

static const struct option_group *groups(void)
{
	return pipeline_groups(&own);
}

static int run(char **operands)
{
	/* Notes and losses are part of the output; they need not be said beside it. */
	if (!verbosity)
		verbosity = -1;
	return pipeline_run(&own, &command_info, operands, WANT_ALL);
}

const struct command command_info = {
	.name = "info",
	.about = "describe a profile: what it contains, and what was lost",
	.usage = "info [OPTIONS] [FILE]",
	.groups = groups,
	.run = run,
};
