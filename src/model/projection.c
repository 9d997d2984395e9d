/* projection.c: how does a profile become a tree?
 *
 * Stacks are over locations (addresses), a tree is over frames (functions): two addresses of one
 * function are one node, and a location with inlined functions is a chain of nodes. First each
 * frame of the profile is mapped to the frame that the projection shows for it (projected_frames):
 * BY_FUNCTION drops file and line, for example. Then one forward sweep over the stacks makes the
 * nodes: a caller comes before its callees, so node_of_stack[caller] is known, and the callee with
 * that frame is looked up or added (tree_child). The cost is one lookup for each frame of each
 * stack row, not of each sample.
 *
 * Profiles read from text mostly have exactly one frame for each location, and no two locations
 * with the same frame. Then different stacks are different nodes, and the stack table itself is
 * the tree: nothing is built or copied (project_as_it_is). Measured by `bench/draw_folded.sh`. */
#include "model/projection.h"

#include "base/buffer.h"
#include "base/deadline.h"

#include <stdlib.h>

#define NOT_SHOWN	     UINT32_MAX /* in place of a frame */
#define PROJECTION_KIND(all) ((all) & (PROJECT_LINES - 1))

/* "work (file.c:42)". A name that ends like that is left alone: the profile may have been made
 * from such a view. */
static frame_id frame_with_line(struct view *v, frame_id id)
{
	struct frame frame = v->profile->frames.items[id];
	struct bytes file = bytes_base_name(profile_text(v->profile, frame.file));
	struct bytes function = profile_text(v->profile, frame.function);
	struct buffer line = {0}, name = {0};

	buffer_printf(&line, " (%.*s:%u)", (int)file.len, file.at, frame.line);
	if (!bytes_ends_with(function, buffer_bytes(&line))) {
		buffer_add(&name, function.at, function.len);
		buffer_add(&name, line.at, line.len);
		frame.function = view_string(v, buffer_bytes(&name));
		id = view_frame(v, &frame);
	}
	buffer_release(&line);
	buffer_release(&name);
	return id;
}

/* The frame that the projection shows for this one. */
static frame_id projected_frame(struct view *v, frame_id id, enum projection projection)
{
	struct frame frame = v->profile->frames.items[id];

	if (projection & PROJECT_WITHOUT_INLINED && frame.kind == FRAME_INLINED)
		return NOT_SHOWN;
	if (projection & PROJECT_LINES && frame.file && frame.line)
		return frame_with_line(v, id);
	if (PROJECTION_KIND(projection) != BY_FUNCTION || (!frame.file && !frame.line))
		return id;
	frame.file = 0;
	frame.line = 0;
	return view_frame(v, &frame);
}

/* The first of equal frames, for profiles that may have a frame twice. */
static frame_id first_frame(struct view *v, frame_id id)
{
	struct frame frame = view_frame_at(v, id);

	frame.function = view_string(v, view_text(v, frame.function));
	frame.module = view_string(v, view_text(v, frame.module));
	frame.file = view_string(v, view_text(v, frame.file));
	return view_frame(v, &frame);
}

static frame_id *projected_frames(struct view *v, enum projection projection)
{
	size_t count = v->profile->frames.len;
	frame_id *map = memory_new(count, sizeof(*map));

	for (size_t i = 1; i < count; i++) {
		map[i] = projected_frame(v, (frame_id)i, projection);
		if (v->profile->may_have_duplicates && map[i] != NOT_SHOWN)
			map[i] = first_frame(v, map[i]);
	}
	return map;
}

/* A location that is not named is shown as its module. */
static frame_id unnamed_frame(struct view *v, location_id location, enum projection projection)
{
	const struct location *l = &v->profile->locations.items[location];
	struct bytes file = bytes_base_name(
		profile_text(v->profile, v->profile->mappings.items[l->mapping].file));
	struct buffer name = {0};
	struct frame frame = {0};

	if (!file.len)
		file = BYTES("unknown");
	if (PROJECTION_KIND(projection) == BY_ADDRESS)
		buffer_printf(&name, "[%.*s+0x%llx]", (int)file.len, file.at,
			(unsigned long long)l->address);
	else
		buffer_printf(&name, file.at[0] == '[' ? "%.*s" : "[%.*s]", (int)file.len, file.at);
	frame.function = view_string(v, buffer_bytes(&name));
	frame.module = view_string(v, file);
	buffer_release(&name);
	return view_frame(v, &frame);
}

