/* summary.c: what is in this profile, and what is missing? */
#include "renderers/summary.h"

#include "model/idle.h"

#include <stdlib.h>

#define TRUNCATED_MARK BYTES("[truncated:")

/* Sums by frame, while counting. */
struct counter {
	const struct view *view;
	struct share *by_frame;
	uint8_t *truncated, *unnamed; /* is this frame a truncation mark or unnamed? */
	uint8_t *ends_in;	      /* does a sample end in this node? */
	frame_id *truncation; /* of every node: the truncation frame on its way to the root; NULL:
				 no such frames */
};

/* Unnamed code is shown as its module in brackets; so are marks, which are not code. */
static bool is_unnamed(const struct view *v, frame_id id)
{
	struct frame frame = view_frame_at(v, id);

	return frame_kind_is_code(frame.kind) &&
	       bytes_starts_with(view_text(v, frame.function), BYTES("["));
}

static void find_truncations(struct counter *c, const struct tree *t)
{
	c->truncation = memory_new(t->caller.len, sizeof(*c->truncation));
	for (size_t i = 1; i < t->caller.len; i++) {
		frame_id frame = t->frame.items[i];

		c->truncation[i] = c->truncated[frame] ? frame : c->truncation[t->caller.items[i]];
	}
}

static void counter_init(struct counter *c, const struct view *v)
{
	size_t frames = view_frame_count(v), nodes = v->tree.caller.len;
	bool any = false;

	*c = (struct counter){.view = v};
	c->by_frame = memory_new(frames, sizeof(*c->by_frame));
	c->truncated = memory_new(frames, 1);
	c->unnamed = memory_new(frames, 1);
	c->ends_in = memory_new(nodes, 1);
	for (size_t i = 1; i < frames; i++) {
		c->by_frame[i].name = view_frame_at(v, (frame_id)i).function;
		c->truncated[i] = bytes_starts_with(view_function(v, (frame_id)i), TRUNCATED_MARK);
		c->unnamed[i] = !c->truncated[i] && is_unnamed(v, (frame_id)i);
		any |= c->truncated[i];
	}
	if (any)
		find_truncations(c, &v->tree);
}

static void counter_release(struct counter *c)
{
	memory_free(c->by_frame);
	memory_free(c->truncated);
	memory_free(c->unnamed);
	memory_free(c->ends_in);
	memory_free(c->truncation);
}

static void count_node(struct counter *c, node_id node, int64_t value)
{
	frame_id truncation = c->truncation ? c->truncation[node] : 0;
	frame_id leaf = c->view->tree.frame.items[node];

	c->ends_in[node] = 1;
	if (truncation) {
		c->by_frame[truncation].samples++;
		c->by_frame[truncation].sum += value;
	}
	if (leaf && c->unnamed[leaf]) {
		c->by_frame[leaf].samples++;
		c->by_frame[leaf].sum += value;
	}
}

#define SOON 16u /* samples ahead whose nodes are prefetched: they may be anywhere */

static void fetch(const struct counter *c, uint32_t samples, size_t sample, bool shown)
{
	const struct samples *s = &c->view->profile->samples.items[samples];
	node_id node;

	if (c->view->node_of_stack && sample + 2 * SOON < s->count)
		__builtin_prefetch(&c->view->node_of_stack[s->stack.items[sample + 2 * SOON]]);
	if (!shown || sample + SOON >= s->count)
		return;
	node = view_node(c->view, samples, sample + SOON);
	if (node == NODE_DROPPED)
		return;
	__builtin_prefetch(&c->ends_in[node], 1);
	__builtin_prefetch(&c->view->tree.frame.items[node]);
}

static void note_time(struct summary *s, uint64_t time)
{
	if (time < s->first)
		s->first = time;
	if (time > s->last)
		s->last = time;
}

/* Idle samples are weighed and counted in two streams of one table. */
static bool is_first_of_idle(const struct profile *p, size_t id)
{
	const struct stream *streams = p->streams.items;

	if (!stream_is_idle(p, id))
		return false;
	for (size_t i = 0; i < id; i++)
		if (streams[i].row.samples == streams[id].row.samples)
			return false;
	return true;
}

