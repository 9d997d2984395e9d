/* chart_runs.c: which samples in a row have the same frame, and which of these runs are drawn as
 * one? */
#include "renderers/chart_runs.h"

#include <stdlib.h>

#define NO_BOX SIZE_MAX

/* What goes on at one depth: since when, since which sample, and what all before it were worth. */
struct open_run {
	node_id node;
	uint64_t begin;
	size_t first;
	int64_t before;
	size_t last; /* box of this depth and lane, or NO_BOX */
};

/* A lane on its way through time. */
struct sweep {
	const struct chart_lanes *lanes;
	struct chart_boxes *out;
	const uint32_t *depth; /* of every node of the view: the root's is 0 */
	struct open_run *runs; /* by depth - 1; below `open` they are going on */
	size_t open, lane;
	int64_t sum; /* of the samples so far */
};

/* ---- Boxes ---- */

static bool is_thin(const struct sweep *s, uint64_t begin, uint64_t end)
{
	return end - begin < s->out->least;
}

/* The box before is thin as well, and near. */
static bool joins(const struct sweep *s, const struct open_run *run, uint64_t end)
{
	const struct chart_box *last = run->last == NO_BOX ? NULL : &s->out->boxes.items[run->last];

	return last && is_thin(s, run->begin, end) && is_thin(s, last->begin, last->end) &&
	       is_thin(s, last->end, run->begin);
}

static void close_run(struct sweep *s, struct open_run *run, size_t at, uint64_t end)
{
	struct chart_box box = {.begin = run->begin,
		.end = end,
		.value = s->sum - run->before,
		.node = run->node,
		.lane = (uint32_t)s->lane,
		.samples = (uint32_t)(at - run->first),
		.runs = 1,
		.depth = (uint16_t)(s->depth[run->node] - 1),
		.longest = end - run->begin};

	if (joins(s, run, end)) {
		struct chart_box *last = &s->out->boxes.items[run->last];

		last->end = end;
		last->value += box.value;
		last->samples += box.samples;
		last->runs++;
		last->node = box.longest > last->longest ? box.node : last->node;
		last->longest = box.longest > last->longest ? box.longest : last->longest;
		return;
	}
	run->last = s->out->boxes.len;
	vector_push(&s->out->boxes, box);
}

/* ---- Runs ---- */

static node_id caller_of(const struct sweep *s, node_id node)
{
	return s->lanes->view->tree.caller.items[node];
}

/* How many of the frames that go on are the sample's, too. */
static size_t common_depth(const struct sweep *s, node_id node)
{
	while (s->depth[node] > s->open)
		node = caller_of(s, node);
	while (node && s->runs[s->depth[node] - 1].node != node)
		node = caller_of(s, node);
	return s->depth[node];
}

static void close_below(struct sweep *s, size_t depth, size_t at, uint64_t end)
{
	while (s->open > depth)
		close_run(s, &s->runs[--s->open], at, end);
}

static void open_runs(struct sweep *s, node_id node, size_t at, uint64_t begin)
{
	size_t from = s->open;

	s->open = s->depth[node];
	for (; s->depth[node] > from; node = caller_of(s, node)) {
		struct open_run *run = &s->runs[s->depth[node] - 1];

		*run = (struct open_run){node, begin, at, s->sum, run->last};
	}
}

static void sweep_lane(struct sweep *s, size_t depths)
{
	const struct chart_lanes *l = s->lanes;
	const struct profile *p = l->view->profile;
	uint64_t begin, end, before = 0;

	s->open = 0;
	for (size_t i = 0; i < depths; i++)
		s->runs[i].last = NO_BOX;
	for (size_t at = l->first[s->lane]; at < l->first[s->lane + 1]; at++) {
		const struct chart_sample *sample = &l->samples[at];
		uint32_t table = p->streams.items[sample->stream].row.samples;
		node_id node = view_node(l->view, table, sample->sample);

		chart_span(l, s->lane, at, &begin, &end);
		close_below(s, begin > before ? 0 : common_depth(s, node), at, before);
		open_runs(s, node, at, begin);
		s->sum += chart_value(l, at);
		before = end;
		if (s->out->boxes.len > CHART_BOXES_MOST)
			return; /* all of it is done again */
	}
	close_below(s, 0, l->first[s->lane + 1], before);
}

/* ---- All lanes ---- */

static uint32_t *find_depths(const struct view *v, size_t *ret_most)
{
	uint32_t *depth = memory_new(v->tree.caller.len, sizeof(*depth));

	*ret_most = 0;
	for (size_t i = 1; i < v->tree.caller.len; i++) {
		depth[i] = depth[v->tree.caller.items[i]] + 1;
		*ret_most = depth[i] > *ret_most ? depth[i] : *ret_most;
	}
	return depth;
}

static int by_place(const void *a, const void *b)
{
	const struct chart_box *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

void chart_boxes_init(struct chart_boxes *b, const struct chart_lanes *lanes, uint64_t least)
{
	size_t most;
	uint32_t *depth = find_depths(lanes->view, &most);
	struct sweep s = {.lanes = lanes, .out = b, .depth = depth};

	s.runs = memory_new(most + 1, sizeof(*s.runs));
	*b = (struct chart_boxes){.least = least};
	do {
		if (b->boxes.len > CHART_BOXES_MOST) {
			b->boxes.len = 0;
			b->least *= 4;
		}
		for (s.lane = 0; s.lane < lanes->count && b->boxes.len <= CHART_BOXES_MOST;
			s.lane++)
			sweep_lane(&s, most);
	} while (b->boxes.len > CHART_BOXES_MOST);
	if (b->boxes.len)
		qsort(b->boxes.items, b->boxes.len, sizeof(*b->boxes.items), by_place);
	free(s.runs);
	free(depth);
}

void chart_boxes_release(struct chart_boxes *b)
{
	vector_release(&b->boxes);
}
