/* layout_lines.c: where are the boxes if stacks are drawn line by line, sorted as text? */
#include "renderers/layout.h"

#include "renderers/sorted_stacks.h"

#include <stdlib.h>

/* Names of frames, numbered in the order of first use. */
struct texts {
	VECTOR(struct bytes) items;
	uint32_t *of_node;
};

static void texts_init(struct texts *t, const struct view *v)
{
	size_t nodes = v->tree.caller.len;
	uint32_t *of_frame = memory_new(view_frame_count(v), sizeof(*of_frame)); /* plus 1 */

	*t = (struct texts){.of_node = memory_new(nodes, sizeof(*t->of_node))};
	for (size_t i = 1; i < nodes; i++) {
		frame_id frame = v->tree.frame.items[i];

		if (!of_frame[frame]) {
			vector_push(&t->items, view_function(v, frame));
			of_frame[frame] = (uint32_t)t->items.len;
		}
		t->of_node[i] = of_frame[frame] - 1;
	}
	memory_free(of_frame);
}

/* A box that is being filled. */
struct open_box {
	uint32_t index; /* in the layout */
	uint32_t visit; /* the next one inside it, plus 1 */
	int64_t x;	/* where that starts */
};

struct lines {
	struct layout *layout;
	struct sorted_stacks sorted_stacks;
	struct sorted_stacks_scratch room;
	const int64_t *self, *total;
	int64_t min;
	VECTOR(struct open_box) open;
};

static uint32_t enter(struct lines *l, node_id node)
{
	sorted_stacks_sort(&l->sorted_stacks, node, &l->room);
	return sorted_stacks_first(&l->sorted_stacks, node);
}

/* Place the box of a visit, merged with the next one if both belong to one node. */
static void place(struct lines *l, uint32_t visit)
{
	struct open_box *below = &l->open.items[l->open.len - 1];
	node_id node = visit / 2;
	bool own = !(visit & 1),
	     all = own && sorted_stacks_next(&l->sorted_stacks, visit) == visit + 2;
	int64_t start = below->x, inner = l->total[node] - l->self[node];
	int64_t value = all ? l->total[node] : own ? l->self[node] : inner;
	uint32_t depth = (uint32_t)l->open.len;

	below->visit = sorted_stacks_next(&l->sorted_stacks, all ? visit + 1 : visit);
	below->x += value;
	if (value < l->min)
		return;
	vector_push(&l->layout->boxes,
		((struct box){start, start + value, node, depth, below->index, own}));
	if (depth > l->layout->depth)
		l->layout->depth = depth;
	if (all || !own)
		vector_push(&l->open, ((struct open_box){(uint32_t)l->layout->boxes.len - 1,
					      enter(l, node), start + (own ? l->self[node] : 0)}));
}

static void place_all(struct lines *l)
{
	vector_push(&l->layout->boxes, ((struct box){0, l->total[0], 0, 0, 0, true}));
	vector_push(&l->open, ((struct open_box){0, enter(l, 0), l->self[0]}));
	while (l->open.len) {
		uint32_t visit = l->open.items[l->open.len - 1].visit;

		if (visit)
			place(l, visit - 1);
		else
			l->open.len--;
	}
	vector_release(&l->open);
}

void layout_lines(struct layout *l, const struct view *v, const int64_t *self, const int64_t *total,
	const bool *ends, int64_t min)
{
	size_t nodes = v->tree.caller.len;
	struct lines lines = {.layout = l, .self = self, .total = total, .min = min > 1 ? min : 1};
	struct texts texts;

	*l = (struct layout){0};
	if (total[0] <= 0)
		return;
	texts_init(&texts, v);
	sorted_stacks_init(&lines.sorted_stacks,
		&(struct sorted_stacks_source){v->tree.caller.items, texts.of_node, ends, nodes,
			texts.items.items, texts.items.len});
	place_all(&lines);
	sorted_stacks_release(&lines.sorted_stacks);
	vector_release(&lines.room.keys);
	vector_release(&texts.items);
	memory_free(texts.of_node);
}
