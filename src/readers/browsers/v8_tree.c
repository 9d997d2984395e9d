/* v8_tree.c: reads V8's profiles that are a tree. */
#include "readers/browsers/v8_tree.h"

#include "readers/browsers/v8_call.h"

#include <stdlib.h>

#define TIME_LIMIT (INT64_MAX / 4) /* ns: no sum or difference of two overflows */

/* A node that is being read. */
struct level {
	struct v8_node node;
	struct v8_call call;
	size_t first_child; /* in `children` */
	bool in_children;
};

/* Children end before their parent, and perhaps before its id. */
struct tree {
	struct v8_profile *profile;
	struct json *json;
	VECTOR(struct level) levels; /* released ones behind `depth`, too */
	size_t depth;
	VECTOR(uint32_t) children; /* ids of those whose parent is open */
};

static void level_open(struct tree *t)
{
	struct level *level;

	if (t->depth == t->levels.len)
		vector_push(&t->levels, (struct level){0});
	level = &t->levels.items[t->depth++];
	level->node = (struct v8_node){.id = JSON_NO_INDEX, .parent = JSON_NO_INDEX};
	level->first_child = t->children.len;
	level->in_children = false;
	v8_call_clear(&level->call);
}

/* Nodes without an id have no samples; they get ids down from the largest possible one. */
static uint32_t id_of(const struct tree *t, const struct level *level)
{
	return level->node.id == JSON_NO_INDEX ? JSON_NO_INDEX - 1 - (uint32_t)t->profile->nodes.len
					       : level->node.id;
}

static void level_close(struct tree *t, struct text_stacks *names)
{
	struct level *level = &t->levels.items[--t->depth];
	struct v8_call *call = &level->call;

	call->line = call->line > 0 ? call->line - 1 : -1;
	call->column = call->column > 0 ? call->column - 1 : -1;
	level->node.id = id_of(t, level);
	v8_call_name(call, &level->node, names);
	for (size_t i = level->first_child; i < t->children.len; i++)
		vector_push(&t->profile->links,
			((struct v8_link){level->node.id, t->children.items[i]}));
	t->children.len = level->first_child;
	vector_push(&t->children, level->node.id);
	vector_push(&t->profile->nodes, level->node);
}

/* Heap profiles name a function as today's CPU profiles do, where lines count from 0. */
static void take_call(struct level *level, struct json *j)
{
	struct v8_call *call = &level->call;

	v8_call_read(call, j);
	call->line = call->line >= 0 && call->line < UINT32_MAX ? call->line + 1 : -1;
	call->column = call->column >= 0 && call->column < UINT32_MAX ? call->column + 1 : -1;
}

static void level_key(struct tree *t, struct bytes key)
{
	struct level *level = &t->levels.items[t->depth - 1];
	struct json *j = t->json;
	int64_t hits;

	if (bytes_equal(key, BYTES("children")) && json_peek(j) == JSON_ARRAY) {
		level->in_children = json_array(j);
	} else if (bytes_equal(key, BYTES("id"))) {
		level->node.id = v8_node_id(j);
	} else if (bytes_equal(key, BYTES("hitCount"))) {
		hits = json_number_if(j, 0, 0);
		level->node.hits = hits < 0 || hits > UINT32_MAX ? 0 : (uint32_t)hits;
	} else if (bytes_equal(key, BYTES("selfSize"))) {
		level->node.bytes = json_number_if(j, 0, 0);
	} else if (bytes_equal(key, BYTES("callFrame"))) {
		take_call(level, j);
	} else if (!v8_call_key(&level->call, key, j)) {
		json_skip(j);
	}
}

void v8_tree_read(struct v8_profile *v, struct json *j, struct text_stacks *names)
{
	struct tree t = {.profile = v, .json = j};
	struct bytes key;

	v->nested = true;
	json_object(j);
	level_open(&t);
	while (t.depth) {
		struct level *level = &t.levels.items[t.depth - 1];

		if (level->in_children && json_item(j)) {
			if (json_object_if(j))
				level_open(&t);
		} else if (level->in_children) {
			level->in_children = false;
		} else if (json_key(j, &key)) {
			level_key(&t, key);
		} else {
			level_close(&t, names);
		}
	}
	for (size_t i = 0; i < t.levels.len; i++)
		v8_call_release(&t.levels.items[i].call);
	vector_release(&t.levels);
	vector_release(&t.children);
}

/* ---- Times ---- */

/* Converts a time in seconds that was read as microseconds. */
static int64_t from_seconds(int64_t ns, const struct json_decimal *seconds)
{
	if (ns != INT64_MIN)
		ns = json_decimal_scale(seconds, 9, INT64_MIN);
	return ns > TIME_LIMIT || ns < -TIME_LIMIT ? INT64_MIN : ns;
}

/* Convert times to deltas. Sums that overflow are found when they are added up. */
static void deltas_of(struct v8_profile *v)
{
	int64_t last = v->moments.items[0];

	for (size_t i = 0; i < v->moments.len; i++) {
		int64_t delta;

		if (__builtin_sub_overflow(v->moments.items[i], last, &delta))
			delta = INT64_MAX;
		vector_push(&v->deltas, delta);
		last = v->moments.items[i];
	}
	/* The two clocks may differ. */
	v->start = v->moments.items[0];
	if (v->end < last || last < v->start || v->end - last > last - v->start)
		v->end = last;
}

void v8_tree_times(struct v8_profile *v)
{
	int64_t each;

	if (!v->nested || v->deltas.len)
		return;
	v->start = from_seconds(v->start, &v->began);
	v->end = from_seconds(v->end, &v->ended);
	if (v->moments.len) {
		deltas_of(v);
	} else if (v->samples.len && v->start != INT64_MIN && v->end > v->start) {
		each = (v->end - v->start) / (int64_t)v->samples.len;
		for (size_t i = 0; i < v->samples.len; i++)
			vector_push(&v->deltas, i ? each : 0);
	}
}
