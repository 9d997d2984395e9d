/* pprof_adder.c: how do samples get into the profile while others are being read?
 *
 * Two threads share the work. The first finds samples in the file, and decodes each stack the first
 * time it comes; the second (this file) decodes the rest of each sample, adds stacks to the tree
 * and rows to the profile. They pass 16 batches of 1,024 samples through a ring
 * (base/slot_queue.h). Where there is one CPU, one thread does both, a batch at a time.
 *
 * Stacks are added to the tree as they come (paths.h), which suits files whose stacks are in order.
 * Whether they are is looked at again after every 4,096 different stacks: when the tree already has
 * more than one in eight of the steps behind the place where a stack leaves the one before it, they
 * are in no order. If the tree is also going to be large, the ends of all further stacks are set
 * aside instead (deferred_paths.h), and samples get their stacks when the file has ended. */
#include "readers/pprof/pprof_adder.h"

#include "base/slot_queue.h"
#include "readers/pprof/pprof_file.h"
#include "readers/stacks/deferred_paths.h"

#include <stdlib.h>

#define BATCHES 16u
#define WAKE	8u /* batches to wait for: fewer do not wake a waiting thread */

struct pprof_adder {
	struct pprof *file;
	struct profile *profile;
	size_t expected, taken; /* samples */
	struct paths paths;
	VECTOR(stack_id) stacks; /* by number */
	struct trial {
		uint64_t stacks, steps, rows; /* of all that were added when it began */
	} trial;
	uint64_t steps;			 /* that were walked */
	struct deferred_paths *deferred; /* of stacks behind those that were added; NULL: none do */
	size_t settled;			 /* samples before the first that may have such a stack */

	struct sample rows[PPROF_BATCH]; /* of the batch; `stack` is a number first */
	struct error error;		 /* of an invalid message */
	struct slot_queue slot_queue;
	size_t count; /* of batches: one without a thread */
	struct pprof_batch batches[];
};

/* ---- Adding ---- */

/* Of the numbers that follow. */
static void add_paths(struct pprof_adder *a, const struct pprof_batch *batch)
{
	if (!batch->paths_count) /* and there may be no vector of stacks yet */
		return;
	vector_reserve(&a->stacks, batch->paths_count);
	paths_walk_list(&a->paths, batch->paths, batch->paths_count, batch->steps.items,
		a->stacks.items + a->stacks.len);
	a->stacks.len += batch->paths_count;
	a->steps += batch->steps.len;
}

static void defer_paths(struct pprof_adder *a, const struct pprof_batch *batch)
{
	size_t step = 0;

	for (size_t i = 0; i < batch->paths_count; i++) {
		struct path path = path_next(
			batch->paths[i].level, batch->paths[i].count, batch->steps.items, &step);
		uint32_t level;
		stack_id behind = paths_follow(&a->paths, path, &level);

		deferred_paths_add(a->deferred, behind, level, path);
	}
}

/* The columns of the samples besides their stacks. */
static bool take_samples(struct pprof_adder *a, const struct pprof_batch *batch, size_t *ret_count)
{
	struct pprof *p = a->file;
	size_t count = 0;

	p->values.len = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const struct pprof_taken *sample = &batch->samples[i];
		size_t values = p->values.len;

		if (!pprof_take_fields(p, sample, &a->error))
			return false;
		if (p->values.len - values == p->types.len) {
			a->rows[count] = (struct sample){.stack = sample->stack};
			pprof_tags_apply(&p->tags, &a->rows[count++]);
			continue;
		}
		p->values.len = values;
		pprof_skip_sample(
			p, &p->without_values, sample->at, "expected a value for each sample type");
	}
	*ret_count = count;
	return true;
}

/* Columns that one has, those behind it have too. The number stands for a stack that waits. */
static void add_samples(struct pprof_adder *a, size_t count)
{
	uint32_t samples = a->file->samples;

	for (size_t i = 0; !a->deferred && i < count; i++)
		a->rows[i].stack = a->stacks.items[a->rows[i].stack];
	a->rows[0].has = a->rows[count - 1].has;
	pprof_tags_fill(&a->profile->samples.items[samples], a->rows[0].has);
	profile_add_rows(a->profile, samples, a->rows, count);
}

static void add_values(struct pprof_adder *a, size_t count)
{
	size_t types = a->file->types.len;

	for (size_t type = 0; type < types; type++) {
		struct stream *stream = &a->profile->streams.items[a->file->stream_of[type]];
		const int64_t *value = a->file->values.items + type;

		vector_reserve(&stream->value, count);
		for (size_t i = 0; i < count; i++, value += types)
			stream->value.items[stream->value.len++] = *value;
	}
}

#define ORDER_TRIAL 4096u /* different stacks before their order is judged */
#define FOUND_PART  8u
#define LARGE_TREE  600000.0 /* rows: less has mostly its place in the caches */

