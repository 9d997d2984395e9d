/* dwarf_lookup.c: which functions, inlined ones included, are at an address, and on which lines?
 *
 * A batch is divided into jobs: a unit and the addresses in it. Threads take jobs in order and
 * fill answers into a ring; the calling thread delivers the answers in the order of the jobs. A
 * thread that would run ahead of the ring waits, so memory holds the answers of a few units, and
 * the result does not depend on the number of threads. */
#include "images/dwarf_lookup.h"

#include "base/parallel.h"
#include "base/scope.h"
#include "base/thread.h"
#include "images/dwarf_functions.h"
#include "images/dwarf_index.h"
#include "images/dwarf_lines.h"
#include "images/dwarf_split.h"

#include <dwarf.h>
#include <pthread.h>
#include <stdlib.h>

#define BUDGET_FACTOR	   64 /* a thread may read this many times the size of all sections */
#define BUDGET_FLOOR	   ((uint64_t)64 << 20) /* bytes */
#define ANSWERS_PER_THREAD 4u			/* answers per thread that wait for delivery */

struct dwarf {
	struct dwarf_files files;
	struct dwarf_index index;
	bool there, loaded, lines_loaded;
	struct dwarf_stats stats;
};

struct dwarf *dwarf_open(const struct image *image, const struct image *debug,
	const struct binary_locations *binary_locations)
{
	struct dwarf *d = memory_new(1, sizeof(*d));

	d->files.program = image;
	d->files.image = debug && dwarf_file_exists(debug) ? debug : image;
	d->files.binary_locations = binary_locations;
	d->there = dwarf_file_exists(d->files.image);
	return d;
}

void dwarf_release(struct dwarf *d)
{
	if (!d)
		return;
	dwarf_files_release(&d->files);
	dwarf_index_release(&d->index);
	memory_free(d);
}

bool dwarf_empty(const struct dwarf *d)
{
	return !d->there;
}

struct dwarf_stats dwarf_stats(const struct dwarf *d)
{
	return d->stats;
}

/* ---- Loading ---- */

static uint64_t budget_of(const struct dwarf *d, size_t addresses)
{
	uint64_t size = addresses;

	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		size += d->files.main.sections[i].len + d->files.shared.sections[i].len;
	return BUDGET_FLOOR + BUDGET_FACTOR * size;
}

static void load(struct dwarf *d, bool lines)
{
	if (!d->loaded) {
		struct dwarf_reader reader;

		dwarf_files_load(&d->files);
		reader = (struct dwarf_reader){.budget = budget_of(d, 0)};
		dwarf_index_build(&reader, &d->files.main, &d->index);
		dwarf_reader_release(&reader);
		d->stats.units = d->files.main.units.len;
		d->stats.damaged = d->files.main.cut;
		d->stats.shared_missing = d->files.shared_missing;
		d->loaded = true;
	}
	if (lines && !d->lines_loaded) {
		dwarf_files_load_lines(&d->files);
		d->lines_loaded = true;
	}
}

/* ---- Jobs ---- */

struct job {
	uint32_t unit;
	size_t first, count; /* in the order of the batch */
};

struct batch {
	struct dwarf *dwarf;
	const uint64_t *addresses;
	bool lines;
	dwarf_found found;
	void *context;
	size_t *order; /* indexes of addresses, by unit and then ascending */
	VECTOR(struct job) jobs;
};

/* Find the unit of each address; addresses without one are answered here. Both lists ascend. */
static size_t find_units(struct batch *b, size_t count, uint32_t *ret_units, size_t *ret_per_unit)
{
	const struct dwarf_index *index = &b->dwarf->index;
	size_t at = 0, covered = 0;

	for (size_t i = 0; i < count; i++) {
		while (at < index->spans.len && index->spans.items[at].end <= b->addresses[i])
			at++;
		ret_units[i] = UINT32_MAX;
		if (at < index->spans.len && index->spans.items[at].start <= b->addresses[i]) {
			ret_units[i] = index->spans.items[at].unit;
			ret_per_unit[ret_units[i]]++;
			covered++;
		} else {
			b->found(b->context, i, NULL, 0);
		}
	}
	return covered;
}

static void make_jobs(struct batch *b, size_t count)
{
	size_t unit_count = b->dwarf->files.main.units.len, at = 0;
	size_t *per_unit = memory_new(unit_count, sizeof(*per_unit));
	uint32_t *units = memory_new(count, sizeof(*units));

	b->order = memory_new(find_units(b, count, units, per_unit), sizeof(*b->order));
	for (uint32_t unit = 0; unit < unit_count; unit++) {
		size_t in_unit = per_unit[unit];

		if (in_unit)
			vector_push(&b->jobs, ((struct job){unit, at, in_unit}));
		per_unit[unit] = at; /* from here on, the place of the unit's next address */
		at += in_unit;
	}
	for (size_t i = 0; i < count; i++)
		if (units[i] != UINT32_MAX)
			b->order[per_unit[units[i]]++] = i;
	memory_free(units);
	memory_free(per_unit);
}

