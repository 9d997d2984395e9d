/* focus.c: shows what happens below a function, wherever it is called from. */
#include "transforms/reshape.h"
#include "transforms/transforms.h"

/* A stack begins at its first match, from the root on; stacks without one are dropped. */
static node_id focus_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context)
{
	const bool *matches = context;

	if (caller != NODE_DROPPED)
		return tree_child(b, caller, frame);
	return matches[frame] ? tree_child(b, 0, frame) : NODE_DROPPED;
}

static bool focus_apply(struct view *v, const char *regex, struct error *err)
{
	return reshape_matching(v, NODE_DROPPED, focus_place, regex, err);
}

const struct transform transform_focus = {
	.name = "focus",
	.argument = "REGEX",
	.help = "only the first function that matches and its callees; it becomes the root",
	.label = "Focus on this function (make it the root)",
	.applied = "Focus",
	.subject = TRANSFORM_OF_NAME,
	.apply = focus_apply,
};
