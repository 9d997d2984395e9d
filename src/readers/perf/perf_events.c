/* perf_events.c: where do the samples of each event go? */
#include "readers/perf/perf_events.h"

#include <stdlib.h>

void perf_events_release(struct perf_events *e)
{
	for (size_t i = 0; i < e->kinds.len; i++)
		vector_release(&e->kinds.items[i].losses);
	vector_release(&e->kinds);
	vector_release(&e->cells);
	vector_release(&e->cell_of_stack);
}

/* "cycles" of "cycles:u"; all of "sched:sched_switch", whose last part is no list of modifiers. */
static struct bytes without_modifiers(struct bytes event)
{
	const char *colon = bytes_find_last(event, ':');
	size_t at = colon ? (size_t)(colon - event.at) : event.len;

	for (size_t i = at + 1; i < event.len; i++)
		if (!strchr("ukhGHpPSDIWeb", event.at[i]))
			return event;
	return (struct bytes){event.at, at};
}

void perf_event_unit(struct bytes event, struct bytes *ret_kind, struct bytes *ret_unit)
{
	struct bytes plain = without_modifiers(event);

	if (bytes_equal(plain, BYTES("cpu-clock")) || bytes_equal(plain, BYTES("task-clock"))) {
		*ret_kind = BYTES("cpu");
		*ret_unit = BYTES("ns");
	} else if (bytes_equal(plain, BYTES("offcpu-time"))) { /* `perf record --off-cpu` */
		*ret_kind = BYTES("off-cpu");
		*ret_unit = BYTES("ns");
	} else {
		*ret_kind = event;
		*ret_unit = plain.len && memchr(plain.at, ':', plain.len) ? BYTES("count") : plain;
	}
}

static void target_open(struct perf_events *e, struct perf_target *t, struct bytes event,
	bool has_period, bool idle)
{
	struct bytes kind = BYTES("samples"), unit = BYTES("count");

	t->used = true;
	t->samples = profile_add_samples(e->profile);
	if (has_period) {
		perf_event_unit(event, &kind, &unit);
		t->weight = profile_add_stream(
			e->profile, t->samples, idle ? BYTES("idle") : kind, unit, event);
	}
	t->count = profile_add_stream(e->profile, t->samples,
		!idle	     ? BYTES("samples")
		: has_period ? BYTES("idle samples")
			     : BYTES("idle"),
		BYTES("count"), event);
	if (!has_period)
		t->weight = t->count;
}

/* The kind of an event, found or made; NULL: there are too many. */
static struct perf_event_kind *find_kind(
	struct perf_events *e, struct bytes event, unsigned has, bool has_period)
{
	struct perf_event_kind kind = {.has = has, .has_period = has_period};

	if (e->last < e->kinds.len &&
		bytes_equal(profile_text(e->profile, e->kinds.items[e->last].event), event))
		return &e->kinds.items[e->last];
	kind.event = profile_string(e->profile, event);
	for (e->last = 0; e->last < e->kinds.len; e->last++)
		if (e->kinds.items[e->last].event == kind.event)
			return &e->kinds.items[e->last];
	if (e->kinds.len == PERF_EVENTS_LIMIT)
		return NULL;
	target_open(e, &kind.busy, event, kind.has_period, false);
	vector_push(&e->kinds, kind);
	return &e->kinds.items[e->last];
}

static void add_row(struct perf_events *e, const struct perf_event_kind *kind,
	const struct perf_target *t, const struct perf_event_sample *sample, int64_t weight)
{
	struct sample row = {.has = kind->has,
		.stack = sample->stack,
		.time = sample->time,
		.thread = sample->thread,
		.labels = sample->labels,
		.cpu = sample->cpu};
	struct stream *streams = e->profile->streams.items;

	e->last_samples = t->samples;
	e->last_row = (uint32_t)profile_add_sample(e->profile, t->samples, &row);
	if (t->weight != t->count)
		vector_push(&streams[t->weight].value, weight);
	if (!kind->has || t->weight == t->count)
		vector_push(&streams[t->count].value, t->weight == t->count ? weight : 1);
}

/* The place where the number of the stack's first cell is kept. */
static uint32_t *first_cell(struct perf_events *e, stack_id stack)
{
	if (stack >= e->cell_of_stack.len) {
		size_t more = e->profile->stack_caller.len - e->cell_of_stack.len;

		vector_reserve(&e->cell_of_stack, more);
		memset(e->cell_of_stack.items + e->cell_of_stack.len, 0, more * sizeof(uint32_t));
		e->cell_of_stack.len += more;
	}
	if (!e->cells.len)
		vector_push(&e->cells, (struct perf_cell){0});
	return &e->cell_of_stack.items[stack];
}

