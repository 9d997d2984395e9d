/* focus.c: what happens below a function, wherever it is called from. */
#include "transforms/pattern.h"
#include "transforms/transforms.h"

#include <stdlib.h>

/* A stack begins at its first match, seen from the root; stacks without one go. */
static bool focus_apply(struct view *v, const char *regex, struct error *err)
{
	size_t nodes = v->tree.caller.len;
	struct tree_builder b;
	node_id *map;
	bool *matches;

	if (!pattern_frames(regex, v, &matches, err))
		return false;
	tree_builder_init(&b);
	map = memory_new(nodes, sizeof(*map));
	map[0] = NODE_DROPPED;
	for (size_t i = 1; i < nodes; i++) {
		node_id caller = map[v->tree.caller.items[i]];
		frame_id frame = v->tree.frame.items[i];

		if (caller == NODE_DROPPED && !matches[frame])
			map[i] = NODE_DROPPED;
		else
			map[i] = tree_child(&b, caller == NODE_DROPPED ? 0 : caller, frame);
	}
	view_reshape(v, &b.tree, map);
	tree_builder_release(&b);
	free(map);
	free(matches);
	return true;
}

const struct transform transform_focus = {
	.name = "focus",
	.argument = "REGEX",
	.help = "only what happens below the first function that matches; it becomes the root",
	.apply = focus_apply,
};
