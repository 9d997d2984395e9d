/* reshape.c: how does a tree become another, frame by frame? */
#include "transforms/reshape.h"

#include "base/deadline.h"
#include "transforms/pattern.h"

#include <stdlib.h>

void reshape(struct view *v, node_id root, reshape_place *place, const void *context)
{
	size_t nodes = v->tree.caller.len, steps = 0;
	node_id *map = memory_new(nodes, sizeof(*map));
	struct tree_builder b;

	tree_builder_init(&b, v->profile);
	map[0] = root;
	for (size_t i = 1; i < nodes && !deadline_passed_after(&steps, 1); i++)
		map[i] = place(&b, map[v->tree.caller.items[i]], v->tree.frame.items[i], context);
	view_rebuild(v, &b, map);
	tree_builder_release(&b);
	memory_free(map);
}

bool reshape_matching(
	struct view *v, node_id root, reshape_place *place, const char *regex, struct error *err)
{
	bool *matches;

	if (!pattern_frames(regex, v, &matches, err))
		return false;
	reshape(v, root, place, matches);
	memory_free(matches);
	return true;
}
