/* v8_profile.c: converts V8's nodes, samples and time deltas. */
#include "readers/browsers/v8_profile.h"

#include "base/sort.h"
#include "readers/browsers/v8_call.h"
#include "readers/browsers/v8_tree.h"

#include <stdlib.h>

#define TIME_LIMIT (INT64_MAX / 4) /* ns: no sum or difference of two overflows */
#define PLACING	   UINT32_MAX	   /* in v8_node.stack while its callers are being placed */

void v8_profile_clear(struct v8_profile *v)
{
	v->nodes.len = v->links.len = v->samples.len = v->deltas.len = 0;
	v->moments.len = 0;
	v->nested = false;
	v->start = v->end = INT64_MIN;
	json_extra_clear(&v->extra);
}

void v8_profile_release(struct v8_profile *v)
{
	vector_release(&v->nodes);
	vector_release(&v->links);
	vector_release(&v->samples);
	vector_release(&v->deltas);
	vector_release(&v->moments);
	json_extra_release(&v->extra);
}

/* ---- Reading ---- */

/* The node's own id may come behind its children's. */
static void node_read(
	struct v8_profile *v, struct v8_call *c, struct json *j, struct text_stacks *t)
{
	struct v8_node node = {.id = JSON_NO_INDEX, .parent = JSON_NO_INDEX};
	size_t first_link = v->links.len;
	struct bytes key;
	int64_t hits = 0;

	v8_call_clear(c);
	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("id")))
			node.id = v8_node_id(j);
		else if (bytes_equal(key, BYTES("parent")))
			node.parent = v8_node_id(j);
		else if (bytes_equal(key, BYTES("hitCount")))
			hits = json_number_if(j, 0, 0);
		else if (bytes_equal(key, BYTES("callFrame")))
			v8_call_read(c, j);
		else if (bytes_equal(key, BYTES("children")) && json_peek(j) == JSON_ARRAY)
			for (json_array(j); json_item(j);)
				vector_push(&v->links, ((struct v8_link){0, v8_node_id(j)}));
		else
			json_skip(j);
	}
	for (size_t i = first_link; i < v->links.len; i++)
		v->links.items[i].parent = node.id;
	node.hits = hits < 0 || hits > UINT32_MAX ? 0 : (uint32_t)hits;
	v8_call_name(c, &node, t);
	vector_push(&v->nodes, node);
}

static void nodes_read(struct v8_profile *v, struct json *j, struct text_stacks *t)
{
	struct v8_call c = {.line = -1, .column = -1};

	for (json_array(j); json_item(j);)
		node_read(v, &c, j, t);
	v8_call_release(&c);
}

static void inner_read(struct v8_profile *v, struct json *j, struct text_stacks *t)
{
	struct bytes key;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key))
		if (bytes_equal(key, BYTES("cpuProfile")) || !v8_profile_key(v, key, j, t))
			json_skip(j);
}

/* Microseconds to ns. */
static int64_t time_read(struct json *j, struct json_decimal *ret_written)
{
	return json_decimal_if(j, ret_written) ? json_decimal_scale(ret_written, 3, INT64_MIN)
					       : INT64_MIN;
}

bool v8_profile_key(struct v8_profile *v, struct bytes key, struct json *j, struct text_stacks *t)
{
	bool array = json_peek(j) == JSON_ARRAY;

	if (bytes_equal(key, BYTES("head")) && json_peek(j) == JSON_OBJECT) {
		v8_tree_read(v, j, t);
		return true;
	}
	if (array && bytes_equal(key, BYTES("nodes")))
		nodes_read(v, j, t);
	else if (array && bytes_equal(key, BYTES("samples")))
		json_indices(j, &v->samples);
	else if (array && bytes_equal(key, BYTES("timeDeltas")))
		json_numbers(j, 3, 0, &v->deltas);
	else if (array && bytes_equal(key, BYTES("timestamps")))
		json_numbers(j, 3, 0, &v->moments);
	else if (bytes_equal(key, BYTES("startTime")))
		v->start = time_read(j, &v->began);
	else if (bytes_equal(key, BYTES("endTime")))
		v->end = time_read(j, &v->ended);
	else if (bytes_equal(key, BYTES("cpuProfile")))
		inner_read(v, j, t);
	else if (bytes_equal(key, BYTES("kiln")))
		json_extra_read(&v->extra, j);
	else
		return false;
	return true;
}

