/* layout.c: where does every box of a flame graph stand? */
#include "renderers/layout.h"

#include <assert.h>
#include <stdlib.h>

void layout_release(struct layout *l)
{
	vector_release(&l->boxes);
	vector_release(&l->changes);
	*l = (struct layout){0};
}

/* ---- The order of names ---- */

struct ranked_frame {
	struct bytes function, module;
	frame_id id;
};

static int ranked_frame_compare(const void *a, const void *b)
{
	const struct ranked_frame *x = a, *y = b;
	int order = bytes_compare(x->function, y->function);

	if (!order)
		order = bytes_compare(x->module, y->module);
	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* For the frames of `nodes` their rank by name, from 1; 0 for all other frames. Only frames that
 * are drawn are compared: a big profile has many more. */
static uint32_t *rank_frames(const struct view *v, const node_id *nodes, size_t count)
{
	uint32_t *rank = memory_new(view_frame_count(v), sizeof(*rank));
	struct ranked_frame *frames = memory_new(count, sizeof(*frames));
	size_t distinct = 0;

	for (size_t i = 0; i < count; i++) {
		frame_id id = v->tree.frame.items[nodes[i]];
		struct frame frame;

		if (rank[id])
			continue;
		frame = view_frame_at(v, id);
		frames[distinct++] = (struct ranked_frame){
			view_text(v, frame.function), view_text(v, frame.module), id};
		rank[id] = 1;
	}
	qsort(frames, distinct, sizeof(*frames), ranked_frame_compare);
	for (size_t i = 0; i < distinct; i++)
		rank[frames[i].id] = (uint32_t)i + 1;
	free(frames);
	return rank;
}

/* ---- Sorting siblings ---- */

/* Boxes to be sorted by several keys, the least important first. */
struct sorter {
	uint32_t *order, *spare;
	uint64_t *key; /* of each box, not of each place */
	size_t count;
};

#define DIGIT_BITS 11
#define DIGITS	   ((size_t)1 << DIGIT_BITS)

/* One stable pass of a radix sort; does nothing when all keys have the same digit. */
static void sorter_pass(struct sorter *s, unsigned shift)
{
	size_t place[DIGITS] = {0};
	size_t sum = 0;
	uint32_t *swap;

	for (size_t i = 0; i < s->count; i++)
		place[s->key[i] >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t here = place[d];

		if (here == s->count)
			return;
		place[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < s->count; i++) {
		uint32_t box = s->order[i];

		s->spare[place[s->key[box] >> shift & (DIGITS - 1)]++] = box;
	}
	swap = s->order;
	s->order = s->spare;
	s->spare = swap;
}

static void sorter_sort(struct sorter *s)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < s->count; i++)
		seen |= s->key[i];
	for (unsigned shift = 0; shift < 64 && seen >> shift; shift += DIGIT_BITS)
		sorter_pass(s, shift);
}

/* ---- The tree ---- */

/* What will have a box, callers first; [0] is the root. */
struct kept {
	VECTOR(node_id) nodes;
	uint32_t *parent; /* as an index into nodes */
};

static void keep_wide(
	struct kept *kept, const struct tree *tree, const int64_t *total, int64_t least)
{
	size_t count = tree->caller.len;
	uint32_t *index = memory_new(count, sizeof(*index)); /* of a node in kept, plus 1 */
	VECTOR(uint32_t) parents = {0};

	vector_push(&kept->nodes, 0);
	vector_push(&parents, 0);
	index[0] = 1;
	for (node_id node = 1; node < count; node++) {
		uint32_t caller;

		if (total[node] < least)
			continue;
		caller = index[tree->caller.items[node]];
		if (!caller)
			continue;
		vector_push(&kept->nodes, node);
		vector_push(&parents, caller - 1);
		index[node] = (uint32_t)kept->nodes.len;
	}
	kept->parent = parents.items;
	free(index);
}

/* The kept boxes grouped by parent, siblings in order; the caller frees it. */
static uint32_t *sort_siblings(const struct kept *kept, const struct view *v, const int64_t *total,
	enum layout_order order)
{
	size_t count = kept->nodes.len;
	uint32_t *rank = rank_frames(v, kept->nodes.items, count);
	struct sorter s = {memory_new(count, sizeof(uint32_t)), memory_new(count, sizeof(uint32_t)),
		memory_new(count, sizeof(uint64_t)), count};

	for (size_t i = 0; i < count; i++) {
		s.order[i] = (uint32_t)i;
		s.key[i] = rank[v->tree.frame.items[kept->nodes.items[i]]];
	}
	sorter_sort(&s);
	if (order == LAYOUT_BY_WEIGHT) {
		int64_t most = 0;

		for (size_t i = 0; i < count; i++)
			most = total[kept->nodes.items[i]] > most ? total[kept->nodes.items[i]]
								  : most;
		for (size_t i = 0; i < count; i++)
			s.key[i] = (uint64_t)(most - total[kept->nodes.items[i]]);
		sorter_sort(&s);
	}
	/* Callers come first in `kept`, so the root, its own parent, stays in front. */
	for (size_t i = 0; i < count; i++)
		s.key[i] = i ? kept->parent[i] + 1 : 0;
	sorter_sort(&s);
	free(rank);
	free(s.spare);
	free(s.key);
	return s.order;
}

