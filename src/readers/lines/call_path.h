/* call_path.h: where is one in a call tree that is listed line by line, callees indented below
 * their caller? */
#ifndef KILN_READERS_LINES_CALL_PATH_H
#define KILN_READERS_LINES_CALL_PATH_H

#include "readers/part.h"

/* `{0}`: at the root. */
struct call_path {
	VECTOR(stack_id) stacks; /* of the last line and the ones it is below */
	bool unknown;		 /* the callers of the next line are in the part before */
	uint32_t above;		 /* how many lines of the part before there are in the path */
};

/* What is read may be a part of a tree; when all of it has been read, the path is left to the next
 * one. */
void call_path_open(struct call_path *path, const struct read_part *part);
void call_path_leave(struct call_path *path, struct read_part *part);
void call_path_release(struct call_path *path);

/* The next line is `depth` levels below the first one. False when the line above it is not its
 * caller or sibling (one between is missing), or when it is too deep. */
bool call_path_enter(struct call_path *path, struct profile *p, size_t depth, location_id location);

/* A line of this depth could not be read: lines below it have no caller. */
void call_path_cut(struct call_path *path, size_t depth);

/* The stack of the line that was entered last. */
static inline stack_id call_path_stack(const struct call_path *path)
{
	return path->stacks.len ? path->stacks.items[path->stacks.len - 1] : 0;
}

#endif
