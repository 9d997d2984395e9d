/* matching.c: which threads of several profiles are the same one? */
#include "transforms/matching.h"

#include "transforms/canonical.h"

#include <stdlib.h>

struct candidate {
	string_id name; /* in `to` */
	int64_t cost;
	thread_id thread;
};

static int by_name_and_cost(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* What samples that are shown cost, by thread; false when they do not say. */
static bool sum_threads(const struct view *v, struct candidate *threads)
{
	bool known = false;

	for (size_t s = 0; s < v->profile->streams.len; s++) {
		const struct stream *stream = &v->profile->streams.items[s];
		const struct samples *table = &v->profile->samples.items[stream->row.samples];

		if (!v->streams[s] || !table->thread.len)
			continue;
		known = true;
		for (size_t i = 0; i < table->count; i++)
			if (view_node(v, stream->row.samples, i) != NODE_DROPPED)
				threads[table->thread.items[i]].cost += stream_value(stream, i);
	}
	return known;
}

/* Threads without samples have no rank: they may be there by chance. */
static void give_rows(
	struct candidate *threads, size_t count, struct profile *to, thread_id *ret_map)
{
	struct buffer name = {0};
	unsigned rank = 1;

	for (size_t i = 0; i < count; i++) {
		struct bytes text = profile_text(to, threads[i].name);

		rank = i && threads[i].name == threads[i - 1].name ? rank + 1 : 1;
		if (!threads[i].cost)
			continue;
		name.len = 0;
		buffer_add(&name, text.at, text.len);
		if (rank > 1)
			buffer_printf(&name, " %u", rank);
		ret_map[threads[i].thread] =
			profile_thread(to, 0, -1, profile_string(to, buffer_bytes(&name)));
	}
	buffer_release(&name);
}

thread_id *match_threads(const struct view *v, struct profile *to)
{
	size_t count = v->profile->threads.len;
	struct candidate *threads = memory_new(count, sizeof(*threads));
	thread_id *map = NULL;
	struct buffer name = {0};

	for (size_t i = 0; i < count; i++) {
		name.len = 0;
		canonical_thread(
			profile_text(v->profile, v->profile->threads.items[i].name), &name);
		threads[i].name = profile_string(to, buffer_bytes(&name));
		threads[i].thread = (thread_id)i;
	}
	if (sum_threads(v, threads)) {
		map = memory_new(count, sizeof(*map));
		qsort(threads, count, sizeof(*threads), by_name_and_cost);
		give_rows(threads, count, to, map);
	}
	buffer_release(&name);
	free(threads);
	return map;
}
