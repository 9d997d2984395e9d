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
	.help = "stacks end at the first function that matches: its callees' cost is its own",
	.apply = hide_below_apply,
};
