/* exclude.c: leaves out stacks with a matching frame. */
#include "transforms/stacks.h"
#include "transforms/transforms.h"

static bool exclude_apply(struct view *v, const char *regex, struct error *err)
{
	return stacks_select(v, regex, false, err);
}

const struct transform transform_exclude = {
	.name = "exclude",
	.argument = "REGEX",
	.help = "leave out stacks that contain a function that matches",
	.label = "Exclude stacks with this function",
	.applied = "Excluded",
	.subject = TRANSFORM_OF_NAME,
	.apply = exclude_apply,
};
