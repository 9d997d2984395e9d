/* select.c: how are samples left out? */
#include "transforms/select.h"

#include <stdlib.h>

/* Keep nodes that are wanted or have a wanted one below them, renumbered in the same order. */
void select_nodes(struct view *v, const bool *keep)
{
	size_t nodes = v->tree.caller.len;
	bool *needed = memory_new(nodes, sizeof(*needed));
	node_id *map = memory_new(nodes, sizeof(*map)), *made = memory_new(nodes, sizeof(*made));
	struct tree tree = {0};

	for (size_t i = nodes; i-- > 1;) {
		needed[i] |= keep[i];
		needed[v->tree.caller.items[i]] |= needed[i];
	}
	vector_push(&tree.caller, 0);
	vector_push(&tree.frame, 0);
	map[0] = keep[0] ? 0 : NODE_DROPPED;
	for (size_t i = 1; i < nodes; i++) {
		if (needed[i]) {
			made[i] = (node_id)tree.caller.len;
			vector_push(&tree.caller, made[v->tree.caller.items[i]]);
			vector_push(&tree.frame, v->tree.frame.items[i]);
		}
		map[i] = keep[i] ? made[i] : NODE_DROPPED;
	}
	view_reshape(v, &tree, map);
	memory_free(needed);
	memory_free(made);
	memory_free(map);
}

bool select_samples(struct view *v, const struct selection *by, struct error *err)
{
	const struct profile *p = v->profile;
	bool any = false;

	for (size_t table = 0; table < p->samples.len; table++)
		any |= p->samples.items[table].count && by->has(&p->samples.items[table]);
	if (!any)
		return error_set(err, ERR_USAGE, "the input does not have %s", by->what);
	for (uint32_t table = 0; table < p->samples.len; table++) {
		const struct samples *s = &p->samples.items[table];
		bool has = by->has(s);

		for (size_t i = 0; i < s->count; i += SAMPLES_PER_WORD) {
			size_t left = s->count - i;
			size_t count = left < SAMPLES_PER_WORD ? left : SAMPLES_PER_WORD;

			view_keep_samples(
				v, table, i, count, has ? by->match(s, i, count, by->context) : 0);
		}
	}
	return true;
}

static bool has_threads(const struct samples *s)
{
	return s->thread.len != 0;
}

static uint64_t match_thread(
	const struct samples *s, size_t first, size_t count, const void *context)
{
	const bool *keep = context;
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits |= (uint64_t)keep[s->thread.items[first + i]] << i;
	return bits;
}

bool select_threads(struct view *v, const bool *keep, struct error *err)
{
	const struct selection by = {has_threads, match_thread, keep, "the thread of a sample"};

	return select_samples(v, &by, err);
}
