/* deferred_paths.h: paths of locations that come in any order, added to the profile sorted.
 *
 * In a tree of stacks that is larger than the processor's caches, each step of a path waits for
 * memory. In sorted paths no step has to be looked up: from where a path differs from the one
 * before it, all its steps are new stacks. So after a while the reader stops adding paths to the
 * tree. It follows each new path in the tree as far as that goes (paths_follow), which is cheap as
 * this tree is small and no longer grows, and keeps the rest of the path here (deferred_paths_add).
 * When all paths have been read, deferred_paths_settle sorts these rests and adds them.
 *
 * Paths are put into 256 parts by the stack they continue. Two paths of different parts share no
 * new stack, so that several threads sort and add parts at the same time. Sorting is by radix on
 * one step of the path at a time, and by insertion where few paths are left; the number of steps
 * that a sorted path shares with the one before it is then all that adding needs to know. The
 * number of rows of each part is known before the first is added: each part fills rows of its own,
 * and the result does not depend on the threads.
 *
 * bench/readers.sh (pprof, 1.5 million different stacks, shuffled) measures it. */
#ifndef KILN_READERS_STACKS_DEFERRED_PATHS_H
#define KILN_READERS_STACKS_DEFERRED_PATHS_H

#include "readers/stacks/paths.h"

/* A part is chosen by the stack that its paths continue, and is small enough for the caches. */
#define DEFERRED_PARTS 256u

struct deferred_paths {
	struct deferred_part {
		VECTOR(struct deferred_path) paths;
		location_id *room; /* for more steps */
		size_t left;
	} parts[DEFERRED_PARTS];
	VECTOR(location_id *) chunks; /* of steps */
	size_t left;		      /* of the last chunk, at its end */
	uint32_t count;		      /* of all paths */
	const location_id *last;      /* steps of the path that was added last */
};
struct deferred_path {
	const location_id *steps;
	uint32_t count, number; /* 0 for the path that was added first, ... */
	stack_id behind;	/* this stack of the profile, which has no such callee */
};

/* About so many paths are expected. */
struct deferred_paths *deferred_paths_new(size_t expected);
void deferred_paths_free(struct deferred_paths *w); /* NULL is fine */
/* A path that leaves the tree behind a stack and `level` locations: the answer of paths_follow. */
void deferred_paths_add(
	struct deferred_paths *w, stack_id behind, uint32_t level, struct path path);
/* Add all of them to the profile, to which nothing may have been added meanwhile. Puts the stack of
 * each, by its number, into ret_stacks; 0 for those that find no room. How many threads there are
 * changes nothing but the time. */
void deferred_paths_settle(
	const struct deferred_paths *w, struct profile *profile, stack_id *ret_stacks);

#endif
