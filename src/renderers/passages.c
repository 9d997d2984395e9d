/* passages.c: in which order do the stacks of a call tree stand as sorted lines of text? */
#include "renderers/passages.h"

#include "base/memory.h"
#include "renderers/text_order.h"

#include <stdlib.h>

static uint32_t rank_of(
	const struct passages_source *s, const struct text_order *order, uint32_t passage)
{
	uint32_t text = s->text[passage / 2];

	return passage & 1 ? order->leading[text] : order->ending[text];
}

/* All passages that are needed, sorted by rank (a counting sort). Returns how many. */
static size_t sort_passages(
	const struct passages_source *s, const struct text_order *order, uint32_t **ret_sorted)
{
	size_t ranks = 2 * s->text_count, count = 0;
	bool *is_caller = memory_new(s->nodes, sizeof(*is_caller));
	uint32_t *starts = memory_new(ranks + 1, sizeof(*starts));
	uint32_t *sorted = memory_new(2 * s->nodes, sizeof(*sorted));

	for (size_t i = s->nodes; i-- > 1;) {
		if (s->ends[i] || is_caller[i])
			is_caller[s->caller[i]] = true;
		if (s->ends[i])
			starts[rank_of(s, order, (uint32_t)(2 * i)) + 1]++;
		if (is_caller[i])
			starts[rank_of(s, order, (uint32_t)(2 * i + 1)) + 1]++;
	}
	for (size_t i = 1; i <= ranks; i++)
		starts[i] += starts[i - 1];
	count = starts[ranks];
	for (size_t i = 1; i < s->nodes; i++) {
		if (s->ends[i])
			sorted[starts[rank_of(s, order, (uint32_t)(2 * i))]++] = (uint32_t)(2 * i);
		if (is_caller[i])
			sorted[starts[rank_of(s, order, (uint32_t)(2 * i + 1))]++] =
				(uint32_t)(2 * i + 1);
	}
	free(is_caller);
	free(starts);
	*ret_sorted = sorted;
	return count;
}

void passages_init(struct passages *p, const struct passages_source *source)
{
	struct text_order order;
	uint32_t *sorted;
	size_t count;

	text_order_init(&order, source->texts, source->text_count);
	count = sort_passages(source, &order, &sorted);
	p->of_node = memory_new(source->nodes, sizeof(*p->of_node));
	while (count--) {
		uint32_t passage = sorted[count];
		uint32_t *first = &p->of_node[source->caller[passage / 2]].first;

		p->of_node[passage / 2].next[passage & 1] = *first;
		*first = passage + 1;
	}
	text_order_release(&order);
	free(sorted);
}

void passages_release(struct passages *p)
{
	free(p->of_node);
	*p = (struct passages){0};
}
