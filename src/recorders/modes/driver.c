/* driver.c: what all modes with BPF programs have in common: the course of a recording. */
#include "recorders/modes/driver.h"

static void settle(struct driver *d)
{
	for (size_t i = 0; i < d->tallies.len; i++)
		tally_settle(&d->tallies.items[i]);
}

static uint64_t delivered_by(const struct driver *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->tallies.len; i++)
		if (!d->tallies.items[i].beside)
			sum += d->tallies.items[i].delivered;
	return sum;
}

bool driver_open(struct session *s, struct error *err)
{
	const struct mode_events *events = s->recorder->events;
	struct driver *d;

	if (events->instead && events->instead(s->options))
		events = events->instead(s->options);
	d = memory_new(1, events->state_size);
	d->events = events;
	d->session = s;
	s->recorder_state = d;
	bpf_source_init(&d->source, &events->records, d);
	d->source.scratch_areas = events->scratch_areas;
	if (!bpf_source_possible(s, err) || !events->open(d, err) ||
		!bpf_source_open(&d->source, s, err))
		return false;
	events->describe(d);
	return true;
}

bool driver_enable(struct session *s, struct error *err)
{
	struct driver *d = s->recorder_state;

	return bpf_source_enable(&d->source, s, d->events->attaching, err) &&
	       (!d->events->attach || d->events->attach(d, err));
}

capabilities driver_keeps(const struct session *s)
{
	const struct driver *d = s->recorder_state;

	return d->events->keeps ? d->events->keeps(d) : bpf_source_keeps(s);
}

bool driver_drain(struct session *s, bool last, struct error *err)
{
	struct driver *d = s->recorder_state;
	bool done;

	bpf_source_drain(&d->source, last);
	if (last) {
		if (d->events->take_rest)
			d->events->take_rest(d);
		bpf_source_take_left(&d->source);
		bpf_source_track(&d->source, UINT64_MAX);
	}
	done = !d->events->drained || d->events->drained(d, last, err);
	settle(d);
	s->counts.delivered = delivered_by(d);
	s->counts.stacks = sampler_stacks(&d->source.sampler);
	return done;
}

void driver_stop(struct session *s)
{
	struct driver *d = s->recorder_state;

	if (d->events->ending)
		d->events->ending(d);
	bpf_source_disable(&d->source);
	if (d->events->deferred)
		bpf_source_collect(&d->source, d->events->deferred(d));
	if (d->events->ended)
		d->events->ended(d);
}

void driver_account_all(struct session *s)
{
	struct driver *d = s->recorder_state;

	d->lost = 0;
	d->events->account(d);
	s->counts.delivered = delivered_by(d);
	s->counts.lost = d->lost;
}

void driver_close(struct session *s)
{
	struct driver *d = s->recorder_state;

	if (!d)
		return;
	d->events->release(d);
	for (size_t i = 0; i < d->tallies.len; i++)
		tally_release(&d->tallies.items[i]);
	vector_release(&d->tallies);
	bpf_source_release(&d->source);
	memory_free(d);
	s->recorder_state = NULL;
}

/* ---- For modes ---- */

size_t driver_add_tally(struct driver *d, const struct tally_kinds *kinds)
{
	struct tally tally;

	tally_open(&tally, d->session, &d->source, kinds);
	vector_push(&d->tallies, tally);
	return d->tallies.len - 1;
}

location_id driver_place(struct driver *d, struct bytes name, enum frame_kind kind)
{
	struct profile *p = &d->session->profile;

	return profile_location_named(p, profile_frame_named(p, name, kind));
}

void driver_locate(
	struct driver *d, uint32_t pid, uint32_t tid, uint32_t chunk, struct sample *sample)
{
	sample->thread = processes_thread(d->source.sampler.processes, (int32_t)pid, (int32_t)tid);
	sample->stack = bpf_source_stack(&d->source, sample->thread, chunk);
}

void driver_add(
	struct driver *d, size_t tally, const struct sample *sample, int64_t value, unsigned count)
{
	tally_add(&d->tallies.items[tally], sample, value, count);
}

size_t driver_hit_size(uint8_t type)
{
	return type == EVENT_HIT ? sizeof(struct event_hit) : 0;
}

uint64_t driver_hit_time(const void *event)
{
	return ((const struct event_hit *)event)->time;
}

uint64_t driver_missed(const struct driver *d, const char *const *programs)
{
	uint64_t sum = 0;

	for (; *programs; programs++)
		sum += bpf_source_missed(&d->source, *programs);
	return sum;
}

void driver_account(
	struct driver *d, size_t tally, uint64_t expected, const struct bpf_loss *losses)
{
	const struct tally *t = &d->tallies.items[tally];
	struct session *s = d->session;

	s->counts.delivered = t->delivered;
	bpf_source_account(s, t->stream, t->streams, expected, losses);
	if (!t->beside)
		d->lost += s->counts.lost;
}