/* If samples to come bring as many rows as those that came. */
static double rows_in_all(const struct pprof_adder *a)
{
	double rows = (double)(a->profile->stack_caller.len);

	return a->taken ? rows * (double)a->expected / (double)a->taken : rows;
}

/* In order, each path is new where it leaves the one before. If of the steps behind that one in
 * eight is found all the same, paths come in any order: what there is of the tree shows its
 * shape, and all others wait, unless they find their way in a small tree. */
static void check_order(struct pprof_adder *a)
{
	size_t rows = a->profile->stack_caller.len;
	size_t steps = a->steps - a->trial.steps, added = rows - a->trial.rows;

	if (a->deferred || a->stacks.len - a->trial.stacks < ORDER_TRIAL)
		return;
	if (steps - added > steps / FOUND_PART && rows_in_all(a) > LARGE_TREE) {
		a->deferred =
			deferred_paths_new(a->expected > a->taken ? a->expected - a->taken : 0);
		a->settled = a->profile->samples.items[a->file->samples].count;
	}
	a->trial = (struct trial){a->stacks.len, a->steps, rows};
}

#define ROOM_TRIAL   16384u /* samples before the room for all is estimated */
#define GROWTH_LIMIT 16u    /* times what is there */

/* Most samples have stacks of their own: the remaining ones need as much room as those so far.
 * Allocating it once is faster than growing repeatedly. */
static void make_room(struct pprof_adder *a)
{
	struct profile *p = a->profile;
	struct id_map *map = &a->paths.by_path;
	double times;

	if (a->deferred || a->taken < ROOM_TRIAL || map->used * 3 < map->mask)
		return;
	times = (double)a->expected / (double)a->taken;
	if (times > GROWTH_LIMIT)
		times = GROWTH_LIMIT;
	id_map_reserve(map, (size_t)((double)map->used * times));
	vector_reserve(&p->stack_caller, (size_t)((double)p->stack_caller.len * (times - 1)));
	vector_reserve(&p->stack_location, (size_t)((double)p->stack_location.len * (times - 1)));
}

static bool add(struct pprof_adder *a, struct pprof_batch *batch)
{
	size_t count;

	check_order(a);
	make_room(a);
	(a->deferred ? defer_paths : add_paths)(a, batch);
	if (!take_samples(a, batch, &count))
		return false;
	if (count) {
		add_samples(a, count);
		add_values(a, count);
	}
	a->taken += batch->count;
	a->file->taken += count;
	batch->count = batch->paths_count = batch->steps.len = 0;
	return true;
}

/* ---- The thread ---- */

static bool take(void *adder, size_t slot)
{
	struct pprof_adder *a = adder;

	return add(a, &a->batches[slot]);
}

struct pprof_adder *pprof_adder_new(struct pprof *file, size_t expected, bool with_thread)
{
	size_t count = with_thread ? BATCHES : 1;
	struct pprof_adder *a = memory_new(1, sizeof(*a) + count * sizeof(*a->batches));
	struct profile *profile = file->profile;

	a->count = count;
	a->file = file;
	a->profile = a->paths.profile = profile;
	a->trial.rows = profile->stack_caller.len;
	a->expected = expected;
	vector_reserve(&a->stacks, expected);
	vector_reserve(&profile->samples.items[file->samples].stack, expected);
	for (size_t i = 0; i < file->types.len; i++)
		vector_reserve(&profile->streams.items[file->stream_of[i]].value, expected);
	a->slot_queue = (struct slot_queue){
		.slots = count, .wake_batch = WAKE, .consume = take, .context = a};
	slot_queue_open(&a->slot_queue, with_thread);
	return a;
}

struct pprof_batch *pprof_adder_batch(struct pprof_adder *a)
{
	return &a->batches[slot_queue_slot(&a->slot_queue)];
}

struct pprof_batch *pprof_adder_pass(struct pprof_adder *a)
{
	return slot_queue_push(&a->slot_queue) ? pprof_adder_batch(a) : NULL;
}

static void settle(struct pprof_adder *a)
{
	struct samples *samples = &a->profile->samples.items[a->file->samples];
	size_t added = a->stacks.len;

	vector_reserve(&a->stacks, a->deferred->count);
	a->stacks.len += a->deferred->count;
	deferred_paths_settle(a->deferred, a->profile, a->stacks.items + added);
	for (size_t i = a->settled; i < samples->count; i++)
		samples->stack.items[i] = a->stacks.items[samples->stack.items[i]];
}

bool pprof_adder_finish(struct pprof_adder *a, struct error *err)
{
	bool done;

	slot_queue_push(&a->slot_queue);
	done = slot_queue_close(&a->slot_queue);
	if (!done)
		*err = a->error;
	else if (a->deferred)
		settle(a);
	for (size_t i = 0; i < a->count; i++)
		vector_release(&a->batches[i].steps);
	paths_release(&a->paths);
	deferred_paths_free(a->deferred);
	vector_release(&a->stacks);
	memory_free(a);
	return done;
}
