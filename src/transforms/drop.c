/* drop.c: frames that are in the way. */
#include "transforms/pattern.h"
#include "transforms/transforms.h"

#include <stdlib.h>

/* Callees of a dropped frame move to its caller; what it did itself becomes its caller's. */
static bool drop_apply(struct view *v, const char *regex, struct error *err)
{
	size_t nodes = v->tree.caller.len;
	struct tree_builder b;
	node_id *map;
	bool *matches;

	if (!pattern_frames(regex, v, &matches, err))
		return false;
	tree_builder_init(&b);
	map = memory_new(nodes, sizeof(*map));
	for (size_t i = 1; i < nodes; i++) {
		node_id caller = map[v->tree.caller.items[i]];
		frame_id frame = v->tree.frame.items[i];

		map[i] = matches[frame] ? caller : tree_child(&b, caller, frame);
	}
	view_reshape(v, &b.tree, map);
	tree_builder_release(&b);
	free(map);
	free(matches);
	return true;
}

const struct transform transform_drop = {
	.name = "drop",
	.argument = "REGEX",
	.help = "take functions that match out of every stack; callees move to their caller",
	.apply = drop_apply,
};
