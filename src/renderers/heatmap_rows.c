/* heatmap_rows.c: which threads or CPUs are the rows of a heat map, and in which order? */
#include "renderers/heatmap_rows.h"

#include "base/sort.h"

#include <stdlib.h>

#define NO_ROW UINT32_MAX

/* The sum of each group; *seen: does it have a sample? */
static double *sum_groups(const struct heatmap_rows *r, bool *seen)
{
	const struct profile *p = r->view->profile;
	double *sums = memory_new(r->by.groups, sizeof(*sums));

	for (size_t i = 0; i < p->streams.len; i++) {
		uint32_t table = p->streams.items[i].row.samples;
		const struct samples *s = &p->samples.items[table];

		for (size_t at = 0; r->view->streams[i] && at < s->count; at++) {
			size_t group;

			if (view_node(r->view, table, at) == NODE_DROPPED)
				continue;
			group = grouping_of(&r->by, p, s, at);
			sums[group] += (double)stream_value(&p->streams.items[i], at);
			seen[group] = true;
		}
	}
	return sums;
}

/* A sort key for descending sums: non-negative doubles sort like their bits. */
static uint64_t largest_first(double sum)
{
	uint64_t bits;

	sum = sum > 0 ? sum : 0;
	memcpy(&bits, &sum, sizeof(bits));
	return ~bits;
}

static void order_groups(struct heatmap_rows *r, enum heatmap_by by)
{
	bool *seen = memory_new(r->by.groups, sizeof(*seen));
	double *sums = sum_groups(r, seen);
	uint64_t *numbers = memory_new(r->by.groups, sizeof(*numbers));
	struct sort_key *sorted = memory_new(r->by.groups, sizeof(*sorted));

	for (size_t i = 0; i < r->by.groups; i++)
		numbers[i] = by == HEATMAP_BY_CPU ? i : largest_first(sums[i]);
	sort_by_number(numbers, r->by.groups, sorted);
	for (size_t i = 0; i < r->by.groups; i++) {
		size_t group = sorted[i].row;

		r->row_of[group] = seen[group] ? (uint32_t)r->groups.len : NO_ROW;
		if (seen[group])
			vector_push(&r->groups, group);
	}
	memory_free(seen);
	memory_free(sums);
	memory_free(numbers);
	memory_free(sorted);
}

bool heatmap_rows_init(
	struct heatmap_rows *r, const struct view *v, enum heatmap_by by, struct error *err)
{
	*r = (struct heatmap_rows){.view = v,
		.by = by == HEATMAP_BY_CPU ? grouping_by_cpu(v->profile)
					   : grouping_by_thread(v->profile)};
	if (!grouping_check(&r->by, v->profile, err))
		return false;
	r->row_of = memory_new(r->by.groups, sizeof(*r->row_of));
	order_groups(r, by);
	return true;
}

size_t heatmap_rows_of(const struct heatmap_rows *r, const struct samples *s, size_t sample)
{
	return r->row_of[grouping_of(&r->by, r->view->profile, s, sample)];
}

void heatmap_rows_labels(const struct heatmap_rows *r, size_t count, struct buffer *out)
{
	struct buffer label = {0};

	for (size_t i = 0; i < count; i++) {
		label.len = 0;
		r->by.label(r->view->profile, r->groups.items[i], &label);
		if (i)
			buffer_char(out, ',');
		buffer_json(out, buffer_bytes(&label));
	}
	buffer_release(&label);
}

void heatmap_rows_release(struct heatmap_rows *r)
{
	vector_release(&r->groups);
	memory_free(r->row_of);
}
