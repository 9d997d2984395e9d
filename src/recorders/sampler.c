/* sampler.c: from perf records to the profile: processes, stacks, samples. */
#include "recorders/sampler.h"

#include "recorders/target.h"

#include <stdlib.h>

#define SAMPLE_COLUMNS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU)

struct sampler_id {
	uint64_t id;
	uint32_t event;
};

void sampler_init(struct sampler *s, struct profile *profile, struct processes *processes,
	const struct kernel *kernel, unsigned parts)
{
	*s = (struct sampler){.profile = profile,
		.processes = processes,
		.parts = parts,
		.wall_offset = INT64_MIN};
	stacks_init(&s->stacks, profile, processes, kernel, arch_native());
	vector_push(&s->ids, ((struct sampler_id){0}));
}

void sampler_release(struct sampler *s)
{
	stacks_release(&s->stacks);
	for (size_t i = 0; i < s->events.len; i++)
		vector_release(&s->events.items[i].throttles);
	for (size_t i = 0; i < s->events.len; i++)
		vector_release(&s->events.items[i].changes);
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

	p->streams.items[stream].row.fixed_value = (int64_t)e->period;
	p->streams.items[stream].row.period = e->period;
	p->streams.items[count].row.period = 1;
	p->streams.items[stream].row.wall_offset = s->wall_offset;
	p->streams.items[count].row.wall_offset = s->wall_offset;
	return stream;
}

struct stack_counts sampler_stacks(const struct sampler *s)
{
	struct stack_counts counts = {.walked = s->walked,
		.complete = s->complete,
		.chains = s->chains,
		.guessed = s->stacks.guessed};

	memcpy(counts.ends, s->stacks.ends, sizeof(counts.ends));
	return counts;
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
	id_map_insert_at(&s->by_id, hash, at, (uint32_t)s->ids.len);
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

static void make_idle_stream(struct sampler *s, struct sampled_event *e)
{
	if (e->idle_stream != UINT32_MAX)
		return;
	e->idle_samples = profile_add_samples(s->profile);
	e->idle_stream = add_streams(s, e, e->idle_samples, "idle", "idle samples");
}

static void add_idle(struct sampler *s, struct sampled_event *e, const struct sample *sample)
{
	make_idle_stream(s, e);
	profile_add_sample(s->profile, e->idle_samples, sample);
}

static void weigh(struct sampler *s, uint32_t stream, uint64_t value)
{
	vector_push(&s->profile->streams.items[stream].value, (int64_t)value);
}

/* ---- Periods that change ---- */

void sampler_weigh(struct sampler *s)
{
	for (size_t i = 0; i < s->events.len; i++) {
		struct sampled_event *e = &s->events.items[i];

		if (!e->period)
			continue;
		e->weighed = true;
		s->profile->streams.items[e->stream].row.period = 0;
	}
}

void sampler_set_period(struct sampler *s, size_t event, uint64_t time, uint64_t period)
{
	struct sampled_event *e = &s->events.items[event];

	if (!e->changes.len)
		vector_push(&e->changes, ((struct period_change){0, e->period}));
	vector_push(&e->changes, ((struct period_change){time, period}));
	e->period = period;
}

static uint64_t period_at(const struct sampled_event *e, uint64_t time)
{
	size_t i = e->changes.len;

	while (i > 1 && time < e->changes.items[i - 1].time)
		i--;
	return i ? e->changes.items[i - 1].period : e->period;
}

/* The mean period of an event whose period has changed. */
static uint64_t usual_period(const struct sampled_event *e, const struct event_totals *totals)
{
	return e->changes.len && totals->periods ? totals->running / totals->periods : e->period;
}

/* ---- Throttling ---- */

/* Is an event stopped on a CPU? */
struct throttle {
	uint64_t since; /* ns; 0: it runs */
	bool idle;	/* the idle task was running */
};

static struct throttle *throttle_on(struct sampled_event *e, uint32_t cpu)
{
	while (e->throttles.len <= cpu)
		vector_push(&e->throttles, ((struct throttle){0}));
	return &e->throttles.items[cpu];
}

static void end_throttle(struct sampled_event *e, struct throttle *t, uint64_t now)
{
	struct event_counts *counts = t->idle ? &e->idle_counts : &e->counts;

	if (t->since && now > t->since)
		counts->throttled += e->clock && e->period ? (now - t->since) / e->period : 1;
	t->since = 0;
}

/* The kernel stops an event on a CPU that is interrupted too often, until the next tick. */
static void add_throttle(struct sampler *s, const struct perf_record *r)
{
	struct sampled_event *e = event_of(s, r->throttle.id);
	struct throttle *t;

	if (!e || r->identity.cpu >= CPUS_LIMIT)
		return;
	t = throttle_on(e, r->identity.cpu);
	end_throttle(e, t, r->identity.time);
	if (r->type != PERF_RECORD_THROTTLE)
		return;
	t->since = r->identity.time;
	t->idle = s->cpu_wide && !r->identity.pid;
}

void sampler_end(struct sampler *s, uint64_t time)
{
	for (size_t i = 0; i < s->events.len; i++) {
		struct sampled_event *e = &s->events.items[i];

		for (size_t cpu = 0; cpu < e->throttles.len; cpu++) {
			struct throttle *t = &e->throttles.items[cpu];

			end_throttle(e, t, time);
		}
	}
	stacks_add_meta(&s->stacks);
}

/* ---- Records ---- */

static void count_samples(struct sampler *s, struct sampled_event *e, bool idle, uint64_t count)
{
	s->delivered += count;
	s->idle += idle ? count : 0;
	(idle ? &e->idle_counts : &e->counts)->delivered += count;
}

static void add_row(struct sampler *s, struct sampled_event *e, const struct sample *sample,
	bool idle, uint64_t count)
{
	if (!s->delivered)
		s->first_time = sample->time;
	s->last_time = sample->time;
	count_samples(s, e, idle, count);
	if (idle)
		add_idle(s, e, sample);
	else
		profile_add_sample(s->profile, e->samples, sample);
}

bool sampler_add(
	struct sampler *s, size_t event, const struct sample *sample, bool idle, uint64_t count)
{
	struct sampled_event *e = event < s->events.len ? &s->events.items[event] : NULL;

