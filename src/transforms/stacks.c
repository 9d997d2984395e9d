/* stacks.c: which stacks have a frame that matches? */
#include "transforms/stacks.h"

#include "transforms/pattern.h"
#include "transforms/select.h"

#include <stdlib.h>

bool stacks_select(struct view *v, const char *regex, bool with, struct error *err)
{
	size_t nodes = v->tree.caller.len;
	bool *matches, *hit;

	if (!pattern_frames(regex, v, &matches, err))
		return false;
	hit = memory_new(nodes, sizeof(*hit));
	for (size_t i = 1; i < nodes; i++)
		hit[i] = hit[v->tree.caller.items[i]] || matches[v->tree.frame.items[i]];
	for (size_t i = 0; i < nodes; i++)
		hit[i] = hit[i] == with;
	select_nodes(v, hit);
	memory_free(hit);
	memory_free(matches);
	return true;
}