#define APPEND(to, from)                                                                           \
	do {                                                                                       \
		vector_reserve((to), (from)->len);                                                 \
		if ((from)->len)                                                                   \
			memcpy((to)->items + (to)->len, (from)->items,                             \
				(from)->len * sizeof(*(from)->items));                             \
		(to)->len += (from)->len;                                                          \
	} while (0)

void v8_profile_append(struct v8_profile *v, const struct v8_profile *more)
{
	APPEND(&v->nodes, &more->nodes);
	APPEND(&v->links, &more->links);
	APPEND(&v->samples, &more->samples);
	APPEND(&v->deltas, &more->deltas);
	if (more->start != INT64_MIN)
		v->start = more->start;
	if (more->end != INT64_MIN)
		v->end = more->end;
}

/* ---- Nodes to stacks ---- */

/* Rows of nodes by id. Ids mostly count up from 1: then the table is an array. */
struct node_index {
	VECTOR(uint32_t) at; /* plus one; 0: no such node */
	struct id_map sparse;
	const struct v8_profile *profile;
};

static uint64_t id_hash(uint32_t id)
{
	return hash_pair(id, 0x5bd1e995);
}

static void index_make(struct node_index *x, const struct v8_profile *v)
{
	x->profile = v;
	for (size_t i = 0; i < v->nodes.len; i++) {
		uint32_t id = v->nodes.items[i].id;

		if (id == JSON_NO_INDEX)
			continue;
		if (id >= 4 * v->nodes.len + 1024) {
			id_map_insert(&x->sparse, id_hash(id), (uint32_t)i + 1);
			continue;
		}
		while (x->at.len <= id)
			vector_push(&x->at, 0);
		x->at.items[id] = (uint32_t)i + 1;
	}
}

/* NULL: no such node. */
static struct v8_node *node_of(const struct node_index *x, uint32_t id)
{
	const struct v8_profile *v = x->profile;
	uint32_t found;
	size_t at;

	if (id < x->at.len)
		return x->at.items[id] ? &v->nodes.items[x->at.items[id] - 1] : NULL;
	if (!x->sparse.slots || id == JSON_NO_INDEX)
		return NULL;
	at = id_map_start(&x->sparse, id_hash(id));
	while ((found = id_map_candidate(&x->sparse, id_hash(id), &at)))
		if (v->nodes.items[found - 1].id == id)
			return &v->nodes.items[found - 1];
	return NULL;
}

static void links_follow(struct v8_profile *v, const struct node_index *x)
{
	for (size_t i = 0; i < v->links.len; i++) {
		struct v8_node *child = node_of(x, v->links.items[i].child);

		if (child)
			child->parent = v->links.items[i].parent;
	}
}

/* Place the node and, before it, all callers that are not placed yet. False: it calls itself, or it
 * is too deep. */
static bool node_place(
	struct v8_sink *s, struct v8_node *n, const struct node_index *x, stack_id base)
{
	stack_id stack = base;

	s->chain.len = 0;
	for (; n && !n->placed; n = node_of(x, n->parent)) {
		if (s->chain.len == READ_DEPTH_LIMIT || n->stack == PLACING)
			return false;
		n->stack = PLACING;
		vector_push(&s->chain, n);
	}
	if (n)
		stack = n->stack;
	while (s->chain.len) {
		n = s->chain.items[--s->chain.len];
		if (n->what != V8_NODE_ROOT)
			stack = profile_stack(s->main->profile, stack, n->location);
		n->stack = stack;
		n->placed = true;
	}
	return true;
}

/* ---- Samples ---- */

bool v8_profile_timed(const struct v8_profile *v)
{
	return v->samples.len && v->deltas.len;
}

void v8_sink_open(struct v8_sink *s, struct text_stacks *main, bool timed)
{
	*s = (struct v8_sink){.main = main, .timed = timed};
	if (timed)
		text_stacks_stream(main, BYTES("cpu"), BYTES("ns"), (struct bytes){0});
	text_stacks_stream(main, BYTES("samples"), BYTES("count"), (struct bytes){0});
}

static struct text_stacks *idle_table(struct v8_sink *s)
{
	struct read_options options = {.want = s->main->want};

	if (s->any_idle)
		return &s->idle;
	s->any_idle = true;
	text_stacks_open(&s->idle, NULL, &options, s->main->profile);
	if (s->timed)
		text_stacks_stream(&s->idle, BYTES("idle"), BYTES("ns"), (struct bytes){0});
	text_stacks_stream(&s->idle, BYTES("idle"), BYTES("count"), (struct bytes){0});
	return &s->idle;
}

