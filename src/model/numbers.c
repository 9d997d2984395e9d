/* numbers.c: are the numbers of a profile small enough to calculate with? */
#include "model/numbers.h"

#include "model/row_scan.h"

static bool stream_fits(const struct stream_row *row, size_t i, struct error *err)
{
	int64_t offset = row->wall_offset;
	const char *wrong = NULL;

	if (row->side > 2)
		wrong = "side";
	else if (row->expected > PROFILE_COUNT_LIMIT)
		wrong = "expected";
	else if (row->delivered > PROFILE_COUNT_LIMIT)
		wrong = "delivered";
	else if (row->period > INT64_MAX)
		wrong = "period";
	else if (offset != INT64_MIN &&
		 (offset > (int64_t)PROFILE_TIME_LIMIT || offset < -(int64_t)PROFILE_TIME_LIMIT))
		wrong = "wall_offset";
	return !wrong ||
	       error_set(err, ERR_FORMAT, "streams: row %zu: %s is out of range", i, wrong);
}

static bool losses_fit(const struct profile *p, struct error *err)
{
	for (size_t i = 0; i < p->losses.len; i++)
		if (p->losses.items[i].count > PROFILE_COUNT_LIMIT)
			return error_set(
				err, ERR_FORMAT, "losses: row %zu: count is out of range", i);
	return true;
}

static bool times_fit(
	const uint64_t *times, size_t count, size_t cap, const char *what, struct error *err)
{
	size_t at = cap ? row_scan_times(times, count, PROFILE_TIME_LIMIT) : count;

	return at == count ||
	       error_set(err, ERR_FORMAT, "sample %zu: its %s, %llu ns, is above 2^62 ns", at + 1,
		       what, (unsigned long long)times[at]);
}

bool profile_check_numbers(const struct profile *p, struct error *err)
{
	for (size_t i = 0; i < p->streams.len; i++)
		if (!stream_fits(&p->streams.items[i].row, i, err))
			return false;
	for (size_t i = 0; i < p->samples.len; i++) {
		const struct samples *s = &p->samples.items[i];

		if (!times_fit(s->time.items, s->time.len, s->time.cap, "time", err) ||
			!times_fit(s->duration.items, s->duration.len, s->duration.cap, "duration",
				err))
			return false;
	}
	return losses_fit(p, err);
}
