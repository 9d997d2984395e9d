/* time.c: keeps only a range of time. */
#include "transforms/select.h"
#include "transforms/transforms.h"

#include "model/times.h"

struct range {
	uint64_t from, to; /* ns on the samples' clock; half-open */
};

static bool has_times(const struct samples *s)
{
	return s->time.len != 0;
}

static uint64_t match_time(const struct samples *s, size_t first, size_t count, const void *context)
{
	const struct range *range = context;
	const uint64_t *times = s->time.items + first;
	uint64_t selected = 0;

	for (size_t i = 0; i < count; i++)
		selected |= (uint64_t)(times[i] - range->from < range->to - range->from) << i;
	return selected;
}

/* The time of the first sample, including samples that transforms have left out; 0: unknown. */
static uint64_t start_of(const struct profile *p)
{
	struct times times = profile_times(p);

	return times.first > times.last ? 0 : times.first;
}

/* "2.5", "300ms" from the start; "@1234.5" on the samples' own clock; "" is an open end. */
static bool end_parse(struct bytes text, uint64_t start, uint64_t *ret_time, struct error *err)
{
	bool absolute = text.len && text.at[0] == '@';
	uint64_t ns;

	if (!text.len)
		return true;
	if (absolute)
		text = (struct bytes){text.at + 1, text.len - 1};
	if (!bytes_duration(text, &ns))
		return error_set(err, ERR_USAGE,
			"expected a time such as 2.5, 300ms or @1234.5, got '%.*s'", (int)text.len,
			text.at);
	if (absolute)
		*ret_time = ns;
	else
		*ret_time = ns > UINT64_MAX - start ? UINT64_MAX : start + ns;
	return true;
}

static bool time_apply(struct view *v, const char *argument, struct error *err)
{
	struct range range = {0, UINT64_MAX};
	const struct selection by = {has_times, match_time, &range, "the time of a sample"};
	struct bytes text = bytes_of(argument);
	const char *dots = bytes_find(text, BYTES(".."));
	uint64_t start = start_of(v->profile);

	if (!dots)
		return error_set(err, ERR_USAGE,
			"expected FROM..TO in seconds from the start, or FROM.. or ..TO, got '%s'",
			argument);
	if (!end_parse(
		    (struct bytes){text.at, (size_t)(dots - text.at)}, start, &range.from, err) ||
		!end_parse(bytes_of(dots + 2), start, &range.to, err))
		return false;
	if (range.from >= range.to)
		return error_set(err, ERR_USAGE, "'%s' ends before it starts", argument);
	return select_samples(v, &by, err);
}

const struct transform transform_time = {
	.name = "time",
	.argument = "FROM..TO",
	.help = "only this time range, in seconds from the start (2.5..4, 2.5.., ..4); @ marks "
		"absolute times",
	.applied = "Time",
	.apply = time_apply,
};
