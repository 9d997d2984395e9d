/* view.c: what is selected of a profile, and how do transforms compose? */
#include "model/view.h"

#include "base/buffer.h"
#include "base/expansion.h"
#include "model/idle.h"
#include "model/projection.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void view_init(struct view *v, const struct profile *p, enum projection projection)
{
	struct error ignored = {0};

	*v = (struct view){.profile = p, .comparison.threshold = COMPARISON_THRESHOLD};
	overlay_init(&v->names, p);
	v->samples = memory_new(p->samples.len, sizeof(*v->samples));
	v->streams = memory_new(p->streams.len, sizeof(*v->streams));
	v->projection = projection;
	projection_build(&v->names, projection, &v->tree, &v->node_of_stack, &v->full);
	view_select(v, (struct bytes){0}, false, &ignored);
}

void view_release(struct view *v)
{
	if (v->samples) {
		for (size_t i = 0; i < v->profile->samples.len; i++) {
			memory_free(v->samples[i].node);
			memory_free(v->samples[i].keep);
		}
	}
	memory_free(v->samples);
	memory_free(v->streams);
	memory_free(v->node_of_stack);
	tree_release(&v->tree);
	overlay_release(&v->names);
	*v = (struct view){0};
}

/* ---- Copies ---- */

static void *copied(const void *items, size_t count, size_t size)
{
	return items ? memcpy(memory_resize(NULL, count, size), items, count * size) : NULL;
}

static struct view_samples samples_copy(const struct view_samples *samples, size_t count)
{
	return (struct view_samples){
		.node = copied(samples->node, count, sizeof(*samples->node)),
		.keep = copied(samples->keep, count / SAMPLES_PER_WORD + 1, sizeof(*samples->keep)),
	};
}

void view_copy(const struct view *v, struct view *ret)
{
	const struct profile *p = v->profile;

	*ret = *v;
	/* A borrowed tree is the profile's. */
	if (v->tree.caller.cap)
		ret->tree.caller.items = copied(
			v->tree.caller.items, v->tree.caller.cap, sizeof(*v->tree.caller.items));
	if (v->tree.frame.cap)
		ret->tree.frame.items = copied(
			v->tree.frame.items, v->tree.frame.cap, sizeof(*v->tree.frame.items));
	ret->node_of_stack =
		copied(v->node_of_stack, p->stack_caller.len, sizeof(*v->node_of_stack));
	ret->samples = memory_new(p->samples.len, sizeof(*v->samples));
	for (size_t i = 0; i < p->samples.len; i++)
		ret->samples[i] = samples_copy(&v->samples[i], p->samples.items[i].count);
	ret->streams = copied(v->streams, p->streams.len, sizeof(*v->streams));
	overlay_copy(&v->names, &ret->names);
}

/* ---- Selection ---- */

static bool no_such_kind(const struct view *v, struct bytes kind, struct error *err)
{
	struct buffer known = {0};

	for (size_t i = 0; i < v->profile->streams.len; i++) {
		const struct stream_row *row = &v->profile->streams.items[i].row;
		struct bytes name = profile_text(v->profile, row->kind);
		struct bytes event = profile_text(v->profile, row->event);

		buffer_printf(&known, "%s%.*s", i ? ", " : "", (int)name.len, name.at);
		if (event.len && !bytes_equal(event, name))
			buffer_printf(&known, " (%.*s)", (int)event.len, event.at);
	}
	error_set(err, ERR_USAGE, "no kind '%.*s' in this profile; it has: %s", (int)kind.len,
		kind.at, known.len ? known.at : "none");
	buffer_release(&known);
	return false;
}

/* An event that was recorded but never came has a stream as well. */
size_t view_default_stream(const struct profile *p)
{
	for (size_t i = 0; i < p->streams.len; i++)
		if (p->samples.items[p->streams.items[i].row.samples].count &&
			!stream_is_idle(p, i))
			return i;
	return 0;
}

/* The first stream whose kind, else whose event, has this name; "" is the default. */
static const struct stream *find_kind(const struct profile *p, struct bytes name)
{
	if (!name.len && p->streams.len)
		return &p->streams.items[view_default_stream(p)];
	for (size_t i = 0; i < p->streams.len; i++)
		if (bytes_equal(profile_text(p, p->streams.items[i].row.kind), name))
			return &p->streams.items[i];
	for (size_t i = 0; i < p->streams.len; i++)
		if (bytes_equal(profile_text(p, p->streams.items[i].row.event), name))
			return &p->streams.items[i];
	return NULL;
}

