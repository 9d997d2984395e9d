/* cut.c: where do stacks end if what is below a frame is left out? */
#include "transforms/cut.h"

#include "transforms/pattern.h"

#include <stdlib.h>

bool cut_matching(struct view *v, const char *regex, bool keep, struct error *err)
{
	size_t nodes = v->tree.caller.len;
	bool *matches, *ended;
	struct tree_builder b;
	node_id *map;

	if (!pattern_frames(regex, v, &matches, err))
		return false;
	ended = memory_new(nodes, sizeof(*ended)); /* does a stack end here, or further out? */
	map = memory_new(nodes, sizeof(*map));
	tree_builder_init(&b, v->profile);
	for (size_t i = 1; i < nodes; i++) {
		node_id caller = v->tree.caller.items[i];
		frame_id frame = v->tree.frame.items[i];

		ended[i] = ended[caller] || matches[frame];
		map[i] = ended[caller] || (ended[i] && !keep) ? map[caller]
							      : tree_child(&b, map[caller], frame);
	}
	view_rebuild(v, &b, map);
	tree_builder_release(&b);
	memory_free(map);
	memory_free(ended);
	memory_free(matches);
	return true;
}
