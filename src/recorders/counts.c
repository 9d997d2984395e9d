/* counts.c: how many samples of an event should have come, and where are the others? */
#include "recorders/counts.h"

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void counts_finish(struct event_counts *c, enum event_counting counting, uint64_t period,
	const struct event_totals *totals)
{
	c->counting = counting;
	c->ring_full = totals->lost_known ? totals->lost : c->lost_records;
	c->expected = 0;
	c->missed = 0;
	if (counting == COUNT_CLOCK)
		/* The count stands still while the event is throttled, the running time does not.
		 */
		c->expected = (totals->running > totals->value ? totals->running : totals->value) /
			      period;
	else if (counting == COUNT_EACH)
		c->expected = totals->value;
	else
		return;
	c->missed = less(c->expected, c->delivered + c->ring_full + c->throttled);
	/* Each descriptor rounds its last period down, so a clock can be ahead of its count. */
	if (c->expected < c->delivered + counts_lost(c))
		c->expected = c->delivered + counts_lost(c);
}

uint64_t counts_lost(const struct event_counts *c)
{
	return c->ring_full + c->throttled + c->missed;
}

void counts_store(const struct event_counts *c, struct profile *profile, uint32_t stream)
{
	struct stream_row *row = &profile->streams.items[stream].row;

	row->expected = c->expected;
	row->delivered = c->delivered;
	if (c->ring_full)
		profile_add_loss(profile, stream, BYTES("ring full"), c->ring_full);
	if (c->throttled)
		profile_add_loss(profile, stream, BYTES("throttled"), c->throttled);
	if (c->missed)
		profile_add_loss(profile, stream,
			c->counting == COUNT_CLOCK ? BYTES("missed timer") : BYTES("not sampled"),
			c->missed);
}