/* ---- Answers ---- */

struct answer {
	struct dwarf_functions functions;
	struct dwarf_names names;
	struct dwarf_lines lines;
	struct dwarf_file *split; /* the split file that names may be in */
	bool damaged, split_missing;
	bool ready;
};

static void answer_release(struct answer *a)
{
	dwarf_functions_release(&a->functions);
	dwarf_names_release(&a->names);
	dwarf_lines_release(&a->lines);
	dwarf_split_release(a->split);
	*a = (struct answer){0};
}

static bool is_skeleton(const struct dwarf_unit *unit)
{
	return unit->header.kind == DW_UT_skeleton ||
	       (unit->header.encoding.version < 5 && unit->split_name.len);
}

/* The functions are in the split file, if there is one; the skeleton may have some as well. */
static void answer_functions(struct dwarf_reader *r, const struct batch *b, struct dwarf_unit *unit,
	const uint64_t *addresses, size_t count, struct answer *a)
{
	struct dwarf_unit *split = NULL;
	uint64_t offset;

	if (is_skeleton(unit)) {
		a->split = dwarf_split_open(r, &b->dwarf->files, unit, &offset);
		a->split_missing = !a->split;
		if (a->split)
			split = dwarf_unit_open(r, a->split, offset, unit);
	}
	r->current = split ? split : unit;
	a->damaged |= !dwarf_functions_read(r, &a->names, addresses, count, &a->functions);
	r->current = NULL;
	dwarf_unit_close(split);
	if (a->split)
		dwarf_reader_clear(r);
}

static void answer_job(
	struct dwarf_reader *r, const struct batch *b, const struct job *job, struct answer *a)
{
	const struct dwarf_file *file = &b->dwarf->files.main;
	struct dwarf_unit *unit = dwarf_unit_open(r, file, file->units.items[job->unit], NULL);
	uint64_t *addresses;

	if (!unit) {
		a->damaged = true;
		return;
	}
	addresses = memory_new(job->count, sizeof(*addresses));
	for (size_t i = 0; i < job->count; i++)
		addresses[i] = b->addresses[b->order[job->first + i]];
	answer_functions(r, b, unit, addresses, job->count, a);
	if (b->lines)
		a->damaged |= !dwarf_lines_read(r, unit, addresses, job->count, &a->lines);
	memory_free(addresses);
	dwarf_unit_close(unit);
}

/* The frames at one address, outermost first. Returns how many. */
static size_t frames_of(struct answer *a, size_t i, struct dwarf_frame frames[DWARF_FRAMES_LIMIT])
{
	uint32_t at = a->functions.innermost ? a->functions.innermost[i] : DWARF_NO_FUNCTION;
	struct dwarf_row row = {DWARF_NO_FILE, 0};
	size_t count = 0, first = DWARF_FRAMES_LIMIT;

	if (a->lines.rows && a->lines.rows[i].file != DWARF_NO_FILE)
		row = a->lines.rows[i];
	if (at == DWARF_NO_FUNCTION && !row.line)
		return 0;
	/* From the innermost outwards, filling the array from its end. */
	do {
		struct dwarf_frame *frame = &frames[--first];

		*frame = (struct dwarf_frame){
			.file = dwarf_lines_path(&a->lines, row.file), .line = row.line};
		count++;
		if (at != DWARF_NO_FUNCTION) {
			const struct dwarf_function *function = &a->functions.items.items[at];

			frame->name = function->name.text;
			frame->linkage = function->name.linkage;
			if (a->lines.rows)
				row = (struct dwarf_row){function->call_file, function->call_line};
			at = function->outer;
		}
	} while (at != DWARF_NO_FUNCTION && first);
	memmove(frames, frames + first, count * sizeof(*frames));
	return count;
}

static void answer_deliver(struct batch *b, const struct job *job, struct answer *a)
{
	struct dwarf_stats *stats = &b->dwarf->stats;
	struct dwarf_frame frames[DWARF_FRAMES_LIMIT];

	stats->decoded++;
	stats->damaged += a->damaged;
	stats->split_missing += a->split_missing;
	for (size_t i = 0; i < job->count; i++)
		b->found(b->context, b->order[job->first + i], frames, frames_of(a, i, frames));
	answer_release(a);
}

/* ---- Threads ---- */

struct pool {
	const struct batch *batch;
	uint64_t budget; /* of each thread */
	pthread_mutex_t lock;
	pthread_cond_t answered, delivered;
	size_t taken, done;	/* jobs begun by threads; jobs delivered */
	struct answer *answers; /* a ring */
	size_t ring;
	bool end; /* memory ran out: stop */
	struct recovery *starter;
	pthread_t started[PARALLEL_THREADS_LIMIT];
	unsigned count; /* number of threads */
};

