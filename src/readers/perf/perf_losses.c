/* perf_losses.c: which samples of a perf recording did not come, and why? */
#include "readers/perf/perf_losses.h"

#include <stdlib.h>

#define CPUS_LIMIT 65536u
#define SECOND	   1000000000u /* ns */

/* Why a ring that is full lost samples is told twice from Linux 6.0 on: by LOST records while it
 * happened, which may count other records too and those of other events, and at the end by
 * LOST_SAMPLES records that perf makes of the events' own counts (PERF_FORMAT_LOST). Then these
 * count. */
static const char ring_full[] = "ring full", ring_full_counted[] = "ring full";

struct perf_loss {
	const struct perf_file_event *event;
	const char *reason;
	uint64_t count;
};

/* An event that the kernel stopped on a CPU until the next tick: it had been interrupted too often.
 */
struct perf_stopped {
	const struct perf_file_event *event;
	uint32_t cpu;
	uint64_t since;
};

void perf_losses_release(struct perf_losses *l)
{
	vector_release(&l->rows);
	vector_release(&l->stopped);
}

static void add(struct perf_losses *l, const struct perf_file_event *event, const char *reason,
	uint64_t count)
{
	for (size_t i = 0; i < l->rows.len; i++) {
		struct perf_loss *row = &l->rows.items[i];

		if (row->event != event || row->reason != reason)
			continue;
		if (__builtin_add_overflow(row->count, count, &row->count))
			row->count = UINT64_MAX;
		return;
	}
	vector_push(&l->rows, ((struct perf_loss){event, reason, count}));
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		       attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Samples that a running event would have given in `ns`: what is known of its rate; else one. */
static uint64_t samples_in(const struct perf_event_attr *attr, uint64_t ns)
{
	double samples = 0;

	if (attr->freq)
		samples = (double)ns * (double)attr->sample_freq / SECOND;
	else if (is_clock(attr) && attr->sample_period)
		samples = (double)ns / (double)attr->sample_period;
	if (samples > (double)PROFILE_COUNT_LIMIT) /* times or rates that are none */
		return PROFILE_COUNT_LIMIT;
	return samples >= 1 ? (uint64_t)samples : 1;
}

static void run_again(
	struct perf_losses *l, const struct perf_file_event *event, uint32_t cpu, uint64_t now)
{
	for (size_t i = 0; i < l->stopped.len; i++) {
		struct perf_stopped *s = &l->stopped.items[i];

		if (s->event != event || s->cpu != cpu)
			continue;
		add(l, event, "throttled",
			now > s->since ? samples_in(&event->attr, now - s->since) : 1);
		*s = l->stopped.items[--l->stopped.len];
		return;
	}
}

void perf_losses_add(
	struct perf_losses *l, const struct perf_file_event *event, const struct perf_record *r)
{
	struct perf_stopped stopped = {event, r->identity.cpu, r->identity.time};

	switch (r->type) {
	case PERF_RECORD_LOST:
		add(l, event, ring_full, r->lost.count);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		add(l, event,
			event->attr.read_format & PERF_FORMAT_LOST ? ring_full_counted
								   : "lost by the kernel",
			r->lost.count);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		run_again(l, event, r->identity.cpu, r->identity.time);
		if (r->type == PERF_RECORD_THROTTLE && l->stopped.len < CPUS_LIMIT)
			vector_push(&l->stopped, stopped);
		break;
	}
}

static bool are_counted(const struct perf_losses *l)
{
	for (size_t i = 0; i < l->rows.len; i++)
		if (l->rows.items[i].reason == ring_full_counted)
			return true;
	return false;
}

void perf_losses_finish(struct perf_losses *l, uint64_t time, struct perf_events *events)
{
	while (l->stopped.len)
		run_again(l, l->stopped.items[0].event, l->stopped.items[0].cpu, time);
	for (size_t i = 0; i < l->rows.len; i++)
		if (l->rows.items[i].reason != ring_full || !are_counted(l))
			perf_events_lost(events, buffer_bytes(&l->rows.items[i].event->name),
				l->rows.items[i].reason, l->rows.items[i].count);
}
