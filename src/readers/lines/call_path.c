/* call_path.c: where is one in a call tree that is listed line by line, callees indented below
 * their caller? */
#include "readers/lines/call_path.h"

#include <stdlib.h>

void call_path_open(struct call_path *path, const struct read_part *part)
{
	*path = (struct call_path){.unknown = part && part->is_continuation};
}

void call_path_leave(struct call_path *path, struct read_part *part)
{
	if (!part)
		return;
	for (size_t i = 0; i < path->stacks.len; i++)
		vector_push(&part->path, path->stacks.items[i]);
	part->above = path->above;
}

void call_path_release(struct call_path *path)
{
	vector_release(&path->stacks);
}

void call_path_cut(struct call_path *path, size_t depth)
{
	if (path->stacks.len > depth)
		path->stacks.len = depth;
}

/* The first line of a part tells how deep it is. */
static void find_above(struct call_path *path, struct profile *p, size_t depth)
{
	path->unknown = false;
	while (path->above < depth) {
		vector_push(&path->stacks, profile_add_stack(p, call_path_stack(path), 0));
		path->above++;
	}
}

bool call_path_enter(struct call_path *path, struct profile *p, size_t depth, location_id location)
{
	if (path->unknown && depth < READ_DEPTH_LIMIT)
		find_above(path, p, depth);
	call_path_cut(path, depth);
	if (depth > path->stacks.len || depth >= READ_DEPTH_LIMIT)
		return false;
	vector_push(&path->stacks, profile_stack(p, call_path_stack(path), location));
	return true;
}
