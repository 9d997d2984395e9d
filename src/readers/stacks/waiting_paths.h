/* waiting_paths.h: paths of locations in any order, which wait for each other to become stacks in
 * order.
 *
 * In a tree that is larger than the caches each step of a path waits for memory. Of paths that
 * stand in order none has to be looked for: where a path leaves the one before it, it is new. So
 * paths are followed in a tree of some of them, which is small and is left as it is; what is
 * behind the place where they leave it is kept, sorted and added, by several threads. */
#ifndef KILN_READERS_STACKS_WAITING_PATHS_H
#define KILN_READERS_STACKS_WAITING_PATHS_H

#include "readers/stacks/paths.h"

/* Which paths belong together is told by the stack that they are behind: a part of them has a place
 * in the caches. */
#define WAITING_PARTS 256u

struct waiting_paths {
	struct waiting_part {
		VECTOR(struct waiting_path) paths;
		location_id *room; /* for more steps */
		size_t left;
	} parts[WAITING_PARTS];
	VECTOR(location_id *) chunks; /* of steps */
	size_t left;		      /* of the last chunk, at its end */
	uint32_t count;		      /* of all paths */
	const location_id *last;      /* steps of the path that was added last */
};
struct waiting_path {
	const location_id *steps;
	uint32_t count, number; /* 0 for the path that was added first, ... */
	stack_id behind;	/* this stack of the profile, which has no such callee */
};

/* About so many paths are expected. */
struct waiting_paths *waiting_paths_new(size_t expected);
void waiting_paths_free(struct waiting_paths *w); /* NULL is fine */
/* A path that leaves the tree behind a stack and `level` locations: the answer of paths_follow. */
void waiting_paths_add(struct waiting_paths *w, stack_id behind, uint32_t level, struct path path);
/* Add all of them to the profile, to which nothing may have been added meanwhile. Puts the stack of
 * each, by its number, into ret_stacks; 0 for those that find no room. How many threads there are
 * changes nothing but the time. */
void waiting_paths_settle(
	const struct waiting_paths *w, struct profile *profile, stack_id *ret_stacks);

#endif
