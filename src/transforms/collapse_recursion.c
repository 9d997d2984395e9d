/* collapse_recursion.c: a function that calls itself is shown once. */
#include "transforms/transforms.h"

#include <stdlib.h>

static bool collapse_apply(struct view *v, const char *argument, struct error *err)
{
	size_t nodes = v->tree.caller.len;
	node_id *map = memory_new(nodes, sizeof(*map));
	struct tree_builder b;

	(void)argument;
	(void)err;
	tree_builder_init(&b);
	for (size_t i = 1; i < nodes; i++) {
		node_id caller = map[v->tree.caller.items[i]];
		frame_id frame = v->tree.frame.items[i];
		bool again = caller && b.tree.frame.items[caller] == frame;

		map[i] = again ? caller : tree_child(&b, caller, frame);
	}
	view_reshape(v, &b.tree, map);
	tree_builder_release(&b);
	free(map);
	return true;
}

const struct transform transform_collapse_recursion = {
	.name = "collapse-recursion",
	.help = "show a function that calls itself directly once",
	.apply = collapse_apply,
};
