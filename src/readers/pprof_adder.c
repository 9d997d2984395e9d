/* pprof_adder.c: how do samples get into the profile while others are being read? */
#include "readers/pprof_adder.h"

#include "readers/pprof_tags.h"

#include <pthread.h>
#include <stdlib.h>

#define BATCHES	 16u
#define EXPECTED 8u /* samples whose paths are expected before they are walked */

struct pprof_adder {
	struct profile *profile;
	const uint32_t *streams;
	size_t types;
	uint32_t samples;
	size_t expected, taken; /* samples */
	struct paths paths;
	VECTOR(stack_id) stacks; /* by number */

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t passed, added; /* batches; under the lock when there is a thread */
	bool finished;
	size_t count; /* of batches: one without a thread */
	struct pprof_batch batches[];
};

/* ---- Adding ---- */

struct expecting {
	const struct pprof_batch *batch;
	size_t samples, steps; /* that were expected */
};

static void expect_next(struct pprof_adder *a, struct expecting *e)
{
	const struct pprof_sample *sample = &e->batch->samples[e->samples];

	if (e->samples == e->batch->count)
		return;
	e->samples++;
	if (sample->is_new)
		paths_expect(&a->paths,
			path_next(sample->level, sample->steps, e->batch->steps.items, &e->steps));
}

static stack_id stack_of(struct pprof_adder *a, const struct pprof_batch *batch,
	const struct pprof_sample *sample, size_t *step)
{
	if (sample->is_new)
		vector_push(&a->stacks,
			paths_walk(&a->paths,
				path_next(sample->level, sample->steps, batch->steps.items, step)));
	return a->stacks.items[sample->stack];
}

#define ROOM_TRIAL  16384u /* samples before it is asked how much room all will take */
#define GROWTH_MOST 16u	   /* times what is there */

/* Samples mostly have stacks of their own: then those to come will take as much room as those that
 * came did. To make it once is faster than again and again. */
static void make_room(struct pprof_adder *a)
{
	struct profile *p = a->profile;
	struct id_map *map = &a->paths.by_path;
	double times;

	if (a->taken < ROOM_TRIAL || map->used * 3 < map->mask)
		return;
	times = (double)a->expected / (double)a->taken;
	if (times > GROWTH_MOST)
		times = GROWTH_MOST;
	id_map_reserve(map, (size_t)((double)map->used * times));
	vector_reserve(&p->stack_caller, (size_t)((double)p->stack_caller.len * (times - 1)));
	vector_reserve(&p->stack_location, (size_t)((double)p->stack_location.len * (times - 1)));
}

static void add(struct pprof_adder *a, struct pprof_batch *batch)
{
	struct expecting expecting = {.batch = batch};
	const int64_t *values = batch->values.items;
	size_t step = 0;

	make_room(a);
	for (size_t i = 0; i < EXPECTED; i++)
		expect_next(a, &expecting);
	for (size_t i = 0; i < batch->count; i++) {
		struct pprof_sample *sample = &batch->samples[i];

		expect_next(a, &expecting);
		sample->columns.stack = stack_of(a, batch, sample, &step);
		pprof_tags_fill(&a->profile->samples.items[a->samples], sample->columns.has);
		profile_add_sample(a->profile, a->samples, &sample->columns);
		for (size_t j = 0; j < a->types; j++)
			vector_push(&a->profile->streams.items[a->streams[j]].value, *values++);
	}
	a->taken += batch->count;
	batch->count = batch->steps.len = batch->values.len = 0;
}

/* ---- The thread ---- */

static void *work(void *context)
{
	struct pprof_adder *a = context;

	pthread_mutex_lock(&a->lock);
	for (;;) {
		while (a->added == a->passed && !a->finished)
			pthread_cond_wait(&a->changed, &a->lock);
		if (a->added == a->passed)
			break;
		pthread_mutex_unlock(&a->lock);
		add(a, &a->batches[a->added % BATCHES]);
		pthread_mutex_lock(&a->lock);
		a->added++;
		pthread_cond_signal(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

struct pprof_adder *pprof_adder_new(struct profile *profile, uint32_t samples, size_t expected,
	const uint32_t *streams, size_t types, bool with_thread)
{
	size_t count = with_thread ? BATCHES : 1;
	struct pprof_adder *a = memory_new(1, sizeof(*a) + count * sizeof(*a->batches));

	a->count = count;
	a->profile = a->paths.profile = profile;
	a->samples = samples;
	a->streams = streams;
	a->types = types;
	a->expected = expected;
	vector_reserve(&a->stacks, expected);
	vector_reserve(&profile->samples.items[samples].stack, expected);
	for (size_t i = 0; i < types; i++)
		vector_reserve(&profile->streams.items[streams[i]].value, expected);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	a->has_thread = with_thread && !pthread_create(&a->thread, NULL, work, a);
	return a;
}

struct pprof_batch *pprof_adder_batch(struct pprof_adder *a)
{
	return &a->batches[a->passed % BATCHES];
}

struct pprof_batch *pprof_adder_pass(struct pprof_adder *a)
{
	if (!a->has_thread) {
		add(a, &a->batches[0]);
		return &a->batches[0];
	}
	pthread_mutex_lock(&a->lock);
	a->passed++;
	pthread_cond_signal(&a->changed);
	while (a->passed - a->added == BATCHES)
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
	return pprof_adder_batch(a);
}

static void join(struct pprof_adder *a)
{
	pthread_mutex_lock(&a->lock);
	a->finished = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
}

void pprof_adder_finish(struct pprof_adder *a)
{
	if (!a)
		return;
	if (a->has_thread)
		join(a);
	for (size_t i = 0; i < a->count; i++) {
		vector_release(&a->batches[i].steps);
		vector_release(&a->batches[i].values);
	}
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	paths_release(&a->paths);
	vector_release(&a->stacks);
	free(a);
}
