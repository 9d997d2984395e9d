/* fold.c: `kiln fold`: one line a stack, for grep, awk and other tools. */
#include "commands/pipeline.h"

static struct pipeline own = {.renderer = "folded", .title = "Lines"};

static const struct option_group *groups(void)
{
	return pipeline_groups(&own);
}

extern const struct command command_fold;

static int run(char **operands)
{
	const struct renderer *meant = own.output ? renderer_for_path(own.output) : NULL;
	struct error err = {0};

	if (meant && strcmp(meant->name, own.renderer) != 0) {
		pipeline_check_suffix(&command_fold, meant, own.output, "writes folded text", &err);
		return fail(&err);
	}
	return pipeline_run(&own, &command_fold, operands, 0);
}

const struct command command_fold = {
	.name = "fold",
	.about = "print folded text: one stack per line, sorted by bytes",
	.usage = "fold [OPTIONS] [FILE]",
	.groups = groups,
	.run = run,
};
