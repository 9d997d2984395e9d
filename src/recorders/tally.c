/* tally.c: from what a mode's programs tell to samples, each by itself or summed. */
#include "recorders/tally.h"

#include <stdlib.h>

/* What is written is kept for good: the longer sums are gathered, the less that is. */
#define SETTLE_TIME ((uint64_t)10000000000) /* ns... */
#define SUMS_MOST   65536u		    /* ... or when there are so many */

struct tally_sum {
	struct sample sample; /* of its thread, its stack and its labels */
	int64_t value;
	int64_t count;
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

/* The sum of those that are alike in all that is kept of them. */
static struct tally_sum *sum_of(struct tally *t, const struct sample *sample)
{
	uint64_t hash = hash_pair(hash_pair(sample->stack, sample->thread), sample->labels);
	size_t at = id_map_first(&t->by_stack, hash);

	for (uint32_t row; (row = id_map_candidate(&t->by_stack, hash, &at));) {
		const struct sample *known = &t->rows.items[row].sample;

		if (known->stack == sample->stack && known->thread == sample->thread &&
			known->labels == sample->labels)
			return &t->rows.items[row];
	}
	id_map_put(&t->by_stack, hash, at, (uint32_t)t->rows.len);
	vector_push(&t->rows, ((struct tally_sum){.sample = *sample}));
	return &t->rows.items[t->rows.len - 1];
}

void tally_add(struct tally *t, const struct sample *sample, int64_t value, unsigned count)
{
	struct sample own = *sample;
	struct tally_sum *sum;

	bpf_source_label(t->source, &own);
	if (!t->sums) {
		put(t, &own, value, count);
		return;
	}
	own.has &= SAMPLE_THREAD | SAMPLE_LABELS;
	sum = sum_of(t, &own);
	sum->value += value;
	sum->count += count;
}

void tally_settle(struct tally *t, bool last)
{
	uint64_t now = monotonic_ns();

	if (!last && now < t->settles && t->rows.len < SUMS_MOST)
		return;
	for (size_t i = 1; i < t->rows.len; i++) {
		const struct tally_sum *sum = &t->rows.items[i];

		put(t, &sum->sample, sum->value, sum->count);
	}
	t->rows.len = 1;
	id_map_release(&t->by_stack);
	t->settles = now + SETTLE_TIME;
}
