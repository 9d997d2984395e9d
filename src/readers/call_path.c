/* call_path.c: where is one in a call tree that is listed line by line, callees indented below
 * their caller? */
#include "readers/call_path.h"

#include <stdlib.h>

void call_path_release(struct call_path *path)
{
	vector_release(&path->stacks);
}

void call_path_cut(struct call_path *path, size_t depth)
{
	if (path->stacks.len > depth)
		path->stacks.len = depth;
}

bool call_path_enter(struct call_path *path, struct profile *p, size_t depth, location_id location)
{
	call_path_cut(path, depth);
	if (depth > path->stacks.len || depth >= STACK_DEPTH_LIMIT)
		return false;
	vector_push(&path->stacks, profile_stack(p, call_path_stack(path), location));
	return true;
}
