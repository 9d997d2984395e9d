/* paths.h: which stack is at the end of this path of locations? For stacks in any order.
 *
 * A path of locations leads from the root of the stack table to a stack, one step for each
 * location. In a large table each step waits for memory, if the key of a step is the stack of its
 * caller: that is known only after the step before. Here the key is the hash of all locations up to
 * the step, which is known in advance. So a path is first announced (paths_expect), which
 * prefetches what its steps need, and some paths later it is walked (paths_walk), which finds its
 * stacks or adds them. */
#ifndef KILN_READERS_STACKS_PATHS_H
#define KILN_READERS_STACKS_PATHS_H

#include "model/profile.h"

/* A path as a change of the path before it: it keeps the first `level` locations of that one, and
 * goes on with these, outermost first. */
struct path {
	const location_id *locations;
	uint32_t level, count;
};

/* The next of many paths whose locations stand one after the other in `all`, from *place on, which
 * is moved behind them. Without locations (`count` 0), `all` may be NULL. */
static inline struct path path_next(
	uint32_t level, uint32_t count, const location_id *all, size_t *place)
{
	struct path path = {.level = level, .count = count};

	if (count)
		path.locations = all + *place;
	*place += count;
	return path;
}

/* A path of a list, whose locations stand one after the other in one array. */
struct listed_path {
	uint32_t level, count;
};

/* `{.profile = p}` is ready for use if the profile has no stacks yet; otherwise call paths_learn.
 * From then on, stacks may be added to the profile only here. */
struct paths {
	struct profile *profile;
	/* Stacks by the hash of their path, without those whose id is their caller's plus one. */
	struct id_map by_path;
	VECTOR(uint64_t) expected; /* hashes, by level, of the last path expected or followed */
	VECTOR(uint64_t) hashes;   /* of the steps of all paths that were expected */
	size_t walked;		   /* how many of these steps have been taken */
	VECTOR(stack_id) stacks;   /* of the last path walked or followed, outermost first */
};
void paths_release(struct paths *p);

/* Add the stacks that the profile has already. Call before any path is expected or walked. */
void paths_learn(struct paths *p);

/* The hash of a path that is longer by this location. */
static inline uint64_t paths_hash(uint64_t hash, location_id location)
{
	hash = (hash + location) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 32;
}
/* Take a single step: the stack of a caller and a location, where `hash` is that of the whole path.
 */
stack_id paths_step(struct paths *p, stack_id caller, uint64_t hash, location_id location);

/* Announce a path, which paths_walk will be called for later. */
void paths_expect(struct paths *p, struct path path);
/* The stack at the end of a path; what is missing is added. Paths are walked in the order in which
 * they were expected. */
stack_id paths_walk(struct paths *p, struct path path);
/* Expect and walk all paths of a list, whose locations stand in `all`: the stack of each. */
void paths_walk_list(struct paths *p, const struct listed_path *list, size_t count,
	const location_id *all, stack_id *ret_stacks);
/* Follow a path, which was not expected, as far as the profile has its stacks, and add nothing.
 * Returns the last stack; *ret_level: its depth. After the first call, no path may be expected or
 * walked any more. */
stack_id paths_follow(struct paths *p, struct path path, uint32_t *ret_level);

#endif