bool view_select(struct view *v, struct bytes kind, bool with_idle, struct error *err)
{
	const struct profile *p = v->profile;
	const struct stream *chosen = find_kind(p, kind);

	if (!chosen && !kind.len)
		return true; /* nothing to select */
	if (!chosen)
		return no_such_kind(v, kind, err);
	for (size_t i = 0; i < p->streams.len; i++) {
		const struct stream_row *row = &p->streams.items[i].row;

		v->streams[i] =
			(row->kind == chosen->row.kind && row->event == chosen->row.event &&
				row->unit == chosen->row.unit && row->side == chosen->row.side) ||
			(with_idle && stream_is_idle_of(p, i, (size_t)(chosen - p->streams.items)));
	}
	return true;
}

const struct stream_row *view_stream(const struct view *v)
{
	static const struct stream_row none = {0};

	for (size_t i = 0; i < v->profile->streams.len; i++)
		if (v->streams[i])
			return &v->profile->streams.items[i].row;
	return &none;
}

bool view_second_side(const struct view *v, bool *ret_streams)
{
	const struct stream_row *first = view_stream(v);
	bool found = false;

	for (size_t i = 0; i < v->profile->streams.len; i++) {
		const struct stream_row *row = &v->profile->streams.items[i].row;

		ret_streams[i] = first->side == 1 && row->side == 2 && row->kind == first->kind &&
				 row->event == first->event && row->unit == first->unit;
		found |= ret_streams[i];
	}
	return found;
}

/* ---- Composition ---- */

static node_id mapped(const node_id *map, node_id node)
{
	return node == NODE_DROPPED ? NODE_DROPPED : map[node];
}

/* The map that may be changed: the view's, or a new one. */
static node_id *own_stack_nodes(const struct view *v)
{
	return v->node_of_stack ? v->node_of_stack
				: memory_new(v->profile->stack_caller.len, sizeof(node_id));
}

void view_reshape(struct view *v, struct tree *tree, const node_id *map)
{
	node_id *nodes = own_stack_nodes(v);

	for (size_t i = 0; i < v->profile->stack_caller.len; i++)
		nodes[i] = mapped(map, view_stack_node(v, (stack_id)i));
	v->node_of_stack = nodes;
	for (size_t s = 0; s < v->profile->samples.len; s++)
		for (size_t i = 0; v->samples[s].node && i < v->profile->samples.items[s].count;
			i++)
			v->samples[s].node[i] = mapped(map, v->samples[s].node[i]);
	tree_release(&v->tree);
	v->tree = *tree;
	v->changed = true;
	*tree = (struct tree){0};
}

void view_rebuild(struct view *v, struct tree_builder *b, const node_id *map)
{
	v->full |= b->full;
	view_reshape(v, &b->tree, map);
}

bool view_check_size(const struct view *v, struct error *err)
{
	if (!v->full)
		return true;
	if (v->profile->limit)
		return expansion_error("the tree of its stacks", v->profile->limit, err);
	return error_set(err, ERR_LIMIT, "a tree of more than %u nodes", PROFILE_ROWS_LIMIT);
}

node_id *view_sample_nodes(struct view *v, uint32_t samples)
{
	const struct samples *s = &v->profile->samples.items[samples];
	struct view_samples *own = &v->samples[samples];

	if (own->node)
		return own->node;
	v->changed = true;
	own->node = memory_new(s->count, sizeof(*own->node));
	for (size_t i = 0; i < s->count; i++)
		own->node[i] = view_stack_node(v, s->stack.items[i]);
	return own->node;
}

void view_replace_tree(struct view *v, struct tree_builder *b)
{
	for (size_t i = 0; i < v->profile->samples.len; i++)
		assert(v->samples[i].node);
	v->node_of_stack = own_stack_nodes(v);
	for (size_t i = 0; i < v->profile->stack_caller.len; i++)
		v->node_of_stack[i] = NODE_DROPPED;
	tree_release(&v->tree);
	v->full |= b->full;
	v->tree = b->tree;
	b->tree = (struct tree){0};
}

