/* sampled_time.c: how much time do samples stand for that are only counted? */
#include "readers/pprof/sampled_time.h"

/* The period in ns; 0: it is no time, or none that fits. */
static int64_t period_ns(const struct sampled_time *time)
{
	static const struct {
		struct bytes unit;
		int64_t ns;
	} units[] = {{{"ns", 2}, 1}, {{"nanoseconds", 11}, 1}, {{"us", 2}, 1000},
		{{"microseconds", 12}, 1000}, {{"ms", 2}, 1000000}, {{"milliseconds", 12}, 1000000},
		{{"s", 1}, 1000000000}, {{"seconds", 7}, 1000000000}};
	int64_t ns;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (bytes_equal(time->unit, units[i].unit))
			return time->period <= INT64_MAX &&
					       !__builtin_mul_overflow(
						       (int64_t)time->period, units[i].ns, &ns)
				       ? ns
				       : 0;
	return 0;
}

static bool is_count(struct profile *p, const struct stream_row *row)
{
	struct bytes unit = profile_text(p, row->unit);

	return bytes_equal(unit, BYTES("count")) || bytes_equal(unit, BYTES("1"));
}

static bool all_fit(const struct stream *counted, int64_t period)
{
	int64_t sum = 0, time;

	for (size_t i = 0; i < counted->value.len; i++)
		if (__builtin_mul_overflow(counted->value.items[i], period, &time) ||
			__builtin_add_overflow(sum, time, &sum))
			return false;
	return true;
}

bool sampled_time_add(struct profile *p, uint32_t stream, const struct sampled_time *time)
{
	int64_t period = period_ns(time);
	struct stream counted;
	struct stream *added;
	uint32_t at;

	if (!period || !is_count(p, &p->streams.items[stream].row) ||
		!all_fit(&p->streams.items[stream], period))
		return false;
	at = profile_add_stream(p, p->streams.items[stream].row.samples,
		time->kind.len ? time->kind : BYTES("time"), BYTES("ns"), (struct bytes){0});
	counted = p->streams.items[stream];
	added = &p->streams.items[at];
	for (size_t i = 0; i < counted.value.len; i++)
		vector_push(&added->value, counted.value.items[i] * period);
	added->row.event = counted.row.event;
	added->row.wall_offset = counted.row.wall_offset;
	added->row.delivered = counted.row.delivered;
	added->row.period = (uint64_t)period;
	p->streams.items[stream] = *added;
	p->streams.items[at] = counted;
	return true;
}
