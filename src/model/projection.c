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
static frame_id frame_with_line(struct overlay *o, frame_id id)
{
	struct frame frame = o->base->frames.items[id];
	struct bytes file = bytes_base_name(profile_text(o->base, frame.file));
	struct bytes function = profile_text(o->base, frame.function);
	struct buffer line = {0}, name = {0};

	buffer_printf(&line, " (%.*s:%u)", (int)file.len, file.at, frame.line);
	if (!bytes_ends_with(function, buffer_bytes(&line))) {
		buffer_add(&name, function.at, function.len);
		buffer_add(&name, line.at, line.len);
		frame.function = overlay_string(o, buffer_bytes(&name));
		id = overlay_frame(o, &frame);
	}
	buffer_release(&line);
	buffer_release(&name);
	return id;
}

/* The frame that the projection shows for this one. */
static frame_id projected_frame(struct overlay *o, frame_id id, enum projection projection)
{
	struct frame frame = o->base->frames.items[id];

	if (projection & PROJECT_WITHOUT_INLINED && frame.kind == FRAME_INLINED)
		return NOT_SHOWN;
	if (projection & PROJECT_LINES && frame.file && frame.line)
		return frame_with_line(o, id);
	if (PROJECTION_KIND(projection) != BY_FUNCTION || (!frame.file && !frame.line))
		return id;
	frame.file = 0;
	frame.line = 0;
	return overlay_frame(o, &frame);
}

/* The first of equal frames, for profiles that may have a frame twice. */
static frame_id first_frame(struct overlay *o, frame_id id)
{
	struct frame frame = overlay_frame_at(o, id);

	frame.function = overlay_string(o, overlay_text(o, frame.function));
	frame.module = overlay_string(o, overlay_text(o, frame.module));
	frame.file = overlay_string(o, overlay_text(o, frame.file));
	return overlay_frame(o, &frame);
}

static frame_id *projected_frames(struct overlay *o, enum projection projection)
{
	size_t count = o->base->frames.len;
	frame_id *map = memory_new(count, sizeof(*map));

	for (size_t i = 1; i < count; i++) {
		map[i] = projected_frame(o, (frame_id)i, projection);
		if (o->base->may_have_duplicates && map[i] != NOT_SHOWN)
			map[i] = first_frame(o, map[i]);
	}
	return map;
}

/* A location that is not named is shown as its module. */
static frame_id unnamed_frame(struct overlay *o, location_id location, enum projection projection)
{
	const struct location *l = &o->base->locations.items[location];
	struct bytes file =
		bytes_base_name(profile_text(o->base, o->base->mappings.items[l->mapping].file));
	struct buffer name = {0};
	struct frame frame = {0};

	if (!file.len)
		file = BYTES("unknown");
	if (PROJECTION_KIND(projection) == BY_ADDRESS)
		buffer_printf(&name, "[%.*s+0x%llx]", (int)file.len, file.at,
			(unsigned long long)l->address);
	else
		buffer_printf(&name, file.at[0] == '[' ? "%.*s" : "[%.*s]", (int)file.len, file.at);
	frame.function = overlay_string(o, buffer_bytes(&name));
	frame.module = overlay_string(o, file);
	buffer_release(&name);
	return overlay_frame(o, &frame);
}

static node_id location_node(struct overlay *o, struct tree_builder *b, node_id caller,
	location_id location, const frame_id *projected, enum projection projection)
{
	struct span names = o->base->location_names.items[location];
	node_id node = caller;

	if (!names.count)
		return tree_child(b, caller, unnamed_frame(o, location, projection));
	for (uint32_t i = 0; i < names.count; i++) {
		frame_id frame = projected[o->base->location_frames.items[names.first + i]];

		if (frame != NOT_SHOWN)
			node = tree_child(b, node, frame);
	}
	return node;
}

/* Does every location have exactly one frame, and no two the same one? Typical for text, where
 * locations are only names. */
static bool locations_are_frames(const struct overlay *o, const frame_id *projected)
{
	const struct profile *p = o->base;
	bool *taken = memory_new(overlay_frame_count(o), sizeof(*taken));
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
static void project_as_it_is(const struct profile *p, const frame_id *projected, struct tree *ret)
{
	size_t stacks = p->stack_caller.len;

	ret->caller.items = p->stack_caller.items;
	ret->frame.items = p->stack_location.items;
	ret->caller.len = ret->frame.len = stacks;
	if (numbers_are_equal(p, projected))
		return;
	ret->frame.items = NULL;
	ret->frame.len = 0;
	vector_reserve(&ret->frame, stacks);
	ret->frame.len = stacks;
	for (size_t i = 0; i < stacks; i++)
		ret->frame.items[i] = frame_of(p, p->stack_location.items[i], projected);
}

static node_id *project_by_merging(struct overlay *o, const frame_id *projected,
	enum projection projection, struct tree *ret_tree, bool *ret_full)
{
	const struct profile *p = o->base;
	node_id *nodes = memory_new(p->stack_caller.len, sizeof(*nodes));
	struct tree_builder b;
	size_t steps = 0;

	tree_builder_init(&b, p);
	for (size_t i = 1; i < p->stack_caller.len && !b.full && !deadline_passed_after(&steps, 1);
		i++)
		nodes[i] = location_node(o, &b, nodes[p->stack_caller.items[i]],
			p->stack_location.items[i], projected, projection);
	*ret_full = b.full;
	*ret_tree = b.tree;
	b.tree = (struct tree){0};
	tree_builder_release(&b);
	return nodes;
}

/* Every stack ends in the root. */
static node_id *project_nothing(const struct profile *p, struct tree *ret)
{
	vector_push(&ret->caller, 0);
	vector_push(&ret->frame, 0);
	return memory_new(p->stack_caller.len, sizeof(node_id));
}

void projection_build(struct overlay *o, enum projection projection, struct tree *ret_tree,
	node_id **ret_node_of_stack, bool *ret_full)
{
	frame_id *projected;

	*ret_tree = (struct tree){0};
	*ret_node_of_stack = NULL;
	*ret_full = false;
	if (PROJECTION_KIND(projection) == BY_ROOT) {
		*ret_node_of_stack = project_nothing(o->base, ret_tree);
		return;
	}
	projected = projected_frames(o, projection);
	if (!o->base->may_have_duplicates && locations_are_frames(o, projected))
		project_as_it_is(o->base, projected, ret_tree);
	else
		*ret_node_of_stack =
			project_by_merging(o, projected, projection, ret_tree, ret_full);
	memory_free(projected);
}
