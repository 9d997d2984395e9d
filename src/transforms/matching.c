/* matching.c: which threads of several profiles correspond?
 *
 * Thread ids differ between runs, and many threads of a pool have one name. So a thread is
 * identified by its name, with "*" for digits at its end, and by its rank: the most expensive
 * thread with that name in one run corresponds to the most expensive one in the other. */
#include "transforms/matching.h"

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

/* The cost of shown samples by thread; false if they have no threads. */
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

/* A thread without cost is not mapped (0): another run may not have it. */
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
		buffer_set(&name, text);
		if (rank > 1)
			buffer_printf(&name, " %u", rank);
		ret_map[threads[i].thread] =
			profile_thread(to, 0, -1, profile_string(to, buffer_bytes(&name)));
	}
	buffer_release(&name);
}

thread_id *match_threads(const struct view *v, bool exact, struct profile *to)
{
	size_t count = v->profile->threads.len;
	struct candidate *threads = memory_new(count, sizeof(*threads));
	thread_id *map = NULL;
	struct buffer name = {0};

	for (size_t i = 0; i < count; i++) {
		struct bytes text = profile_text(v->profile, v->profile->threads.items[i].name);

		name.len = 0;
		if (exact)
			buffer_add(&name, text.at, text.len);
		else
			canonical_thread(text, &name);
		threads[i].name = profile_string(to, buffer_bytes(&name));
		threads[i].thread = (thread_id)i;
	}
	if (sum_threads(v, threads)) {
		map = memory_new(count, sizeof(*map));
		qsort(threads, count, sizeof(*threads), by_name_and_cost);
		give_rows(threads, count, to, map);
	}
	buffer_release(&name);
	memory_free(threads);
	return map;
}

/* The thread that an outermost frame stands for. */
static thread_id root_thread(const struct canonical *c, struct profile *p, location_id location)
{
	struct span names = p->location_names.items[location];
	struct buffer name = {0};
	string_id text = 0;
	thread_id thread;

	if (names.count)
		text = p->frames.items[p->location_frames.items[names.first]].function;
	if (canonical_root(c, profile_text(p, text), &name))
		text = profile_string(p, buffer_bytes(&name));
	thread = profile_thread(p, 0, -1, text);
	buffer_release(&name);
	return thread;
}

bool threads_from_roots(const struct canonical *c, struct profile *p)
{
	size_t stacks = p->stack_caller.len;
	thread_id *thread;

	for (size_t i = 0; i < p->samples.len; i++)
		if (p->samples.items[i].thread.len)
			return false;
	thread = memory_new(stacks, sizeof(*thread));
	for (size_t i = 1; i < stacks; i++) {
		stack_id caller = p->stack_caller.items[i];

		thread[i] = caller ? thread[caller] : root_thread(c, p, p->stack_location.items[i]);
	}
	for (size_t i = 0; i < p->samples.len; i++) {
		struct samples *s = &p->samples.items[i];

		for (size_t n = 0; n < s->count; n++)
			vector_push(&s->thread, thread[s->stack.items[n]]);
	}
	memory_free(thread);
	return true;
}
