/* layout.c: where is every box of a flame graph?
 *
 * The tree: preorder.h gives the nodes in drawing order, so one pass suffices. A stack of open
 * callers, indexed by depth, has the x at which the next callee begins; a box is as wide as its
 * node's total, and advances its caller's x by that. The chart: samples are sorted by thread and
 * time and visited once; boxes stay open while consecutive samples share the frames from the root
 * on, as in chart_runs.c.
 *
 * Positions are integers in units of the values. Only renderers convert to pixels, so neighbours
 * have exactly the same edge, and a box lies exactly within its caller. */
#include "renderers/layout.h"

#include <assert.h>
#include <stdlib.h>

void layout_release(struct layout *l)
{
	vector_release(&l->boxes);
	vector_release(&l->changes);
	*l = (struct layout){0};
}

/* ---- The tree ---- */

/* A box whose callees are being placed. */
struct open_caller {
	uint32_t index;
	int64_t x; /* where the next callee's box starts */
};

void layout_tree(struct layout *l, const struct view *v, const int64_t *self, const int64_t *total,
	enum sibling_order order, int64_t min)
{
	struct preorder p;
	struct open_caller *open; /* by depth */

	*l = (struct layout){0};
	preorder_build(&p, v, total, order, min);
	l->depth = p.deepest;
	open = memory_new((size_t)p.deepest + 1, sizeof(*open));
	vector_reserve(&l->boxes, p.count);
	for (size_t i = 0; i < p.count; i++) {
		node_id node = p.node[i];
		uint32_t depth = p.depth[i];
		struct open_caller *below = &open[depth ? depth - 1 : 0];
		int64_t start = depth ? below->x : 0;

		l->boxes.items[i] = (struct box){
			start, start + total[node], node, depth, depth ? below->index : 0, true};
		below->x = start + total[node];
		open[depth] = (struct open_caller){
			(uint32_t)i, start + (order == SIBLINGS_BY_NAME ? self[node] : 0)};
	}
	l->boxes.len = p.count;
	memory_free(open);
	preorder_release(&p);
}

/* ---- The chart ---- */

struct moment {
	uint64_t group; /* threads in the order in which they begin */
	uint64_t time;
	uint64_t sequence; /* position in the input */
	int64_t value, change;
	node_id node;
};

struct moments {
	VECTOR(struct moment) items;
	bool sides;	    /* samples have two sides */
	int64_t max_change; /* unsigned */
};