static bool sample_add(struct v8_sink *s, const struct v8_node *n, struct sample sample, int64_t ns,
	int64_t count, struct error *err)
{
	struct text_stacks *t = n->what == V8_NODE_IDLE ? idle_table(s) : s->main;
	int64_t values[2] = {ns, count};

	sample.stack = n->stack;
	return text_stacks_add_stack(t, sample, s->timed ? values : values + 1, err);
}

/* NULL: the sample is skipped, and counted. */
static struct v8_node *sample_node(
	struct v8_sink *s, const struct node_index *x, uint32_t id, stack_id base)
{
	struct v8_node *n = node_of(x, id);

	if (!n)
		s->no_node++;
	else if (!n->placed && !node_place(s, n, x, base))
		s->too_deep++;
	else
		return n;
	return NULL;
}

/* The samples' times, in order. */
struct moments {
	int64_t *time;	       /* one more than samples: the end */
	struct sort_key *keys; /* rows of the samples; NULL: they are in order */
	size_t count;
};

/* Samples taken while another thread wrote are not in order: their deltas are negative. */
static void moments_sort(struct moments *m)
{
	int64_t *sorted = memory_new(m->count + 1, sizeof(*sorted)), least = m->time[0];
	uint64_t *since = memory_new(m->count, sizeof(*since));

	for (size_t i = 0; i < m->count; i++)
		least = m->time[i] < least ? m->time[i] : least;
	for (size_t i = 0; i < m->count; i++)
		since[i] = (uint64_t)m->time[i] - (uint64_t)least;
	m->keys = memory_new(m->count, sizeof(*m->keys));
	sort_by_number(since, m->count, m->keys);
	for (size_t i = 0; i < m->count; i++)
		sorted[i] = m->time[m->keys[i].row];
	memory_free(since);
	memory_free(m->time);
	m->time = sorted;
}

/* A profiler may be stopped long after its last sample: that lasts as long as samples do on
 * average, as in Chrome's DevTools, and not beyond the end. Kiln writes the end of the last sample.
 */
static int64_t last_sample_end(const struct moments *m, const struct v8_profile *v)
{
	int64_t first = m->time[0], last = m->time[m->count - 1];
	int64_t average = m->count > 1 ? (last - first) / (int64_t)(m->count - 1) : 0;
	bool has_end = v->end > last && v->end <= TIME_LIMIT;

	if (has_end && (v->extra.present || m->count < 2 || v->end < last + average))
		return v->end;
	return last + average <= TIME_LIMIT ? last + average : last;
}

/* Drop the deltas. */
static bool moments_make(struct moments *m, struct v8_profile *v, struct error *err)
{
	int64_t time = v->start == INT64_MIN ? 0 : v->start;
	bool sorted = true;

	m->count = v->samples.len < v->deltas.len ? v->samples.len : v->deltas.len;
	vector_push(&v->deltas, 0);
	m->time = v->deltas.items;
	v->deltas.items = NULL;
	v->deltas.len = v->deltas.cap = 0;
	for (size_t i = 0; i < m->count; i++) {
		if (__builtin_add_overflow(time, m->time[i], &time) || time > TIME_LIMIT ||
			time < -TIME_LIMIT)
			return error_set(err, ERR_LIMIT, "the sum of all time deltas exceeds 2^61");
		sorted &= !i || time >= m->time[i - 1];
		m->time[i] = time;
	}
	if (!sorted)
		moments_sort(m);
	m->time[m->count] = last_sample_end(m, v);
	return true;
}

/* Without requested times: one sample for each node. */
static bool sums_add(struct v8_profile *v, struct v8_sink *s, const struct node_index *x,
	stack_id base, struct sample sample, const struct moments *m, struct error *err)
{
	for (size_t i = 0; i < m->count; i++) {
		uint32_t row = m->keys ? m->keys[i].row : (uint32_t)i;
		struct v8_node *n = sample_node(s, x, v->samples.items[row], base);

		if (n) {
			n->ns += m->time[i + 1] - m->time[i];
			n->samples++;
		}
	}
	for (size_t i = 0; i < v->nodes.len; i++) {
		const struct v8_node *n = &v->nodes.items[i];

		if (n->samples && !sample_add(s, n, sample, n->ns, n->samples, err))
			return false;
	}
	return true;
}

