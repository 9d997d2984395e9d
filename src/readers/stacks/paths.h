/* paths.h: which stack is at the end of this path of locations? For stacks in any order.
 *
 * Whoever steps from callee to callee waits for memory at each of them once a tree is large. Here a
 * stack is looked for by the hash of its whole path, which is known before a step is taken: a path
 * is expected a while before it is walked, so that its stacks are on their way already. */
#ifndef KILN_READERS_STACKS_PATHS_H
#define KILN_READERS_STACKS_PATHS_H

#include "model/profile.h"

/* Locations, outermost first, that continue the path before this one behind its first `level`
 * locations. */
struct path {
	const location_id *locations;
	uint32_t level, count;
};

/* One of many paths whose locations stand one after the other in `all`: *place is where the next
 * one's begin. Of an empty one `all` is not looked at, as there may be nothing yet. */
static inline struct path path_next(
	uint32_t level, uint32_t count, const location_id *all, size_t *place)
{
	struct path path = {.level = level, .count = count};

	if (count)
		path.locations = all + *place;
	*place += count;
	return path;
}

/* One of a list of such paths. */
struct listed_path {
	uint32_t level, count;
};

/* With the profile set it is empty, as the profile's stacks are; those that it has are learnt. From
 * then on all of them are to be added here. */
struct paths {
	struct profile *profile;
	struct id_map by_path; /* stacks that are not right behind their caller */
	VECTOR(uint64_t)
	expected; /* hashes, by level, of the path that was expected or followed last */
	VECTOR(uint64_t) hashes; /* of all steps that were expected */
	size_t walked;		 /* of these */
	VECTOR(stack_id) stacks; /* of the path that was walked last, outermost first */
};
void paths_release(struct paths *p);

/* Get to know the stacks that the profile has already. No path has been expected or walked. */
void paths_learn(struct paths *p);

/* The hash of a path of one location more. */
static inline uint64_t paths_hash(uint64_t hash, location_id location)
{
	hash = (hash + location) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 32;
}
/* A single step from a stack to the end of a path with this hash. */
stack_id paths_step(struct paths *p, stack_id caller, uint64_t hash, location_id location);

void paths_expect(struct paths *p, struct path path);
/* The stack at the end; in the order in which paths were expected. */
stack_id paths_walk(struct paths *p, struct path path);
/* Expect and walk all of a list, whose locations stand in `all`: the stack of each. */
void paths_walk_list(struct paths *p, const struct listed_path *list, size_t count,
	const location_id *all, stack_id *ret_stacks);
/* Without expecting it and without adding anything: as far as the tree has the path. *ret_level: so
 * many of its locations. From the first such call on none is expected or walked any more. */
stack_id paths_follow(struct paths *p, struct path path, uint32_t *ret_level);

#endif
