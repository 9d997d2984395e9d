/* counts.c: expected and lost samples of a perf event. */
#include "recorders/perf/counts.h"

static uint64_t subtract(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* How many samples the event's own count makes; 0: unknown. */
static uint64_t own_count(
	enum event_counting counting, uint64_t period, const struct event_totals *totals)
{
	if (counting == COUNT_CLOCK && period)
		return subtract(totals->periods, totals->stolen / period);
	return counting == COUNT_EACH ? totals->value : 0;
}

/* Missing samples. If only some periods of a clock bring a sample, scale the missing periods
 * down. */
static uint64_t missing_samples(uint64_t count, uint64_t delivered, uint64_t passed_over)
{
	uint64_t missing = subtract(count, delivered + passed_over);

	return passed_over ? missing * delivered / (delivered + passed_over) : missing;
}

/* A throttled thread may not run until the next tick: report no more throttled periods than missing
 * ones. */
static void fit_throttled(struct event_counts *work, struct event_counts *idle, uint64_t missing)
{
	if (work->throttled > missing)
		work->throttled = missing;
	if (idle->throttled > missing - work->throttled)
		idle->throttled = missing - work->throttled;
}

void counts_finish(struct event_counts *work, struct event_counts *idle,
	enum event_counting counting, uint64_t period, const struct event_totals *totals)
{
	uint64_t count = own_count(counting, period, totals), missing, idle_missing;

	work->counting = idle->counting = counting;
	work->ring_full = totals->lost_known ? totals->lost : work->lost_records;
	work->map_full = totals->map_full;
	if (counting == COUNT_UNKNOWN)
		return;
	missing = missing_samples(count,
		work->delivered + idle->delivered + work->ring_full + work->map_full,
		totals->passed_over);
	if (counting == COUNT_CLOCK && period)
		fit_throttled(work, idle, missing);
	missing = subtract(missing, work->throttled + idle->throttled);
	idle_missing = counting == COUNT_CLOCK && period
			       ? subtract(totals->idle / period, idle->delivered + idle->throttled)
			       : 0;
	idle->missed = idle_missing < missing ? idle_missing : missing;
	work->missed = missing - idle->missed;
	/* More samples than periods are possible: how stolen time is spread over periods is a
	 * matter of chance. */
	idle->expected = idle->delivered + counts_lost(idle);
	work->expected = work->delivered + counts_lost(work);
}

uint64_t counts_lost(const struct event_counts *c)
{
	return c->ring_full + c->map_full + c->throttled + c->missed;
}

void counts_store(const struct event_counts *c, struct profile *profile, uint32_t stream)
{
	struct stream_row *row = &profile->streams.items[stream].row;

	row->expected = c->expected;
	row->delivered = c->delivered;
	if (c->ring_full)
		profile_add_loss(profile, stream, BYTES("ring full"), c->ring_full);
	if (c->map_full)
		profile_add_loss(profile, stream, BYTES("map full"), c->map_full);
	if (c->throttled)
		profile_add_loss(profile, stream, BYTES("throttled"), c->throttled);
	if (c->missed)
		profile_add_loss(profile, stream,
			c->counting == COUNT_CLOCK ? BYTES("missed timer") : BYTES("not sampled"),
			c->missed);
}
