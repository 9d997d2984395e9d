/* tree.c: `kiln tree`: what does the call tree look like in a terminal? */
#include "commands/pipeline.h"

static struct pipeline own = {.renderer = "tree", .title = "Tree", .text = true};

static const struct option_group *groups(void)
{
	return pipeline_groups(&own);
}

extern const struct command command_tree;

static int run(char **operands)
{
	return pipeline_run(&own, &command_tree, operands, 0);
}

const struct command command_tree = {
	.name = "tree",
	.about = "print the call tree as text",
	.usage = "tree [OPTIONS] [FILE]",
	.groups = groups,
	.run = run,
};
