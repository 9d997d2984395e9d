/* include.c: keeps only stacks with a matching frame. */
#include "transforms/stacks.h"
#include "transforms/transforms.h"

static bool include_apply(struct view *v, const char *regex, struct error *err)
{
	return stacks_select(v, regex, true, err);
}

const struct transform transform_include = {
	.name = "include",
	.argument = "REGEX",
	.help = "only stacks that contain a function that matches",
	.label = "Only stacks with this function",
	.applied = "Only with",
	.subject = TRANSFORM_OF_NAME,
	.apply = include_apply,
};
