/* svg_sums.c: what are the sums of decimal values if they are added as doubles? */
#include "renderers/svg_sums.h"

#include <assert.h>
#include <stdlib.h>

void svg_sums_release(struct svg_sums *s)
{
	vector_release(&s->items);
}

static int sum_compare(const void *a, const void *b)
{
	const struct svg_sum *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

void svg_sums_find(struct svg_sums *s, const struct layout *all, double one)
{
	size_t distinct = 1;

	vector_push(&s->items, (struct svg_sum){0});
	for (size_t i = 0; i < all->boxes.len; i++) {
		vector_push(&s->items, (struct svg_sum){.at = all->boxes.items[i].start});
		vector_push(&s->items, (struct svg_sum){.at = all->boxes.items[i].end});
	}
	qsort(s->items.items, s->items.len, sizeof(*s->items.items), sum_compare);
	for (size_t i = 1; i < s->items.len; i++) {
		struct svg_sum last = s->items.items[distinct - 1];
		int64_t at = s->items.items[i].at;

		if (at > last.at)
			s->items.items[distinct++] =
				(struct svg_sum){at, last.sum + (double)(at - last.at) / one};
	}
	s->items.len = distinct;
}

double svg_sums_at(const struct svg_sums *s, int64_t at)
{
	struct svg_sum key = {.at = at};
	const struct svg_sum *found =
		bsearch(&key, s->items.items, s->items.len, sizeof(*s->items.items), sum_compare);

	assert(found && "an edge of a box");
	return found->sum;
}
