/* sorted_stacks.c: in which order are the stacks of a call tree as sorted lines of text? */
#include "renderers/sorted_stacks.h"

#include "base/memory.h"

#include <stdlib.h>

#define FEW 24u /* up to here, insertion sort is faster */

static uint32_t rank_of(const struct sorted_stacks *p, uint32_t visit)
{
	uint32_t text = p->of_node[visit / 2].text;

	return visit & 1 ? p->order.leading[text] : p->order.ending[text];
}

static void sort_few(struct sort_key *keys, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct sort_key key = keys[i];
		size_t at = i;

		for (; at && keys[at - 1].key > key.key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

/* Collect the ranks and links of a list of visits. False: they are in order already. */
static bool read_ranks(
	const struct sorted_stacks *p, uint32_t first, struct sorted_stacks_scratch *room)
{
	bool mixed = false;

	room->keys.len = 0;
	for (uint32_t at = first; at; at = sorted_stacks_next(p, at - 1)) {
		struct sort_key key = {rank_of(p, at - 1), at};

		mixed |= room->keys.len && room->keys.items[room->keys.len - 1].key > key.key;
		vector_push(&room->keys, key);
	}
	return mixed;
}

/* Most nodes have one callee, whose own line precedes those of its callees. */
static bool is_one_callee(const struct sorted_stacks *p, uint32_t first)
{
	uint32_t next = sorted_stacks_next(p, first - 1);

	return !next || ((next - 1) / 2 == (first - 1) / 2 && !sorted_stacks_next(p, next - 1));
}

void sorted_stacks_sort(struct sorted_stacks *p, node_id node, struct sorted_stacks_scratch *room)
{
	uint32_t *link = &p->of_node[node].first;

	if (!*link || is_one_callee(p, *link) || !read_ranks(p, *link, room))
		return;
	if (room->keys.len <= FEW)
		sort_few(room->keys.items, room->keys.len);
	else
		sort_keys(room->keys.items, room->keys.len);
	for (size_t i = 0; i < room->keys.len; i++) {
		uint32_t visit = room->keys.items[i].row - 1;

		*link = visit + 1;
		link = &p->of_node[visit / 2].next[visit & 1];
	}
	*link = 0;
}

static void link_before(struct sorted_stacks *p, uint32_t *first, uint32_t visit)
{
	p->of_node[visit / 2].next[visit & 1] = *first;
	*first = visit + 1;
}

void sorted_stacks_rank(struct sorted_stacks *p, const struct sorted_stacks_source *source)
{
	text_order_init(&p->order, source->texts, source->text_count);
}

/* From the last node to the first, so that each node's callees are known when it is reached. */
void sorted_stacks_link(struct sorted_stacks *p, const struct sorted_stacks_source *source)
{
	p->of_node = memory_new_table(source->nodes, sizeof(*p->of_node));
	for (size_t i = source->nodes; i-- > 1;) {
		uint32_t *first = &p->of_node[source->caller[i]].first;

		p->of_node[i].text = source->text[i];
		if (p->of_node[i].first)
			link_before(p, first, (uint32_t)(2 * i + 1));
		if (source->ends[i])
			link_before(p, first, (uint32_t)(2 * i));
	}
}

void sorted_stacks_init(struct sorted_stacks *p, const struct sorted_stacks_source *source)
{
	sorted_stacks_rank(p, source);
	sorted_stacks_link(p, source);
}

void sorted_stacks_release(struct sorted_stacks *p)
{
	text_order_release(&p->order);
	memory_free(p->of_node);
	*p = (struct sorted_stacks){0};
}