/* A table with one row a stack. What comes for it later is added up in the cell, which has been
 * looked at anyway, and not in two columns. */
static void add_to_stack(struct perf_events *e, const struct perf_event_kind *kind,
	const struct perf_target *t, const struct perf_event_sample *sample, int64_t weight)
{
	uint32_t *first = first_cell(e, sample->stack), at = *first;

	while (at && e->cells.items[at].samples != t->samples)
		at = e->cells.items[at].next;
	if (at) {
		e->cells.items[at].weight += weight;
		e->cells.items[at].count++;
	} else {
		uint32_t row = (uint32_t)e->profile->samples.items[t->samples].count;

		add_row(e, kind, t, sample, weight);
		vector_push(&e->cells, ((struct perf_cell){0, 0, t->samples, row, *first}));
		*first = (uint32_t)e->cells.len - 1;
	}
}

bool perf_events_add(
	struct perf_events *e, const struct perf_event_sample *sample, struct error *err)
{
	struct perf_event_kind *kind = find_kind(e, sample->event, sample->has, sample->period > 0);
	struct perf_target *t;
	int64_t weight = sample->period ? (int64_t)sample->period : 1;

	if (!kind)
		return error_set(
			err, ERR_LIMIT, "more than %u different events", PERF_EVENTS_LIMIT);
	t = sample->idle ? &kind->idle : &kind->busy;
	if (!t->used)
		target_open(e, t, sample->event, kind->has_period, sample->idle);
	if (weight < 0 || __builtin_add_overflow(t->total, weight, &t->total))
		return error_set(err, ERR_LIMIT, "the periods of all samples exceed 2^63");
	t->delivered++;
	if (kind->has)
		add_row(e, kind, t, sample, weight);
	else
		add_to_stack(e, kind, t, sample, weight);
	return true;
}

bool perf_events_has_rows(struct perf_events *e, const struct perf_event_sample *sample)
{
	const struct perf_event_kind *kind =
		find_kind(e, sample->event, sample->has, sample->period > 0);

	return kind && kind->has;
}

void perf_events_open(struct perf_events *e, struct bytes event, unsigned has, bool has_period)
{
	find_kind(e, event, has, has_period);
}

void perf_events_lost(struct perf_events *e, struct bytes event, const char *reason, uint64_t count)
{
	struct perf_event_kind *kind = find_kind(e, event, 0, true);

	if (!kind || !count)
		return;
	for (size_t i = 0; i < kind->losses.len; i++)
		if (!strcmp(kind->losses.items[i].reason, reason)) {
			kind->losses.items[i].count += count;
			return;
		}
	vector_push(&kind->losses, ((struct perf_event_loss){reason, count}));
}

/* What the cells added up, into the rows. */
static void store_cells(struct perf_events *e)
{
	struct stream *streams = e->profile->streams.items;
	const struct perf_target **target_of =
		memory_new(e->profile->samples.len, sizeof(*target_of));

	for (size_t i = 0; i < e->kinds.len; i++) {
		target_of[e->kinds.items[i].busy.samples] = &e->kinds.items[i].busy;
		if (e->kinds.items[i].idle.used)
			target_of[e->kinds.items[i].idle.samples] = &e->kinds.items[i].idle;
	}
	for (size_t i = 1; i < e->cells.len; i++) {
		const struct perf_cell *cell = &e->cells.items[i];
		const struct perf_target *t = target_of[cell->samples];

		streams[t->weight].value.items[cell->row] += cell->weight;
		if (t->count != t->weight)
			streams[t->count].value.items[cell->row] += cell->count;
	}
	e->cells.len = 0;
	memory_free(target_of);
}

static void store_losses(struct perf_events *e, const struct perf_event_kind *kind)
{
	const struct perf_target *t = &kind->busy;

	for (size_t i = 0; i < kind->losses.len; i++) {
		struct bytes reason = bytes_of(kind->losses.items[i].reason);
		uint64_t count = kind->losses.items[i].count;

		profile_add_loss(e->profile, t->weight, reason, count);
		if (t->count != t->weight)
			profile_add_loss(e->profile, t->count, reason, count);
	}
}

void perf_events_finish(struct perf_events *e)
{
	store_cells(e);
	for (size_t i = 0; i < e->kinds.len; i++) {
		const struct perf_event_kind *kind = &e->kinds.items[i];
		struct stream *streams = e->profile->streams.items;
		uint64_t all = kind->busy.delivered + kind->idle.delivered;

		store_losses(e, kind);
		streams[kind->busy.weight].row.delivered = all;
		streams[kind->busy.count].row.delivered = all;
		if (kind->idle.used) {
			streams[kind->idle.weight].row.delivered = kind->idle.delivered;
			streams[kind->idle.count].row.delivered = kind->idle.delivered;
		}
	}
}
