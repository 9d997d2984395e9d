/* extent.c: how much memory and output do the rows of a profile stand for? */
#include "model/extent.h"

#include "base/expansion.h"
#include "model/deep_stacks.h"

#include <stdlib.h>

static bool strings_fit(const struct profile *p, uint64_t *ret_longest, struct error *err)
{
	const uint64_t *ends = p->string_ends.items;
	uint64_t longest = 0;

	for (size_t i = 1; i < p->string_ends.len; i++)
		longest = ends[i] - ends[i - 1] > longest ? ends[i] - ends[i - 1] : longest;
	*ret_longest = longest;
	return longest <= PROFILE_STRING_LIMIT ||
	       error_set(err, ERR_LIMIT,
		       "a name of %llu bytes; expected at most %zu: shorten it in the program that "
		       "writes it",
		       (unsigned long long)longest, PROFILE_STRING_LIMIT);
}

/* ---- Stacks ---- */

/* A location without names counts as one frame, that of its module. */
static uint32_t max_names(const struct profile *p)
{
	uint32_t max = 1;

	for (size_t i = 0; i < p->location_names.len; i++)
		max = p->location_names.items[i].count > max ? p->location_names.items[i].count
							     : max;
	return max;
}

/* The number of locations of the deepest stack; UINT16_MAX: that many or more. A caller comes
 * before its callees, so its depth is known. Most callers are the row before, whose depth is still
 * in a register: if it were read from memory, each row would wait until the row before has been
 * stored. */
static uint32_t max_locations(const struct profile *p)
{
	const stack_id *callers = p->stack_caller.items;
	size_t count = p->stack_caller.len;
	uint16_t *depth = memory_new_table(count, sizeof(*depth));
	uint32_t own = 0, max = 0;

	for (size_t i = 1; i < count && own < UINT16_MAX; i++) {
		uint32_t above = depth[callers[i]];

		own = (callers[i] == i - 1 ? own : above) + 1;
		depth[i] = (uint16_t)own;
		max = own > max ? own : max;
	}
	memory_free(depth);
	return max;
}

/* Count the frames of all stacks; *ret_deepest: those of the deepest one, or of the first one that
 * is too deep. */
static uint64_t count_frames(const struct profile *p, uint64_t *ret_deepest)
{
	const struct span *names = p->location_names.items;
	size_t count = p->stack_caller.len;
	uint32_t *depth = memory_new(count, sizeof(*depth));
	uint64_t nodes = 0, deepest = 0;

	for (size_t i = 1; i < count && deepest <= PROFILE_DEPTH_LIMIT; i++) {
		uint32_t own = names[p->stack_location.items[i]].count;
		uint64_t all = (uint64_t)depth[p->stack_caller.items[i]] + (own ? own : 1);

		depth[i] = (uint32_t)all;
		deepest = all > deepest ? all : deepest;
		nodes += own ? own : 1;
	}
	memory_free(depth);
	*ret_deepest = deepest;
	return nodes;
}

static bool nodes_fit(const struct profile *p, uint64_t nodes)
{
	return !p->limit || nodes <= p->limit / PROFILE_ROW_COST;
}

/* First assume that every location has as many names as the location with the most. This is mostly
 * good enough; looking up the names of each of 3 million stacks takes 8 ms. */
struct bounds {
	uint64_t names, depth; /* frames of a location, of a stack; UINT16_MAX or more: unknown */
};

static struct bounds find_bounds(const struct profile *p)
{
	uint64_t names = max_names(p);

	return (struct bounds){names, names * max_locations(p)};
}

static bool stacks_fit(
	const struct profile *p, struct bounds bounds, uint64_t *ret_nodes, struct error *err)
{
	uint64_t deepest;

	*ret_nodes = bounds.names * p->stack_caller.len;
	if (nodes_fit(p, *ret_nodes) && bounds.depth < UINT16_MAX)
		return true;
	*ret_nodes = count_frames(p, &deepest);
	if (deepest > PROFILE_DEPTH_LIMIT)
		return error_set(err, ERR_LIMIT,
			"a stack of more than %u frames; limit the depth in the program that "
			"records it",
			PROFILE_DEPTH_LIMIT);
	return nodes_fit(p, *ret_nodes) || expansion_error("the tree of its stacks", p->limit, err);
}

/* ---- Names ---- */

static uint64_t frame_text(const struct profile *p, frame_id id)
{
	return profile_text(p, p->frames.items[id].function).len;
}

/* Outputs write names at every node of the tree, and once per frame. Mostly the longest name is so
 * short that the sum need not be calculated. */
static bool names_fit(const struct profile *p, uint64_t nodes, uint64_t longest, struct error *err)
{
	uint64_t max = expansion_output_limit(p->limit), frames = 0, tree = 0, *before;
	size_t count = p->location_frames.len;

	if (longest * nodes <= max && longest * p->frames.len <= max)
		return true;
	for (size_t i = 1; i < p->frames.len; i++)
		frames += frame_text(p, (frame_id)i);
	before = memory_new(count + 1, sizeof(*before)); /* length of all texts before each one */
	for (size_t i = 0; i < count; i++)
		before[i + 1] = before[i] + frame_text(p, p->location_frames.items[i]);
	for (size_t i = 1; i < p->stack_caller.len; i++) {
		struct span names = p->location_names.items[p->stack_location.items[i]];

		tree += before[(size_t)names.first + names.count] - before[names.first];
	}
	memory_free(before);
	return (frames <= max && tree <= max) ||
	       expansion_error("the names in its stacks", max, err);
}

/* ---- Labels ---- */

static bool labels_fit(const struct profile *p, struct error *err)
{
	size_t count = p->label_sets.len;
	uint32_t *labels = memory_new(count, sizeof(*labels)), max = 0;

	for (size_t i = 1; i < count && max <= PROFILE_LABELS_LIMIT; i++) {
		labels[i] = labels[p->label_sets.items[i].parent] + 1;
		max = labels[i] > max ? labels[i] : max;
	}
	memory_free(labels);
	return max <= PROFILE_LABELS_LIMIT || error_set(err, ERR_LIMIT,
						      "a sample with more than %u labels; leave "
						      "some out in the program that records it",
						      PROFILE_LABELS_LIMIT);
}

static bool tables_fit(const struct profile *p, struct error *err)
{
	const struct {
		const char *name;
		size_t rows, limit;
	} tables[] = {{"kinds of values", p->streams.len, PROFILE_STREAMS_LIMIT},
		{"tables of samples", p->samples.len, PROFILE_STREAMS_LIMIT},
		{"reasons of losses", p->losses.len, PROFILE_LOSSES_LIMIT}};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].rows > tables[i].limit)
			return error_set(err, ERR_LIMIT,
				"more than %zu %s; leave some out in the program that records them",
				tables[i].limit, tables[i].name);
	return true;
}

static bool all_fits(const struct profile *p, struct bounds bounds, struct error *err)
{
	uint64_t longest, nodes;

	return tables_fit(p, err) && strings_fit(p, &longest, err) &&
	       stacks_fit(p, bounds, &nodes, err) && names_fit(p, nodes, longest, err) &&
	       labels_fit(p, err);
}

bool profile_check_extent(const struct profile *p, struct error *err)
{
	return all_fits(p, find_bounds(p), err);
}

bool profile_limit_extent(struct profile *p, uint32_t frames, struct error *err)
{
	struct bounds bounds = find_bounds(p);

	if (bounds.depth > frames) {
		profile_cut_deep_stacks(p, frames);
		bounds = find_bounds(p);
	}
	return all_fits(p, bounds, err);
}
