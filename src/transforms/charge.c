/* charge.c: merges a function, with everything it calls, into its caller. */
#include "transforms/cut.h"
#include "transforms/transforms.h"

static bool charge_apply(struct view *v, const char *regex, struct error *err)
{
	return cut_matching(v, regex, false, err);
}

const struct transform transform_charge = {
	.name = "charge",
	.argument = "REGEX",
	.help = "cut stacks above the first function that matches: its value becomes the self "
		"value of its caller",
	.label = "Fold into caller, including callees",
	.applied = "Folded into caller",
	.subject = TRANSFORM_OF_NAME,
	.apply = charge_apply,
};