static node_id location_node(struct view *v, struct tree_builder *b, node_id caller,
	location_id location, const frame_id *projected, enum projection projection)
{
	struct span names = v->profile->location_names.items[location];
	node_id node = caller;

	if (!names.count)
		return tree_child(b, caller, unnamed_frame(v, location, projection));
	for (uint32_t i = 0; i < names.count; i++) {
		frame_id frame = projected[v->profile->location_frames.items[names.first + i]];

		if (frame != NOT_SHOWN)
			node = tree_child(b, node, frame);
	}
	return node;
}

/* Does every location have exactly one frame, and no two the same one? Typical for text, where
 * locations are only names. */
static bool locations_are_frames(const struct view *v, const frame_id *projected)
{
	const struct profile *p = v->profile;
	bool *taken = memory_new(view_frame_count(v), sizeof(*taken));
	bool apart = true;

	for (size_t i = 1; apart && i < p->locations.len; i++) {
		struct span names = p->location_names.items[i];
		frame_id frame = names.count ? projected[p->location_frames.items[names.first]] : 0;

		apart = names.count == 1 && frame != NOT_SHOWN && !taken[frame];
		if (apart)
			taken[frame] = true;
	}
	memory_free(taken);
	return apart;
}

/* The frame that a stack adds to its caller's, where locations are frames. */
static frame_id frame_of(const struct profile *p, location_id location, const frame_id *projected)
{
	return location ? projected[p->location_frames
					    .items[p->location_names.items[location].first]]
			: 0;
}

/* Does each location have the same number as its frame? */
static bool numbers_are_equal(const struct profile *p, const frame_id *projected)
{
	for (size_t i = 1; i < p->locations.len; i++)
		if (frame_of(p, (location_id)i, projected) != i)
			return false;
	return true;
}

/* The stack table is the tree, because no two stacks are equal. Borrowed vectors have cap 0. */
static void project_as_it_is(struct view *v, const frame_id *projected)
{
	const struct profile *p = v->profile;
	size_t stacks = p->stack_caller.len;

	v->tree.caller.items = p->stack_caller.items;
	v->tree.frame.items = p->stack_location.items;
	v->tree.caller.len = v->tree.frame.len = stacks;
	if (numbers_are_equal(p, projected))
		return;
	v->tree.frame.items = NULL;
	v->tree.frame.len = 0;
	vector_reserve(&v->tree.frame, stacks);
	v->tree.frame.len = stacks;
	for (size_t i = 0; i < stacks; i++)
		v->tree.frame.items[i] = frame_of(p, p->stack_location.items[i], projected);
}

static void project_by_merging(
	struct view *v, const frame_id *projected, enum projection projection)
{
	const struct profile *p = v->profile;
	struct tree_builder b;
	size_t steps = 0;

	v->node_of_stack = memory_new(p->stack_caller.len, sizeof(*v->node_of_stack));
	view_builder_init(v, &b);
	for (size_t i = 1; i < p->stack_caller.len && !b.full && !deadline_passed_after(&steps, 1);
		i++)
		v->node_of_stack[i] =
			location_node(v, &b, v->node_of_stack[p->stack_caller.items[i]],
				p->stack_location.items[i], projected, projection);
	v->full = b.full;
	v->tree = b.tree;
	b.tree = (struct tree){0};
	tree_builder_release(&b);
}

/* Every stack ends in the root. */
static void project_nothing(struct view *v)
{
	v->node_of_stack = memory_new(v->profile->stack_caller.len, sizeof(*v->node_of_stack));
	vector_push(&v->tree.caller, 0);
	vector_push(&v->tree.frame, 0);
}

void projection_build(struct view *v, enum projection projection)
{
	frame_id *projected;

	if (PROJECTION_KIND(projection) == BY_ROOT) {
		project_nothing(v);
		return;
	}
	projected = projected_frames(v, projection);
	if (!v->profile->may_have_duplicates && locations_are_frames(v, projected))
		project_as_it_is(v, projected);
	else
		project_by_merging(v, projected, projection);
	memory_free(projected);
}
