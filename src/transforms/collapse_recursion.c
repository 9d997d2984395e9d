/* collapse_recursion.c: shows a function that calls itself once. */
#include "transforms/reshape.h"
#include "transforms/transforms.h"

static node_id collapse_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context)
{
	(void)context;
	return caller && b->tree.frame.items[caller] == frame ? caller
							      : tree_child(b, caller, frame);
}

static bool collapse_apply(struct view *v, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	reshape(v, 0, collapse_place, NULL);
	return true;
}

const struct transform transform_collapse_recursion = {
	.name = "collapse-recursion",
	.help = "merge a function that calls itself directly into one frame",
	.label = "Collapse recursion everywhere",
	.applied = "Recursion collapsed",
	.subject = TRANSFORM_OF_ALL,
	.apply = collapse_apply,
};