/* One bit for each of the first `count` samples of a word. */
static uint64_t bits_of(size_t count)
{
	return count < SAMPLES_PER_WORD ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

void view_keep_samples(struct view *v, uint32_t samples, size_t first, size_t count, uint64_t bits)
{
	struct view_samples *own = &v->samples[samples];

	if ((bits & bits_of(count)) == bits_of(count))
		return;
	if (!own->keep) {
		size_t words = v->profile->samples.items[samples].count / SAMPLES_PER_WORD + 1;

		own->keep = memory_new(words, sizeof(*own->keep));
		memset(own->keep, 0xFF, words * sizeof(*own->keep));
	}
	v->changed = true;
	own->keep[first / SAMPLES_PER_WORD] &= bits;
}

/* ---- Names ---- */

string_id view_string(struct view *v, struct bytes text)
{
	return overlay_string(&v->names, text);
}

frame_id view_frame(struct view *v, const struct frame *frame)
{
	return overlay_frame(&v->names, frame);
}

struct frame view_frame_at(const struct view *v, frame_id id)
{
	return overlay_frame_at(&v->names, id);
}

struct bytes view_text(const struct view *v, string_id id)
{
	return overlay_text(&v->names, id);
}

struct bytes view_function(const struct view *v, frame_id id)
{
	return view_text(v, view_frame_at(v, id).function);
}

size_t view_frame_count(const struct view *v)
{
	return overlay_frame_count(&v->names);
}

size_t view_string_count(const struct view *v)
{
	return overlay_string_count(&v->names);
}

void view_note(struct view *v, const char *fmt, ...)
{
	struct buffer text = {0};
	va_list args;

	va_start(args, fmt);
	buffer_format(&text, fmt, args);
	va_end(args);
	profile_note(&v->names.own, "%s", text.at);
	buffer_release(&text);
}

bool view_next_note(const struct view *v, size_t *at, struct bytes *ret_note, bool *ret_own)
{
	size_t own = v->profile->meta.len;

	for (; *at < own + v->names.own.meta.len; (*at)++) {
		const struct profile *p = *at < own ? v->profile : &v->names.own;
		const struct meta *meta = &p->meta.items[*at < own ? *at : *at - own];

		if (!bytes_equal(profile_text(p, meta->key), BYTES("note")))
			continue;
		*ret_note = profile_text(p, meta->value);
		*ret_own = (*at)++ >= own;
		return true;
	}
	return false;
}

/* ---- Values ---- */

node_id view_node(const struct view *v, uint32_t samples, size_t sample)
{
	const struct view_samples *own = &v->samples[samples];

	if (own->keep && !(own->keep[sample / 64] >> sample % 64 & 1))
		return NODE_DROPPED;
	return own->node
		       ? own->node[sample]
		       : view_stack_node(v, v->profile->samples.items[samples].stack.items[sample]);
}

bool *view_end_nodes(const struct view *v)
{
	bool *ends = memory_new(v->tree.caller.len, sizeof(*ends));

	for (uint32_t table = 0; table < v->profile->samples.len; table++) {
		for (size_t i = 0; i < v->profile->samples.items[table].count; i++) {
			node_id node = view_node(v, table, i);

			if (node != NODE_DROPPED)
				ends[node] = true;
		}
	}
	return ends;
}

uint64_t view_kept_samples(const struct view *v, uint32_t samples, size_t first)
{
	const struct view_samples *own = &v->samples[samples];

	return bits_of(v->profile->samples.items[samples].count - first) &
	       (own->keep ? own->keep[first / SAMPLES_PER_WORD] : UINT64_MAX);
}

static void add_self(const struct view *v, const struct stream *stream, int64_t *ret_self)
{
	uint32_t table = stream->row.samples;
	size_t count = v->profile->samples.items[table].count;

	for (size_t first = 0; first < count; first += SAMPLES_PER_WORD)
		for (uint64_t kept = view_kept_samples(v, table, first); kept; kept &= kept - 1) {
			size_t sample = first + (size_t)__builtin_ctzll(kept);
			node_id node = view_node(v, table, sample);

			if (node != NODE_DROPPED)
				ret_self[node] += stream_value(stream, sample);
		}
}

void view_self(const struct view *v, int64_t *ret_self)
{
	memset(ret_self, 0, v->tree.caller.len * sizeof(*ret_self));
	for (size_t s = 0; s < v->profile->streams.len; s++)
		if (v->streams[s])
			add_self(v, &v->profile->streams.items[s], ret_self);
}
