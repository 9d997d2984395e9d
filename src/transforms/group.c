/* group.c: how do samples of one stack get different trees?
 *
 * A view's tree is over stacks, and samples of several threads share a stack. So each sample
 * gets a node of its own (view_sample_nodes), and the tree is built again: for a sample in group g
 * that ends in old node n, the new node is that of (g, n). Those pairs are found in a map, and a
 * missing one is made from the pair (g, caller of n), up to the first that exists (place_of). So
 * the work is one lookup for each sample and one step for each new node. */
#include "transforms/group.h"

#include <stdlib.h>

/* The new node for an old one in some group. */
struct place {
	size_t group;
	node_id node, made;
};

struct grown {
	struct tree_builder builder;
	VECTOR(struct place) place;
	struct id_map places; /* keyed by group and node: index in `place` plus 1 */
	frame_id *frames;     /* of each group; 0: not made yet */
	VECTOR(node_id) chain;
};

void group_label(struct buffer *b, struct bytes name, int32_t id)
{
	if (!name.len)
		name = BYTES("[unknown]");
	buffer_add(b, name.at, name.len);
	buffer_char(b, '-');
	if (id < 0)
		buffer_char(b, '?');
	else
		buffer_i64(b, id);
}

static frame_id group_frame(
	struct view *v, const struct grouping *by, struct grown *g, size_t group)
{
	struct buffer label = {0};
	struct frame frame = {.kind = FRAME_META};

	if (!g->frames[group]) {
		by->label(v->profile, group, &label);
		frame.function = view_string(v, buffer_bytes(&label));
		buffer_release(&label);
		g->frames[group] = view_frame(v, &frame);
	}
	return g->frames[group];
}

/* Are the names equal? In root frames of some inputs, '_' stands for a blank in the program's
 * name. */
static bool same_name(struct bytes a, struct bytes b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (a.at[i] != b.at[i] && !(a.at[i] == '_' && b.at[i] == ' '))
			return false;
	return true;
}

/* Does the group's frame replace this root frame of a stack, because it states the same or more? */
static bool label_replaces(
	struct view *v, const struct grouping *by, struct grown *g, size_t group, frame_id frame)
{
	if (view_frame_at(v, frame).kind != FRAME_META)
		return false;
	return frame == group_frame(v, by, g, group) ||
	       (by->name && same_name(view_function(v, frame), by->name(v->profile, group)));
}

static uint32_t place_find(struct grown *g, size_t group, node_id node, size_t *ret_at)
{
	uint64_t hash = hash_pair(group, node);
	uint32_t id;

	*ret_at = id_map_first(&g->places, hash);
	while ((id = id_map_candidate(&g->places, hash, ret_at)))
		if (g->place.items[id - 1].group == group && g->place.items[id - 1].node == node)
			return id;
	return 0;
}

static void place_add(struct grown *g, size_t group, node_id node, node_id made)
{
	size_t at;

	place_find(g, group, node, &at);
	vector_push(&g->place, ((struct place){group, node, made}));
	id_map_insert_at(&g->places, hash_pair(group, node), at, (uint32_t)g->place.len);
}

/* The new node of (group, node). Go up to the nearest caller that has one in this group, then make
 * the missing ones from there down. */
static node_id place_of(
	struct view *v, const struct grouping *by, struct grown *g, size_t group, node_id node)
{
	node_id made = 0;
	uint32_t id = 0;
	size_t at;

	g->chain.len = 0;
	while (node && !(id = place_find(g, group, node, &at))) {
		vector_push(&g->chain, node);
		node = v->tree.caller.items[node];
	}
	made = id ? g->place.items[id - 1].made
		  : tree_child(&g->builder, 0, group_frame(v, by, g, group));
	while (g->chain.len) {
		node_id next = g->chain.items[--g->chain.len];
		frame_id frame = v->tree.frame.items[next];

		if (v->tree.caller.items[next] || !label_replaces(v, by, g, group, frame))
			made = tree_child(&g->builder, made, frame);
		place_add(g, group, next, made);
	}
	return made;
}

static void table_group(struct view *v, const struct grouping *by, struct grown *g, uint32_t table)
{
	const struct samples *s = &v->profile->samples.items[table];
	node_id *nodes = view_sample_nodes(v, table), last_node = NODE_DROPPED, last_made = 0;
	size_t last_group = 0;

	for (size_t i = 0; i < s->count && !g->builder.full; i++) {
		size_t group = grouping_of(by, v->profile, s, i);

		if (view_node(v, table, i) == NODE_DROPPED) {
			nodes[i] = NODE_DROPPED;
			continue;
		}
		if (nodes[i] != last_node || group != last_group) {
			last_node = nodes[i];
			last_group = group;
			last_made = place_of(v, by, g, group, nodes[i]);
		}
		nodes[i] = last_made;
	}
}

bool grouping_check(const struct grouping *by, const struct profile *p, struct error *err)
{
	for (size_t i = 0; i < p->samples.len; i++)
		if (by->has(&p->samples.items[i]))
			return true;
	return error_set(err, ERR_USAGE, "the input does not have %s", by->what);
}

bool group_apply(struct view *v, const struct grouping *by, struct error *err)
{
	struct grown g = {0};

	if (!grouping_check(by, v->profile, err))
		return false;
	g.frames = memory_new(by->groups, sizeof(*g.frames));
	tree_builder_init(&g.builder, v->profile);
	for (uint32_t i = 0; i < v->profile->samples.len; i++)
		table_group(v, by, &g, i);
	view_replace_tree(v, &g.builder);
	tree_builder_release(&g.builder);
	id_map_release(&g.places);
	vector_release(&g.place);
	vector_release(&g.chain);
	memory_free(g.frames);
	return true;
}
