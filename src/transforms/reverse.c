/* reverse.c: inverts stacks: who calls the hot functions? */
#include "base/deadline.h"
#include "transforms/select.h"
#include "transforms/transforms.h"

#include <stdlib.h>

/* Invert every stack that a sample ends in; stacks that are equal from the leaf on share nodes. */
static bool reverse_apply(struct view *v, const char *argument, struct error *err)
{
	size_t nodes = v->tree.caller.len, steps = 0;
	node_id *map = memory_new(nodes, sizeof(*map));
	bool *ends = view_end_nodes(v);
	struct tree_builder b;

	(void)argument;
	(void)err;
	tree_builder_init(&b, v->profile);
	for (size_t i = 1; i < nodes && !b.full; i++) {
		node_id made = 0;
		size_t depth = 1;

		for (node_id at = (node_id)i; ends[i] && at; at = v->tree.caller.items[at], depth++)
			made = tree_child(&b, made, v->tree.frame.items[at]);
		map[i] = ends[i] ? made : NODE_DROPPED;
		if (deadline_passed_after(&steps, depth))
			break;
	}
	view_rebuild(v, &b, map);
	tree_builder_release(&b);
	memory_free(ends);
	memory_free(map);
	return true;
}

const struct transform transform_reverse = {
	.name = "reverse",
	.help = "invert stacks: leaves become roots, callers lie above them",
	.label = "Reverse all stacks (leaves first)",
	.applied = "Reversed",
	.subject = TRANSFORM_OF_ALL,
	.apply = reverse_apply,
};
