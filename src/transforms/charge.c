/* charge.c: what a function costs, with all that it calls, is its caller's own. */
#include "transforms/cut.h"
#include "transforms/transforms.h"

static bool charge_apply(struct view *v, const char *regex, struct error *err)
{
	return cut_matching(v, regex, false, err);
}

const struct transform transform_charge = {
	.name = "charge",
	.argument = "REGEX",
	.help = "stacks end before the first function that matches: its cost is its caller's own",
	.apply = charge_apply,
};
