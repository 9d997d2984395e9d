/* sampler.c: from perf records to the profile: processes, stacks, samples. */
#include <stdlib.h>

#include "recorders/sampler.h"
#include "recorders/target.h"

#define SAMPLE_COLUMNS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU)

struct sampler_id {
	uint64_t id;
	uint32_t event;
};

void sampler_init(struct sampler *s, struct profile *profile, struct processes *processes,
	const struct kernel *kernel, uint64_t regs_mask, unsigned parts)
{
	*s = (struct sampler){.profile = profile, .processes = processes, .parts = parts};
	stacks_init(&s->stacks, profile, processes, kernel, regs_mask);
	vector_push(&s->ids, ((struct sampler_id){0}));
}

void sampler_release(struct sampler *s)
{
	stacks_release(&s->stacks);
	for (size_t i = 0; i < s->events.len; i++)
		vector_release(&s->events.items[i].throttled_since);
	vector_release(&s->events);
	vector_release(&s->ids);
	id_map_release(&s->by_id);
}

/* The event's own unit first, then the count of samples, over one table. */
static uint32_t add_streams(struct sampler *s, const struct sampled_event *e, uint32_t samples,
	const char *kind, const char *count_kind)
{
	struct profile *p = s->profile;
	uint32_t stream = profile_add_stream(
		p, samples, bytes_of(kind), bytes_of(e->unit), bytes_of(e->name));
	uint32_t count = profile_add_stream(
		p, samples, bytes_of(count_kind), BYTES("count"), bytes_of(e->name));

	p->streams.items[stream].row.each = (int64_t)e->period;
	p->streams.items[stream].row.period = e->period;
	p->streams.items[count].row.period = 1;
	return stream;
}

size_t sampler_add_event(struct sampler *s, const char *name, bool clock, uint64_t period)
{
	struct sampled_event e = {.name = name,
		.clock = clock,
		.period = period,
		.unit = clock ? "ns" : "count",
		.kind = clock ? "cpu" : name,
		.idle_stream = UINT32_MAX};

	e.samples = profile_add_samples(s->profile);
	e.stream = add_streams(s, &e, e.samples, e.kind, "samples");
	vector_push(&s->events, e);
	return s->events.len - 1;
}

void sampler_add_id(struct sampler *s, uint64_t id, size_t event)
{
	uint64_t hash = hash_pair(id, 0);
	size_t at = id_map_first(&s->by_id, hash);

	while (id_map_candidate(&s->by_id, hash, &at))
		;
	id_map_put(&s->by_id, hash, at, (uint32_t)s->ids.len);
	vector_push(&s->ids, ((struct sampler_id){id, (uint32_t)event}));
}

/* NULL: an event that is not sampled (it only tracks processes). */
static struct sampled_event *event_of(struct sampler *s, uint64_t id)
{
	uint64_t hash = hash_pair(id, 0);
	size_t at = id_map_first(&s->by_id, hash);

	for (uint32_t row; (row = id_map_candidate(&s->by_id, hash, &at));)
		if (s->ids.items[row].id == id)
			return &s->events.items[s->ids.items[row].event];
	return NULL;
}

static void add_idle(struct sampler *s, struct sampled_event *e, const struct sample *sample)
{
	if (e->idle_stream == UINT32_MAX) {
		e->idle_samples = profile_add_samples(s->profile);
		e->idle_stream = add_streams(s, e, e->idle_samples, "idle", "idle samples");
	}
	s->idle++;
	profile_add_sample(s->profile, e->idle_samples, sample);
}

static void weigh(struct sampler *s, uint32_t stream, uint64_t value)
{
	vector_push(&s->profile->streams.items[stream].value, (int64_t)value);
}

static void add_sample(struct sampler *s, const struct perf_record *r)
{
	struct sampled_event *e = event_of(s, r->identity.id);
	struct sample sample = {.has = SAMPLE_COLUMNS,
		.time = r->identity.time,
		.cpu = r->identity.cpu < NO_CPU ? (uint16_t)r->identity.cpu : NO_CPU};
	struct stack_of_sample stack;
	bool idle;

	if (!e) {
		s->malformed++;
		return;
	}
	stack = stacks_add(&s->stacks, r, s->parts);
	sample.stack = stack.stack;
	sample.thread =
		processes_thread(s->processes, (int32_t)r->identity.pid, (int32_t)r->identity.tid);
	if (!s->delivered)
		s->first_time = sample.time;
	s->last_time = sample.time;
	s->delivered++;
	e->counts.delivered++;
	s->user_stacks += stack.has_user;
	s->complete += stack.has_user && stack.user_end == UNWIND_COMPLETE;
	idle = stacks_idle(&s->stacks, r);
	if (idle)
		add_idle(s, e, &sample);
	else
		profile_add_sample(s->profile, e->samples, &sample);
	if (!e->period)
		weigh(s, idle ? e->idle_stream : e->stream, r->sample.period);
}

static void add_lost(struct sampler *s, const struct perf_record *r)
{
	struct sampled_event *e = event_of(s, r->lost.id);

	if (e)
		e->counts.lost_records += r->lost.count;
	else
		s->lost_records += r->lost.count;
}

/* The kernel stops an event on a CPU that is interrupted too often, until the next tick. */
static void add_throttle(struct sampler *s, const struct perf_record *r)
{
	struct sampled_event *e = event_of(s, r->throttle.id);
	uint32_t cpu = r->identity.cpu;
	uint64_t *since;

	if (!e || cpu >= CPUS_LIMIT)
		return;
	while (e->throttled_since.len <= cpu)
		vector_push(&e->throttled_since, 0);
	since = &e->throttled_since.items[cpu];
	if (r->type == PERF_RECORD_THROTTLE) {
		*since = r->identity.time;
		return;
	}
	if (*since && r->identity.time > *since)
		e->counts.throttled +=
			e->clock && e->period ? (r->identity.time - *since) / e->period : 1;
	*since = 0;
}

void sampler_record(struct sampler *s, struct bytes bytes, const struct perf_layout *layout)
{
	struct error ignored = {0};
	struct perf_record r;

	if (!perf_record_decode(bytes, layout, &r, &ignored)) {
		s->malformed++;
		return;
	}
	switch (r.type) {
	case PERF_RECORD_SAMPLE:
		add_sample(s, &r);
		break;
	case PERF_RECORD_LOST:
		add_lost(s, &r);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		add_throttle(s, &r);
		break;
	default:
		processes_apply(s->processes, &r);
	}
}
