/* chart_runs.c: which consecutive samples have the same frame, and which of these runs are drawn as
 * one box?
 *
 * One sweep over the samples of a lane in the order of time. For each depth there is at most one
 * open run: a frame that is on the stack of all samples since the run began. A new sample keeps the
 * runs down to the last frame that it shares with the one before, closes those below, and opens new
 * ones (add_sample). So the cost is one step for each frame that begins or ends, not for each frame
 * of each sample.
 *
 * A closed run becomes a box. Millions of short runs would be millions of boxes that are
 * narrower than a pixel, so a short run is merged into the box before it in its depth, if that
 * is short too and close. If there are still too many boxes, everything is repeated with a
 * larger minimum. */
#include "renderers/chart_runs.h"

#include <stdlib.h>

#define NO_BOX SIZE_MAX

/* The open run of one depth: when it began, at which sample, and the sum of values before it. */
struct open_run {
	node_id node;
	uint64_t begin;
	size_t first;
	int64_t before;
	size_t last; /* the last box of this depth and lane, or NO_BOX */
};

/* The state of a sweep over one lane. */
struct sweep {
	const struct chart_lanes *lanes;
	struct chart_boxes *out;
	const uint32_t *depth; /* of every node of the view; the root's is 0 */
	struct open_run *runs; /* by depth - 1; those below `open` are running */
	node_id *path;	       /* by depth - 1: frames of a sample that are not running yet */
	size_t open, lane;
	int64_t sum; /* of the samples so far */
};

/* ---- Boxes ---- */

static bool is_thin(const struct sweep *s, uint64_t begin, uint64_t end)
{
	return end - begin < s->out->min;
}

/* The box before it into which a run is merged, because both are short and close; NULL: none. */
static struct chart_box *joined_box(const struct sweep *s, const struct open_run *run, uint64_t end)
{
	struct chart_box *last;

	if (run->last == NO_BOX || !is_thin(s, run->begin, end))
		return NULL;
	last = &s->out->boxes.items[run->last];
	return is_thin(s, last->begin, last->end) && is_thin(s, last->end, run->begin) ? last
										       : NULL;
}

static void close_run(struct sweep *s, size_t depth, size_t at, uint64_t end)
{
	struct open_run *run = &s->runs[depth];
	struct chart_box *joined = joined_box(s, run, end);
	uint64_t longest = end - run->begin;

	if (joined) {
		joined->end = end;
		joined->value += s->sum - run->before;
		joined->samples += (uint32_t)(at - run->first);
		joined->runs++;
		joined->node = longest > joined->longest ? run->node : joined->node;
		joined->longest = longest > joined->longest ? longest : joined->longest;
		return;
	}
	run->last = s->out->boxes.len;
	vector_push(&s->out->boxes, ((struct chart_box){.begin = run->begin,
					    .end = end,
					    .value = s->sum - run->before,
					    .node = run->node,
					    .lane = (uint32_t)s->lane,
					    .samples = (uint32_t)(at - run->first),
					    .runs = 1,
					    .depth = (uint16_t)depth,
					    .longest = longest}));
}

/* ---- Runs ---- */

static void close_below(struct sweep *s, size_t depth, size_t at, uint64_t end)
{
	for (; s->open > depth; s->open--)
		close_run(s, s->open - 1, at, end);
}

/* How many of the running frames the sample shares; its other frames are stored in path[]. */
static size_t find_path(struct sweep *s, node_id node)
{
	const node_id *caller = s->lanes->view->tree.caller.items;
	size_t depth = s->depth[node];

	for (; depth > s->open; node = caller[node])
		s->path[--depth] = node;
	for (; depth && s->runs[depth - 1].node != node; node = caller[node])
		s->path[--depth] = node;
	return depth;
}

static void add_sample(struct sweep *s, node_id node, size_t at, uint64_t begin, uint64_t before)
{
	size_t common;

	if (begin > before)
		close_below(s, 0, at, before);
	common = find_path(s, node);
	close_below(s, common, at, before);
	s->open = s->depth[node];
	for (size_t i = common; i < s->open; i++)
		s->runs[i] = (struct open_run){s->path[i], begin, at, s->sum, s->runs[i].last};
}

static void sweep_lane(struct sweep *s, size_t depths)
{
	const struct chart_lanes *l = s->lanes;
	uint64_t begin, end, before = 0;

	s->open = 0;
	for (size_t i = 0; i < depths; i++)
		s->runs[i].last = NO_BOX;
	for (size_t at = l->first[s->lane]; at < l->first[s->lane + 1]; at++) {
		chart_span(l, s->lane, at, &begin, &end);
		add_sample(s, l->samples[at].node, at, begin, before);
		s->sum += chart_value(l, at);
		before = end;
		if (s->out->boxes.len > CHART_BOXES_LIMIT)
			return; /* too many: everything will be repeated */
	}
	close_below(s, 0, l->first[s->lane + 1], before);
}

/* ---- All lanes ---- */

static uint32_t *find_depths(const struct view *v, size_t *ret_max)
{
	uint32_t *depth = memory_new(v->tree.caller.len, sizeof(*depth));

	*ret_max = 0;
	for (size_t i = 1; i < v->tree.caller.len; i++) {
		depth[i] = depth[v->tree.caller.items[i]] + 1;
		*ret_max = depth[i] > *ret_max ? depth[i] : *ret_max;
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

void chart_boxes_init(struct chart_boxes *b, const struct chart_lanes *lanes, uint64_t min)
{
	size_t max;
	uint32_t *depth = find_depths(lanes->view, &max);
	struct sweep s = {.lanes = lanes, .out = b, .depth = depth};

	s.runs = memory_new(max + 1, sizeof(*s.runs));
	s.path = memory_new(max + 1, sizeof(*s.path));
	*b = (struct chart_boxes){.min = min};
	do {
		if (b->boxes.len > CHART_BOXES_LIMIT) {
			b->boxes.len = 0;
			b->min *= 4;
		}
		for (s.lane = 0; s.lane < lanes->count && b->boxes.len <= CHART_BOXES_LIMIT;
			s.lane++)
			sweep_lane(&s, max);
	} while (b->boxes.len > CHART_BOXES_LIMIT);
	if (b->boxes.len)
		qsort(b->boxes.items, b->boxes.len, sizeof(*b->boxes.items), by_place);
	memory_free(s.runs);
	memory_free(s.path);
	memory_free(depth);
}

void chart_boxes_release(struct chart_boxes *b)
{
	vector_release(&b->boxes);
}
