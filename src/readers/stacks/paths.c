/* paths.c: which stack is at the end of this path of locations? */
#include "readers/stacks/paths.h"

#include <stdlib.h>

void paths_release(struct paths *p)
{
	id_map_release(&p->by_path);
	vector_release(&p->expected);
	vector_release(&p->hashes);
	vector_release(&p->stacks);
}

void paths_learn(struct paths *p)
{
	const struct profile *profile = p->profile;
	uint64_t *hashes = memory_new(profile->stack_caller.len, sizeof(*hashes));

	for (size_t i = 1; i < profile->stack_caller.len; i++) {
		stack_id caller = profile->stack_caller.items[i];

		hashes[i] = paths_hash(hashes[caller], profile->stack_location.items[i]);
		if (caller != i - 1)
			id_map_insert(&p->by_path, hashes[i], (stack_id)i);
	}
	memory_free(hashes);
}

void paths_expect(struct paths *p, struct path path)
{
	uint64_t hash = path.level ? p->expected.items[path.level - 1] : 0;
	uint64_t *by_level, *hashes;

	p->expected.len = path.level;
	if (!path.count)
		return;
	vector_reserve(&p->expected, path.count);
	vector_reserve(&p->hashes, path.count);
	by_level = p->expected.items + path.level;
	hashes = p->hashes.items + p->hashes.len;
	for (size_t i = 0; i < path.count; i++) {
		by_level[i] = hashes[i] = hash = paths_hash(hash, path.locations[i]);
		if (p->by_path.slots)
			__builtin_prefetch(&p->by_path.slots[id_map_start(&p->by_path, hash)]);
	}
	p->expected.len += path.count;
	p->hashes.len += path.count;
}

static inline bool is_step(
	const struct profile *p, stack_id stack, stack_id caller, location_id location)
{
	return p->stack_location.items[stack] == location && p->stack_caller.items[stack] == caller;
}

/* The stack of a caller and a location. A caller's first callee is mostly the next row of the
 * table; such a stack is not in the map. 0: the profile does not have it, and *ret_at is its slot
 * in the map. */
static inline stack_id find(
	struct paths *p, stack_id caller, uint64_t hash, location_id location, size_t *ret_at)
{
	stack_id stack = caller + 1;

	if (stack < p->profile->stack_caller.len && is_step(p->profile, stack, caller, location))
		return stack;
	*ret_at = id_map_first(&p->by_path, hash);
	while ((stack = id_map_candidate(&p->by_path, hash, ret_at)))
		if (is_step(p->profile, stack, caller, location))
			return stack;
	return 0;
}

static inline stack_id step(struct paths *p, stack_id caller, uint64_t hash, location_id location)
{
	size_t at = 0;
	stack_id stack;

	if (caller + 1 == p->profile->stack_caller.len)
		return profile_add_stack(p->profile, caller, location);
	stack = find(p, caller, hash, location, &at);
	if (stack)
		return stack;
	stack = profile_add_stack(p->profile, caller, location);
	if (stack)
		id_map_insert_at(&p->by_path, hash, at, stack);
	return stack;
}

stack_id paths_step(struct paths *p, stack_id caller, uint64_t hash, location_id location)
{
	return step(p, caller, hash, location);
}

stack_id paths_walk(struct paths *p, struct path path)
{
	stack_id stack = path.level ? p->stacks.items[path.level - 1] : 0;
	const uint64_t *hashes;

	p->stacks.len = path.level;
	if (!path.count)
		return stack;
	hashes = p->hashes.items + p->walked;
	vector_reserve(&p->stacks, path.count);
	for (size_t i = 0; i < path.count; i++) {
		stack = step(p, stack, hashes[i], path.locations[i]);
		p->stacks.items[p->stacks.len++] = stack;
	}
	p->walked += path.count;
	if (p->walked == p->hashes.len)
		p->walked = p->hashes.len = 0;
	return stack;
}

#define EXPECTED 8u /* paths that are expected before one is walked */

/* A place in a list, and in the locations of its paths. */
struct list_place {
	size_t path, location;
};

static struct path take_path(
	const struct listed_path *list, const location_id *all, struct list_place *at)
{
	const struct listed_path *path = &list[at->path++];

	return path_next(path->level, path->count, all, &at->location);
}

void paths_walk_list(struct paths *p, const struct listed_path *list, size_t count,
	const location_id *all, stack_id *ret_stacks)
{
	struct list_place expected = {0}, walked = {0};

	while (walked.path < count) {
		while (expected.path < count && expected.path <= walked.path + EXPECTED)
			paths_expect(p, take_path(list, all, &expected));
		*ret_stacks++ = paths_walk(p, take_path(list, all, &walked));
	}
}

stack_id paths_follow(struct paths *p, struct path path, uint32_t *ret_level)
{
	bool left = path.level > p->stacks.len; /* where the path before left it */
	size_t level = left ? p->stacks.len : path.level, at = 0;
	stack_id stack = level ? p->stacks.items[level - 1] : 0, next;
	uint64_t hash = level ? p->expected.items[level - 1] : 0;

	p->stacks.len = p->expected.len = level;
	vector_reserve(&p->stacks, path.count);
	vector_reserve(&p->expected, path.count);
	for (size_t i = 0; !left && i < path.count; i++) {
		hash = paths_hash(hash, path.locations[i]);
		next = find(p, stack, hash, path.locations[i], &at);
		if (!next)
			break;
		p->expected.items[level] = hash;
		p->stacks.items[level++] = stack = next;
	}
	p->stacks.len = p->expected.len = level;
	*ret_level = (uint32_t)level;
	return stack;
}