static int moment_compare(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* The value of a sample of table `t` in the selected streams. */
static int64_t value_of(const struct view *v, uint32_t t, size_t sample)
{
	int64_t value = 0;

	for (size_t s = 0; s < v->profile->streams.len; s++)
		if (v->streams[s] && v->profile->streams.items[s].row.samples == t)
			value += stream_value(&v->profile->streams.items[s], sample);
	return value;
}

/* The width of a sample in a chart, at least 0. */
static int64_t width_of(const struct view *v, uint32_t t, size_t sample)
{
	int64_t value = view_node(v, t, sample) == NODE_DROPPED ? 0 : value_of(v, t, sample);

	return value > 0 ? value : 0;
}

/* After minus before; *ret_sides: there are two sides. */
static int64_t change_of(const struct view *v, uint32_t t, size_t sample, bool *ret_sides)
{
	int64_t change = 0;

	for (size_t s = 0; s < v->profile->streams.len; s++) {
		const struct stream *stream = &v->profile->streams.items[s];

		if (!stream->row.side || stream->row.samples != t)
			continue;
		*ret_sides = true;
		change += (stream->row.side == 1 ? -1 : 1) * stream_value(stream, sample);
	}
	return change;
}

static bool table_is_shown(const struct view *v, uint32_t t)
{
	for (size_t s = 0; s < v->profile->streams.len; s++)
		if (v->streams[s] && v->profile->streams.items[s].row.samples == t)
			return true;
	return false;
}

static void moments_gather(struct moments *m, const struct view *v, bool changes)
{
	for (uint32_t t = 0; t < v->profile->samples.len; t++) {
		const struct samples *table = &v->profile->samples.items[t];

		if (!table_is_shown(v, t))
			continue;
		for (size_t i = 0; i < table->count; i++) {
			node_id node = view_node(v, t, i);
			int64_t value = width_of(v, t, i);
			int64_t change =
				changes && node != NODE_DROPPED ? change_of(v, t, i, &m->sides) : 0;
			int64_t size = change < 0 ? -change : change;

			m->max_change = size > m->max_change ? size : m->max_change;
			if (value || change)
				vector_push(&m->items,
					((struct moment){
						table->thread.len ? table->thread.items[i] : 0,
						table->time.len ? table->time.items[i] : 0,
						m->items.len, value, change, node}));
		}
	}
}

struct thread_start {
	uint64_t time, sequence;
	uint32_t thread;
};

static int thread_start_compare(const void *a, const void *b)
{
	const struct thread_start *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* Number the groups by the start of their threads instead of by thread id. */
static void moments_group(struct moments *m, size_t threads)
{
	struct thread_start *starts = memory_new(threads, sizeof(*starts));
	uint64_t *place = memory_new(threads, sizeof(*place));

	for (size_t i = 0; i < threads; i++)
		starts[i] = (struct thread_start){UINT64_MAX, UINT64_MAX, (uint32_t)i};
	for (size_t i = 0; i < m->items.len; i++) {
		const struct moment *moment = &m->items.items[i];
		struct thread_start start = {moment->time, i, (uint32_t)moment->group};

		if (thread_start_compare(&start, &starts[moment->group]) < 0)
			starts[moment->group] = start;
	}
	qsort(starts, threads, sizeof(*starts), thread_start_compare);
	for (size_t i = 0; i < threads; i++)
		place[starts[i].thread] = i;
	for (size_t i = 0; i < m->items.len; i++)
		m->items.items[i].group = place[m->items.items[i].group];
	memory_free(starts);
	memory_free(place);
}

/* A chart while it grows: boxes that are open at the current position, the root first. */
struct open_box {
	node_id node;
	uint32_t index;
};
struct chart {
	struct layout *layout;
	VECTOR(struct open_box) open;
	VECTOR(node_id) path; /* of the current sample, leaf first; reused */
	int64_t now, min;
	bool sides; /* boxes have changes */
};

/* End the innermost open box. Boxes inside it have ended already and are not wider, so a box
 * that is too narrow is the last one of the layout and can be dropped. The root always stays. */
static void chart_close(struct chart *c)
{
	uint32_t index = c->open.items[--c->open.len].index;
	struct box *box = &c->layout->boxes.items[index];

	box->end = c->now;
	if (!box->depth || box->end - box->start >= c->min) {
		if (box->depth > c->layout->depth)
			c->layout->depth = box->depth;
		return;
	}
	assert(index + 1 == c->layout->boxes.len);
	c->layout->boxes.len--;
	c->layout->changes.len -= c->sides;
}

static void chart_open(struct chart *c, node_id node)
{
	uint32_t depth = (uint32_t)c->open.len;
	struct open_box opened = {node, (uint32_t)c->layout->boxes.len};

	if (c->sides)
		vector_push(&c->layout->changes, 0);
	vector_push(&c->layout->boxes, ((struct box){c->now, c->now, node, depth,
					       depth ? c->open.items[depth - 1].index : 0, true}));
	vector_push(&c->open, opened);
}

/* Open and close boxes so that those of `node` and its callers are open; at most the first
 * `stay` are kept. */
static void chart_move(struct chart *c, const struct tree *tree, node_id node, size_t stay)
{
	size_t shared = 0, len;

	c->path.len = 0;
	for (node_id n = node; n; n = tree->caller.items[n])
		vector_push(&c->path, n);
	vector_push(&c->path, 0);
	len = c->path.len;
	while (shared < stay && shared < len && shared < c->open.len &&
		c->open.items[shared].node == c->path.items[len - 1 - shared])
		shared++;
	while (c->open.len > shared)
		chart_close(c);
	for (size_t i = shared; i < len; i++)
		chart_open(c, c->path.items[len - 1 - i]);
}

int64_t layout_chart_width(const struct view *v)
{
	int64_t width = 0;

	for (uint32_t t = 0; t < v->profile->samples.len; t++)
		for (size_t i = 0; table_is_shown(v, t) && i < v->profile->samples.items[t].count;
			i++)
			width += width_of(v, t, i);
	return width;
}

void layout_chart(struct layout *l, const struct view *v, bool changes, int64_t min)
{
	struct moments moments = {0};
	struct chart chart = {.layout = l, .min = min > 1 ? min : 1};

	*l = (struct layout){0};
	moments_gather(&moments, v, changes);
	chart.sides = moments.sides;
	l->max_change = moments.max_change;
	moments_group(&moments, v->profile->threads.len + 1);
	if (moments.items.len)
		qsort(moments.items.items, moments.items.len, sizeof(struct moment),
			moment_compare);
	for (size_t i = 0; i < moments.items.len; i++) {
		const struct moment *m = &moments.items.items[i];
		bool same_thread = i && m->group == m[-1].group;

		if (!i || !same_thread || m->node != m[-1].node)
			chart_move(&chart, &v->tree, m->node, same_thread ? SIZE_MAX : 1);
		chart.now += m->value;
		if (chart.sides)
			l->changes.items[chart.open.items[chart.open.len - 1].index] += m->change;
	}
	while (chart.open.len)
		chart_close(&chart);
	vector_release(&chart.open);
	vector_release(&chart.path);
	vector_release(&moments.items);
}
