/* drop.c: removes frames. */
#include "transforms/reshape.h"
#include "transforms/transforms.h"

/* The callees of a dropped frame move to its caller, and so does its own value. */
static node_id drop_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context)
{
	const bool *matches = context;

	return matches[frame] ? caller : tree_child(b, caller, frame);
}

static bool drop_apply(struct view *v, const char *regex, struct error *err)
{
	return reshape_matching(v, 0, drop_place, regex, err);
}

const struct transform transform_drop = {
	.name = "drop",
	.argument = "REGEX",
	.help = "remove functions that match; their callees move to the caller",
	.label = "Remove this function (keep its callees)",
	.applied = "Removed",
	.subject = TRANSFORM_OF_NAME,
	.apply = drop_apply,
};
