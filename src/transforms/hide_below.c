/* hide_below.c: hides what a function calls; its cost becomes the function's own. */
#include "transforms/cut.h"
#include "transforms/transforms.h"

static bool hide_below_apply(struct view *v, const char *regex, struct error *err)
{
	return cut_matching(v, regex, true, err);
}

const struct transform transform_hide_below = {
	.name = "hide-below",
	.argument = "REGEX",
	.help = "cut stacks below the first function that matches: the value of its callees "
		"becomes its self value",
	.label = "Hide callees (count as self)",
	.applied = "Callees hidden",
	.subject = TRANSFORM_OF_NAME,
	.apply = hide_below_apply,
};