static void count_stream(struct summary *s, struct counter *c, size_t id)
{
	const struct profile *p = c->view->profile;
	const struct stream *stream = &p->streams.items[id];
	const struct samples *samples = &p->samples.items[stream->row.samples];
	struct stream_summary *own = &s->streams[id];

	for (size_t i = 0; i < samples->count; i++) {
		node_id node = view_node(c->view, stream->row.samples, i);

		fetch(c, stream->row.samples, i, c->view->streams[id]);
		if (node == NODE_DROPPED)
			continue;
		own->samples++;
		own->sum += stream_value(stream, i);
		if (samples->time.len)
			note_time(s, samples->time.items[i]);
		if (c->view->streams[id])
			count_node(c, node, stream_value(stream, i));
	}
	own->lost = profile_lost(p, (uint32_t)id);
	if (c->view->streams[id])
		s->sum += own->sum;
	if (is_first_of_idle(p, (size_t)id))
		s->idle += own->samples;
}

static void count_mappings(struct summary *s, const struct profile *p)
{
	s->mappings = memory_new(p->mappings.len, sizeof(*s->mappings));
	for (size_t i = 1; i < p->locations.len; i++) {
		const struct span *names = &p->location_names.items[i];
		struct mapping_summary *m = &s->mappings[p->locations.items[i].mapping];
		frame_id outermost = names->count ? p->location_frames.items[names->first] : 0;
		struct bytes name = profile_text(p, p->frames.items[outermost].function);

		m->locations++;
		m->named += name.len && name.at[0] != '[';
	}
}

static int larger(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (x->sum < y->sum) - (x->sum > y->sum);
}

static void collect(struct summary *s, const struct counter *c)
{
	for (size_t i = 1; i < view_frame_count(c->view); i++) {
		if (!c->by_frame[i].samples)
			continue;
		if (c->truncated[i])
			vector_push(&s->truncated, c->by_frame[i]);
		else
			vector_push(&s->unnamed, c->by_frame[i]);
	}
	if (s->truncated.len)
		qsort(s->truncated.items, s->truncated.len, sizeof(struct share), larger);
	if (s->unnamed.len)
		qsort(s->unnamed.items, s->unnamed.len, sizeof(struct share), larger);
}

/* Count only nodes on the way to a shown sample: the tree may also serve other events. `used`:
 * first the nodes in which samples end, then also their callers. */
static void count_nodes(struct summary *s, const struct tree *t, uint8_t *used)
{
	size_t nodes = t->caller.len;
	uint32_t *depth = memory_new(nodes, sizeof(*depth));

	for (size_t i = nodes; i-- > 1;)
		used[t->caller.items[i]] |= used[i];
	for (size_t i = 1; i < nodes; i++) {
		depth[i] = depth[t->caller.items[i]] + 1;
		s->nodes += used[i];
		if (used[i] && depth[i] > s->deepest)
			s->deepest = depth[i];
	}
	memory_free(depth);
}

/* A recorder also knows processes without samples. */
static void count_threads(struct summary *s, const struct profile *p)
{
	bool *thread = memory_new(p->threads.len, sizeof(*thread));
	bool *process = memory_new(p->processes.len, sizeof(*process));

	for (size_t t = 0; t < p->samples.len; t++)
		for (size_t i = 0; i < p->samples.items[t].thread.len; i++)
			thread[p->samples.items[t].thread.items[i]] = true;
	for (size_t i = 1; i < p->threads.len; i++) {
		s->threads += thread[i];
		process[p->threads.items[i].process] |= thread[i];
	}
	for (size_t i = 1; i < p->processes.len; i++)
		s->processes += process[i];
	memory_free(thread);
	memory_free(process);
}

void summary_init(struct summary *s, const struct view *v)
{
	struct counter c;

	*s = (struct summary){.first = UINT64_MAX};
	s->streams = memory_new(v->profile->streams.len, sizeof(*s->streams));
	counter_init(&c, v);
	for (size_t i = 0; i < v->profile->streams.len; i++)
		count_stream(s, &c, i);
	if (s->first > s->last)
		s->first = s->last; /* no sample has a time */
	collect(s, &c);
	count_nodes(s, &v->tree, c.ends_in);
	counter_release(&c);
	count_mappings(s, v->profile);
	count_threads(s, v->profile);
}

void summary_release(struct summary *s)
{
	memory_free(s->streams);
	memory_free(s->mappings);
	vector_release(&s->truncated);
	vector_release(&s->unnamed);
	*s = (struct summary){0};
}
