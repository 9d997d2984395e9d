/* tally.c: a table of samples that a mode's events become, each by itself or summed. */
#include "recorders/modes/tally.h"

#include "base/clock.h"

#include <stdlib.h>

/* Long sums make few rows, but all rows that may still change are written again with each update of
 * the growing file. */
#define SETTLE_TIME ((uint64_t)10000000000) /* ns... */
#define SUMS_MAX    16384u		    /* ... or at this number */

struct tally_sum {
	struct sample sample; /* of its thread, its stack and its labels */
	size_t row;	      /* of the table */
};

static void set_streams(struct tally *t, const struct session *s, struct profile *p)
{
	for (uint32_t i = 0; i < t->streams; i++)
		p->streams.items[t->stream + i].row.wall_offset = s->wall_offset;
	if (!t->counts)
		p->streams.items[t->stream + t->streams - 1].row.period = 1;
}

void tally_open(struct tally *t, struct session *s, struct bpf_source *source,
	const struct tally_kinds *kinds)
{
	struct profile *p = &s->profile;

	*t = (struct tally){.source = source,
		.samples = profile_add_samples(p),
		.stream = (uint32_t)p->streams.len,
		.valued = kinds->kind.len > 0,
		.sums = s->options->untimed,
		.counts = s->options->untimed || kinds->uneven,
		.beside = kinds->beside,
		.settles = monotonic_ns() + SETTLE_TIME};
	if (t->valued)
		profile_add_stream(p, t->samples, kinds->kind, kinds->unit, kinds->event);
	profile_add_stream(p, t->samples, kinds->count, BYTES("count"), kinds->event);
	t->streams = (uint32_t)p->streams.len - t->stream;
	vector_push(&t->rows, ((struct tally_sum){0}));
	set_streams(t, s, p);
}

void tally_release(struct tally *t)
{
	vector_release(&t->rows);
	id_map_release(&t->by_stack);
}

static void put(struct tally *t, const struct sample *sample, int64_t value, int64_t count)
{
	struct profile *p = t->source->sampler.profile;

	profile_add_sample(p, t->samples, sample);
	if (t->valued)
		vector_push(&p->streams.items[t->stream].value, value);
	if (t->counts)
		vector_push(&p->streams.items[t->stream + t->streams - 1].value, count);
}

/* The sum of samples with the same stack, thread and labels; NULL: there is none yet, and *ret_at
 * is where to enter it. */
static struct tally_sum *sum_of(
	struct tally *t, const struct sample *sample, uint64_t hash, size_t *ret_at)
{
	*ret_at = id_map_first(&t->by_stack, hash);
	for (uint32_t row; (row = id_map_candidate(&t->by_stack, hash, ret_at));) {
		const struct sample *known = &t->rows.items[row].sample;

		if (known->stack == sample->stack && known->thread == sample->thread &&
			known->labels == sample->labels)
			return &t->rows.items[row];
	}
	return NULL;
}

static void add_up(struct tally *t, const struct sample *sample, int64_t value, int64_t count)
{
	struct profile *p = t->source->sampler.profile;
	struct samples *table = &p->samples.items[t->samples];
	uint64_t hash = hash_pair(hash_pair(sample->stack, sample->thread), sample->labels);
	size_t at;
	const struct tally_sum *sum = sum_of(t, sample, hash, &at);

	if (sum) {
		if (t->valued)
			p->streams.items[t->stream].value.items[sum->row] += value;
		p->streams.items[t->stream + t->streams - 1].value.items[sum->row] += count;
		return;
	}
	id_map_insert_at(&t->by_stack, hash, at, (uint32_t)t->rows.len);
	vector_push(&t->rows, ((struct tally_sum){*sample, table->count}));
	put(t, sample, value, count);
	table->changing = t->rows.len - 1;
}

void tally_add(struct tally *t, const struct sample *sample, int64_t value, unsigned count)
{
	struct sample own = *sample;

	t->delivered += count;
	bpf_source_label(t->source, &own);
	if (!t->sums) {
		put(t, &own, value, count);
		return;
	}
	own.has &= SAMPLE_THREAD | SAMPLE_LABELS;
	add_up(t, &own, value, count);
}

void tally_settle(struct tally *t)
{
	uint64_t now = monotonic_ns();

	if (now < t->settles && t->rows.len < SUMS_MAX)
		return;
	t->source->sampler.profile->samples.items[t->samples].changing = 0;
	t->rows.len = 1;
	id_map_release(&t->by_stack);
	t->settles = now + SETTLE_TIME;
}