static bool each_add(struct v8_profile *v, struct v8_sink *s, const struct node_index *x,
	stack_id base, struct sample sample, const struct moments *m, struct error *err)
{
	for (size_t i = 0; i < m->count; i++) {
		uint32_t row = m->keys ? m->keys[i].row : (uint32_t)i;
		const struct v8_node *n = sample_node(s, x, v->samples.items[row], base);
		int64_t lasts = m->time[i + 1] - m->time[i];

		if (!n)
			continue;
		sample.time = m->time[i] < 0 ? 0 : (uint64_t)m->time[i];
		sample.duration = (uint64_t)lasts;
		if (!sample_add(s, n, sample, lasts, 1, err))
			return false;
	}
	return true;
}

static bool timed_add(struct v8_profile *v, struct v8_sink *s, const struct node_index *x,
	stack_id base, struct sample sample, struct error *err)
{
	struct moments m = {0};
	bool done = moments_make(&m, v, err);

	if (done && sample.has & SAMPLE_TIME)
		done = each_add(v, s, x, base, sample, &m, err);
	else if (done)
		done = sums_add(v, s, x, base, sample, &m, err);
	memory_free(m.time);
	memory_free(m.keys);
	return done;
}

/* Without samples: the hit count of each function. */
static bool hits_add(struct v8_profile *v, struct v8_sink *s, const struct node_index *x,
	stack_id base, struct sample sample, struct error *err)
{
	for (size_t i = 0; i < v->nodes.len; i++) {
		const struct v8_node *n;

		if (!v->nodes.items[i].hits)
			continue;
		n = sample_node(s, x, v->nodes.items[i].id, base);
		if (n && !sample_add(s, n, sample, 0, v->nodes.items[i].hits, err))
			return false;
	}
	return true;
}

bool v8_profile_add(struct v8_profile *v, struct v8_sink *s, stack_id base, struct sample sample,
	struct error *err)
{
	struct node_index x = {0};
	bool done;

	index_make(&x, v);
	links_follow(v, &x);
	if (v8_profile_timed(v) && s->main->want & WANT_TIMES)
		sample.has |= SAMPLE_TIME | SAMPLE_DURATION;
	done = v8_profile_timed(v) ? timed_add(v, s, &x, base, sample, err)
				   : hits_add(v, s, &x, base, sample, err);
	vector_release(&x.at);
	id_map_release(&x.sparse);
	return done;
}

bool v8_profile_add_bytes(struct v8_profile *v, struct v8_sink *s, struct error *err)
{
	struct node_index x = {0};
	bool done = true;

	index_make(&x, v);
	links_follow(v, &x);
	for (size_t i = 0; done && i < v->nodes.len; i++) {
		struct v8_node *n = &v->nodes.items[i];

		if (n->what == V8_NODE_IDLE)
			n->what = V8_NODE_FUNCTION;
		n = n->bytes > 0 ? sample_node(s, &x, n->id, 0) : NULL;
		done = !n || sample_add(s, n, (struct sample){0}, 0, n->bytes, err);
	}
	vector_release(&x.at);
	id_map_release(&x.sparse);
	return done;
}

bool v8_sink_finish(struct v8_sink *s, const struct json *j, struct error *err)
{
	struct profile *p = s->main->profile;
	uint64_t taken = s->main->taken + s->idle.taken;

	json_count_note(p, s->no_node, "samples with a node that does not exist, skipped");
	json_count_note(p, s->too_deep,
		"samples with node cycles, or deeper than " READ_DEPTH_TEXT " frames, skipped");
	return json_stacks_finish(s->main, taken, j, err) &&
	       (!s->any_idle || json_stacks_finish(&s->idle, taken, j, err));
}

void v8_sink_release(struct v8_sink *s)
{
	text_stacks_release(&s->idle);
	vector_release(&s->chain);
}

/* ---- A file ---- */

bool v8_profile_read(v8_profile_take *take, struct input *in, const struct read_options *options,
	struct profile *out, struct error *err)
{
	struct v8_profile v = {0};
	struct text_stacks t;
	struct json j;
	bool done;

	json_open(&j, in, err);
	text_stacks_open(&t, in, options, out);
	v8_profile_clear(&v);
	done = take(&v, &t, &j, err);
	text_stacks_release(&t);
	v8_profile_release(&v);
	json_release(&j);
	return done;
}