/* For every kept box how many boxes it and those on top of it are; the caller frees it. */
static uint32_t *count_subtrees(const struct kept *kept)
{
	size_t count = kept->nodes.len;
	uint32_t *size = memory_new(count, sizeof(*size));

	for (size_t i = count; i-- > 1;)
		size[kept->parent[i]] += ++size[i];
	size[0]++;
	return size;
}

static void place_boxes(struct layout *l, const struct kept *kept, const uint32_t *sequence,
	const int64_t *self, const int64_t *total, enum layout_order order)
{
	size_t count = kept->nodes.len;
	uint32_t *size = count_subtrees(kept);
	uint32_t *at = memory_new(count, sizeof(*at));	   /* where the box goes in preorder */
	uint32_t *next = memory_new(count, sizeof(*next)); /* where its next child goes */
	int64_t *x = memory_new(count, sizeof(*x));	   /* where its next child starts */

	vector_reserve(&l->boxes, count);
	l->boxes.len = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t box = sequence[i], parent = kept->parent[box];
		node_id node = kept->nodes.items[box];
		int64_t start = i ? x[parent] : 0;
		uint32_t depth = i ? l->boxes.items[at[parent]].depth + 1 : 0;

		at[box] = i ? next[parent] : 0;
		l->boxes.items[at[box]] =
			(struct box){start, start + total[node], node, depth, at[parent], true};
		x[parent] = start + total[node];
		next[parent] += size[box];
		x[box] = start + (order == LAYOUT_BY_NAME ? self[node] : 0);
		next[box] = at[box] + 1;
		l->depth = depth > l->depth ? depth : l->depth;
	}
	free(size);
	free(at);
	free(next);
	free(x);
}

void layout_tree(struct layout *l, const struct view *v, const int64_t *self, const int64_t *total,
	enum layout_order order, int64_t least)
{
	struct kept kept = {0};
	uint32_t *sequence;

	*l = (struct layout){0};
	if (total[0] <= 0)
		return;
	keep_wide(&kept, &v->tree, total, least > 1 ? least : 1);
	sequence = sort_siblings(&kept, v, total, order);
	place_boxes(l, &kept, sequence, self, total, order);
	free(sequence);
	free(kept.parent);
	vector_release(&kept.nodes);
}

/* ---- The chart ---- */

struct moment {
	uint64_t group; /* threads in the order in which they begin */
	uint64_t time;
	uint64_t sequence; /* as the input had it */
	int64_t value, change;
	node_id node;
};

struct moments {
	VECTOR(struct moment) items;
	bool sides;	     /* samples have two */
	int64_t most_change; /* without sign */
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

/* What the selected streams make of a sample of table `t`. */
static int64_t value_of(const struct view *v, uint32_t t, size_t sample)
{
	int64_t value = 0;

	for (size_t s = 0; s < v->profile->streams.len; s++)
		if (v->streams[s] && v->profile->streams.items[s].row.samples == t)
			value += stream_value(&v->profile->streams.items[s], sample);
	return value;
}

/* After less before; *ret_sides when there are any. */
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
			int64_t value = node == NODE_DROPPED ? 0 : value_of(v, t, i);
			int64_t change =
				changes && node != NODE_DROPPED ? change_of(v, t, i, &m->sides) : 0;
			int64_t size = change < 0 ? -change : change;

			m->most_change = size > m->most_change ? size : m->most_change;
			if (value > 0 || change)
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

/* Number the groups in the order in which their threads begin, instead of by thread id. */
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
	free(starts);
	free(place);
}

/* The chart while it grows: the boxes that are open at the current moment, the root first. */
struct open_box {
	node_id node;
	uint32_t index;
};
struct chart {
	struct layout *layout;
	VECTOR(struct open_box) open;
	VECTOR(node_id) path; /* of the moment, leaf first; kept to be used again */
	int64_t now, least;
	bool sides; /* boxes have changes */
};

/* The box ends now. Boxes on top of it have ended before, and are not wider: when it is too narrow,
 * it is the last box of the layout. The root stays, however narrow. */
static void chart_close(struct chart *c)
{
	uint32_t index = c->open.items[--c->open.len].index;
	struct box *box = &c->layout->boxes.items[index];

	box->end = c->now;
	if (!box->depth || box->end - box->start >= c->least) {
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

/* Make the open boxes those of `node` and its callers; the first `stay` of them may go on. */
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

void layout_chart(struct layout *l, const struct view *v, bool changes, int64_t least)
{
	struct moments moments = {0};
	struct chart chart = {.layout = l, .least = least > 1 ? least : 1};

	*l = (struct layout){0};
	moments_gather(&moments, v, changes);
	chart.sides = moments.sides;
	l->most_change = moments.most_change;
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
