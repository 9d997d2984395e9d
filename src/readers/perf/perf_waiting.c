/* perf_waiting.c: which samples of a perf recording have no stack yet? */
#include "readers/perf/perf_waiting.h"

#include <stdlib.h>

#define SAMPLES_LIMIT ((size_t)1 << 21) /* 40 bytes each */
#define MAPS_LIMIT    ((size_t)1 << 20) /* 32 bytes each */
#define EXPECTED      8u /* how many samples ahead records are fetched into the cache */

void perf_waiting_drop(struct perf_waiting *w)
{
	for (size_t i = 0; i < w->rows.len; i++)
		address_space_unref(&w->rows.items[i].space);
	w->rows.len = 0;
	w->maps = 0;
}

void perf_waiting_release(struct perf_waiting *w)
{
	perf_waiting_drop(w);
	vector_release(&w->rows);
}

/* Take a reference, so that the space is copied before it changes. Counts each space once. */
static void hold(struct perf_waiting *w, struct address_space *space)
{
	if (!space)
		return;
	if (space->references++ == 1)
		w->maps += space->maps.len;
}

void perf_waiting_add(struct perf_waiting *w, const struct walk_job *job, const char *record,
	uint32_t samples, uint32_t row)
{
	hold(w, job->space);
	vector_push(&w->rows, ((struct perf_waiting_sample){.at = record,
				      .layout = job->record.sample.layout,
				      .space = job->space,
				      .thread = job->thread,
				      .process = job->process,
				      .samples = samples,
				      .row = row}));
}

bool perf_waiting_is_full(const struct perf_waiting *w)
{
	return w->rows.len >= SAMPLES_LIMIT || w->maps >= MAPS_LIMIT;
}

struct walk_job perf_waiting_job(const struct perf_waiting *w, size_t i)
{
	const struct perf_waiting_sample *row = &w->rows.items[i];
	struct walk_job job = {
		.row = row, .thread = row->thread, .process = row->process, .space = row->space};
	struct error before; /* none: it was decoded when it was added */

	if (i + EXPECTED < w->rows.len)
		__builtin_prefetch(w->rows.items[i + EXPECTED].at);
	perf_record_decode(
		(struct bytes){row->at, PERF_RECORD_SIZE_LIMIT}, row->layout, &job.record, &before);
	return job;
}
