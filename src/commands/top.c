/* top.c: `kiln top`: which functions cost most? */
#include "commands/pipeline.h"

static struct pipeline own = {.renderer = "top", .title = "Table", .text = true};

static const struct option_group *groups(void)
{
	return pipeline_groups(&own);
}

extern const struct command command_top;

static int run(char **operands)
{
	return pipeline_run(&own, &command_top, operands, 0);
}

const struct command command_top = {
	.name = "top",
	.about = "list the most expensive functions, by self and total",
	.usage = "top [OPTIONS] [FILE]",
	.groups = groups,
	.run = run,
};
