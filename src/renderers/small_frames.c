/* small_frames.c: which frames are too small to be seen, and what stands for them?
 *
 * A page cannot show 14 million nodes. One forward sweep builds a smaller tree: a node whose total
 * is at least the given share is kept; each caller gets one merged node, which stands for all of
 * its smaller callees and everything below them. A node's total is never larger than its caller's,
 * so everything below a small node is small, and the sweep only has to look at the caller's new
 * node. If the user has zoomed into a node, that node and its callers are kept, and below it the
 * share is of its total. */
#include "renderers/small_frames.h"

#include <stdlib.h>

/* The position of a node relative to the opened one. */
enum place { ELSEWHERE, ABOVE, BELOW };

struct search {
	struct small_frames *s;
	const struct tree *tree;
	const int64_t *total;
	double min[2];	/* minimum totals: elsewhere, and within the opened node */
	uint8_t *place; /* of every old node */
	VECTOR(node_id)
	small_child; /* of every new node, the node for its small callees; 0: none */
};

static void find_places(struct search *f, node_id open)
{
	if (!open)
		return;
	for (node_id node = open; node; node = f->tree->caller.items[node])
		f->place[node] = ABOVE;
	for (size_t i = open + (size_t)1; i < f->tree->caller.len; i++) {
		node_id caller = f->tree->caller.items[i];

		if (caller == open || f->place[caller] == BELOW)
			f->place[i] = BELOW;
	}
}

static node_id add_node(struct search *f, node_id caller, frame_id frame, node_id from)
{
	vector_push(&f->s->tree.caller, caller);
	vector_push(&f->s->tree.frame, frame);
	vector_push(&f->s->from, from);
	vector_push(&f->s->count, 0);
	vector_push(&f->small_child, 0);
	return (node_id)(f->small_child.len - 1);
}

static bool is_large(const struct search *f, node_id node)
{
	return f->place[node] == ABOVE || (double)f->total[node] >= f->min[f->place[node] == BELOW];
}

/* The node for small callees of `caller`: itself if it is a merged node, otherwise its merged
 * callee. */
static node_id small_child_of(struct search *f, node_id caller, node_id from)
{
	if (f->s->count.items[caller])
		return caller;
	if (!f->small_child.items[caller]) {
		node_id made = add_node(f, caller, 0, from);

		f->small_child.items[caller] = made;
	}
	return f->small_child.items[caller];
}

static void place_node(struct search *f, node_id node)
{
	struct small_frames *s = f->s;
	node_id caller = s->map[f->tree->caller.items[node]];

	if (!f->total[node]) {
		s->map[node] = caller;
	} else if (!s->count.items[caller] && is_large(f, node)) {
		s->map[node] = add_node(f, caller, f->tree->frame.items[node], node);
	} else {
		s->map[node] = small_child_of(f, caller, node);
		s->count.items[s->map[node]]++;
		s->frames++;
	}
}

/* A merged node that stands for one frame becomes that frame. */
static void show_alone(struct search *f)
{
	struct small_frames *s = f->s;

	for (size_t i = 1; i < s->count.len; i++) {
		if (s->count.items[i] != 1)
			continue;
		s->count.items[i] = 0;
		s->tree.frame.items[i] = f->tree->frame.items[s->from.items[i]];
		s->frames--;
	}
}

void small_frames_merge(struct small_frames *s, const struct tree *tree, const int64_t *total,
	const struct small_rule *rule)
{
	size_t nodes = tree->caller.len;
	node_id open = rule->open < nodes ? rule->open : 0;
	struct search f = {.s = s, .tree = tree, .total = total};

	f.min[0] = (double)total[0] * rule->share;
	f.min[1] = (double)total[open] * rule->share;
	f.place = memory_new(nodes, sizeof(*f.place));
	s->map = memory_new(nodes, sizeof(*s->map));
	find_places(&f, open);
	add_node(&f, 0, 0, 0);
	for (node_id node = 1; node < nodes; node++)
		place_node(&f, node);
	show_alone(&f);
	vector_release(&f.small_child);
	memory_free(f.place);
}

int64_t *small_frames_sum(const struct small_frames *s, size_t nodes, const int64_t *self)
{
	int64_t *sums = memory_new(s->tree.caller.len, sizeof(*sums));

	for (size_t i = 0; i < nodes; i++)
		sums[s->map[i]] += self[i];
	return sums;
}

void small_frames_release(struct small_frames *s)
{
	tree_release(&s->tree);
	vector_release(&s->from);
	vector_release(&s->count);
	memory_free(s->map);
	*s = (struct small_frames){0};
}