static void answer_jobs(void *context)
{
	struct pool *p = context;
	struct dwarf_reader reader = {.budget = p->budget};
	size_t count = p->batch->jobs.len;

	pthread_mutex_lock(&p->lock);
	while (p->taken < count && !p->end) {
		size_t job = p->taken++;
		struct answer *answer = &p->answers[job % p->ring];

		while (job >= p->done + p->ring && !p->end)
			pthread_cond_wait(&p->delivered, &p->lock);
		if (p->end)
			break;
		pthread_mutex_unlock(&p->lock);
		answer_job(&reader, p->batch, &p->batch->jobs.items[job], answer);
		pthread_mutex_lock(&p->lock);
		answer->ready = true;
		pthread_cond_signal(&p->answered);
	}
	pthread_mutex_unlock(&p->lock);
	dwarf_reader_release(&reader);
}

static void pool_end(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->end = true;
	pthread_cond_broadcast(&p->delivered);
	pthread_cond_signal(&p->answered);
	pthread_mutex_unlock(&p->lock);
}

static void *pool_work(void *context)
{
	struct pool *p = context;

	if (!scope_run_thread(p->starter, answer_jobs, p))
		pool_end(p);
	return NULL;
}

static void pool_join(struct pool *p)
{
	for (unsigned i = 0; i < p->count; i++)
		pthread_join(p->started[i], NULL);
}

static void end_threads(void *pool)
{
	pool_end(pool);
	pool_join(pool);
}

static void pool_deliver(struct pool *p, struct batch *b)
{
	for (size_t job = 0; job < b->jobs.len; job++) {
		struct answer *answer = &p->answers[job % p->ring];
		bool end;

		pthread_mutex_lock(&p->lock);
		while (!answer->ready && !p->end)
			pthread_cond_wait(&p->answered, &p->lock);
		end = p->end;
		pthread_mutex_unlock(&p->lock);
		if (end)
			return;
		answer_deliver(b, &b->jobs.items[job], answer);
		pthread_mutex_lock(&p->lock);
		p->done++;
		pthread_cond_broadcast(&p->delivered);
		pthread_mutex_unlock(&p->lock);
	}
}

/* False: no thread could be started, and nothing was done. */
static bool run_in_threads(struct batch *b, unsigned threads, uint64_t budget)
{
	struct pool pool = {.batch = b,
		.budget = budget,
		.ring = (size_t)threads * ANSWERS_PER_THREAD,
		.starter = scope_current()};

	pool.answers = memory_new(pool.ring, sizeof(*pool.answers));
	pthread_mutex_init(&pool.lock, NULL);
	pthread_cond_init(&pool.answered, NULL);
	pthread_cond_init(&pool.delivered, NULL);
	scope_hold_threads(&pool, end_threads);
	while (pool.count < threads && thread_start(&pool.started[pool.count], pool_work, &pool))
		pool.count++;
	if (pool.count)
		pool_deliver(&pool, b);
	scope_drop(&pool);
	pool_join(&pool);
	if (pool.end)
		scope_fail_from_thread();
	pthread_cond_destroy(&pool.delivered);
	pthread_cond_destroy(&pool.answered);
	pthread_mutex_destroy(&pool.lock);
	memory_free(pool.answers);
	return pool.count;
}

static void run_here(struct batch *b, uint64_t budget)
{
	struct dwarf_reader reader = {.budget = budget};
	struct answer answer = {0};

	for (size_t i = 0; i < b->jobs.len; i++) {
		answer_job(&reader, b, &b->jobs.items[i], &answer);
		answer_deliver(b, &b->jobs.items[i], &answer);
	}
	dwarf_reader_release(&reader);
}

static unsigned threads_for(const struct batch *b, unsigned requested)
{
	unsigned threads = requested < PARALLEL_THREADS_LIMIT ? requested : PARALLEL_THREADS_LIMIT;

	if (!requested)
		return parallel_thread_count(b->jobs.len);
	return threads < b->jobs.len ? threads : (unsigned)b->jobs.len;
}

void dwarf_lookup(struct dwarf *d, const uint64_t *addresses, size_t count, bool lines,
	unsigned threads, dwarf_found found, void *context)
{
	struct batch batch = {.dwarf = d,
		.addresses = addresses,
		.lines = lines,
		.found = found,
		.context = context};
	uint64_t budget;

	if (d->there && count)
		load(d, lines);
	make_jobs(&batch, count);
	budget = budget_of(d, count);
	threads = threads_for(&batch, threads);
	if (threads < 2 || !run_in_threads(&batch, threads, budget))
		run_here(&batch, budget);
	vector_release(&batch.jobs);
	memory_free(batch.order);
}