	if (!e)
		return false;
	add_row(s, e, sample, idle, count);
	if (s->untimed || e->weighed)
		weigh(s, idle ? e->idle_stream : e->stream, count * period_at(e, sample->time));
	if (!s->untimed)
		return true;
	weigh(s, (idle ? e->idle_stream : e->stream) + 1, count);
	return true;
}

/* NULL: no CPU was idle. */
static struct samples *table_of(const struct sampler *s, size_t event, bool idle)
{
	const struct sampled_event *e = &s->events.items[event];

	if (idle && e->idle_stream == UINT32_MAX)
		return NULL;
	return &s->profile->samples.items[idle ? e->idle_samples : e->samples];
}

size_t sampler_rows(const struct sampler *s, size_t event, bool idle)
{
	const struct samples *table = table_of(s, event, idle);

	return table ? table->count : 0;
}

void sampler_add_to(
	struct sampler *s, size_t event, bool idle, size_t row, uint64_t time, uint64_t more)
{
	struct sampled_event *e = &s->events.items[event];
	struct stream *streams = &s->profile->streams.items[idle ? e->idle_stream : e->stream];

	streams[0].value.items[row] += (int64_t)(more * period_at(e, time));
	streams[1].value.items[row] += (int64_t)more;
	count_samples(s, e, idle, more);
}

void sampler_set_changing(struct sampler *s, size_t event, bool idle, size_t first)
{
	struct samples *table = table_of(s, event, idle);

	if (table)
		table->changing = table->count - first;
}

/* Whose time is it when a process of no recorded group is current? */
static thread_id switching_thread(struct sampler *s)
{
	string_id name;

	if (s->command)
		return processes_thread(s->processes, s->command, s->command);
	name = profile_string(s->profile, BYTES("[switching]"));
	return profile_thread(s->profile, profile_process(s->profile, -1, name), -1, name);
}

void sampler_switching(struct sampler *s, struct sample *sample)
{
	sample->thread = switching_thread(s);
	sample->stack = stacks_switching(
		&s->stacks, s->command ? stacks_root(&s->stacks, sample->thread) : 0);
	if (!s->cgroups)
		return;
	sample->has |= SAMPLE_LABELS;
	sample->labels = cgroup_labels_sample(s->cgroups, s->command ? s->command : -1, 0);
}

static bool is_switching(struct sampler *s, const struct perf_record *r)
{
	int32_t pid = (int32_t)r->identity.pid;

	return s->bounds && !cgroup_bounds_has(s->bounds, r->sample.cgroup, pid,
				    processes_has(s->processes, pid));
}

static void add_stack(struct sampler *s, const struct perf_record *r, struct sample *sample)
{
	struct stack_of_sample stack;

	sample->thread =
		processes_thread(s->processes, (int32_t)r->identity.pid, (int32_t)r->identity.tid);
	stack = stacks_add(&s->stacks, r, sample->thread, s->parts);
	sample->stack = stack.stack;
	s->walked += stack.walked;
	s->chains += stack.has_user && !stack.walked;
	s->complete += stack.walked && stack.user_end == UNWIND_COMPLETE;
	if (!s->cgroups)
		return;
	sample->has |= SAMPLE_LABELS;
	sample->labels =
		cgroup_labels_sample(s->cgroups, (int32_t)r->identity.pid, r->sample.cgroup);
}

static void add_sample(struct sampler *s, const struct perf_record *r)
{
	struct sampled_event *e = event_of(s, r->identity.id);
	struct sample sample = {.has = SAMPLE_COLUMNS,
		.time = r->identity.time,
		.cpu = r->identity.cpu < NO_CPU ? (uint16_t)r->identity.cpu : NO_CPU};
	bool switching, idle;

	if (!e) {
		s->malformed++;
		return;
	}
	switching = is_switching(s, r);
	if (switching)
		sampler_switching(s, &sample);
	else
		add_stack(s, r, &sample);
	idle = !switching && stacks_idle(&s->stacks, r);
	add_row(s, e, &sample, idle, 1);
	if (!e->period || e->weighed)
		weigh(s, idle ? e->idle_stream : e->stream,
			e->period ? period_at(e, sample.time) : r->sample.period);
}

static void add_lost(struct sampler *s, const struct perf_record *r)
{
	struct sampled_event *e = event_of(s, r->lost.id);

	if (e)
		e->counts.lost_records += r->lost.count;
	else
		s->lost_records += r->lost.count;
}

void sampler_account(struct sampler *s, size_t event, enum event_counting counting,
	const struct event_totals *totals)
{
	struct sampled_event *e = &s->events.items[event];

	counts_finish(&e->counts, &e->idle_counts, counting, usual_period(e, totals), totals);
	counts_store(&e->counts, s->profile, e->stream);
	counts_store(&e->counts, s->profile, e->stream + 1);
	if (counts_lost(&e->idle_counts))
		make_idle_stream(s, e);
	if (e->idle_stream == UINT32_MAX)
		return;
	counts_store(&e->idle_counts, s->profile, e->idle_stream);
	counts_store(&e->idle_counts, s->profile, e->idle_stream + 1);
}

void sampler_record(struct sampler *s, struct bytes bytes, const struct perf_layout *layout)
{
	struct error ignored; /* emptying it would take longer than most records */
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
