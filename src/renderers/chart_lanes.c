/* chart_lanes.c: which thread's or CPU's samples are in a lane of the chart, and how long does
 * each stand for? */
#include "renderers/chart_lanes.h"

#include "base/sort.h"
#include "base/units.h"

#include <stdlib.h>

#define GAPS_LIMIT ((size_t)1 << 16) /* the period is the median of at most this many gaps */

static const struct samples *table_of(const struct chart_lanes *l, size_t stream)
{
	const struct profile *p = l->view->profile;

	return &p->samples.items[p->streams.items[stream].row.samples];
}

static uint64_t chart_time(const struct chart_lanes *l, size_t at)
{
	const struct chart_sample *s = &l->samples[at];

	return table_of(l, s->stream)->time.items[s->sample];
}

int64_t chart_value(const struct chart_lanes *l, size_t at)
{
	const struct chart_sample *s = &l->samples[at];

	return stream_value(&l->view->profile->streams.items[s->stream], s->sample);
}

/* ---- Which samples ---- */

static size_t lane_of(const struct chart_lanes *l, const struct samples *s, size_t sample)
{
	return l->by == CHART_ALL ? 0 : heatmap_rows_of(&l->rows, s, sample);
}

/* Visit a sample. With `add`, store it at first[lane] and increment that; otherwise count it in
 * first[lane + 1], and add its value to the totals. */
static void visit_sample(struct chart_lanes *l, bool add, uint32_t stream, uint32_t at)
{
	const struct samples *s = table_of(l, stream);
	uint32_t table = l->view->profile->streams.items[stream].row.samples;
	node_id node = view_node(l->view, table, at);
	size_t lane;

	if (node == NODE_DROPPED)
		return;
	if (!add) {
		int64_t value = stream_value(&l->view->profile->streams.items[stream], at);

		l->total += value;
		l->untimed += s->time.len ? 0 : value;
	}
	lane = s->time.len ? lane_of(l, s, at) : SIZE_MAX;
	if (lane >= l->count)
		return;
	if (add)
		l->samples[l->first[lane]++] = (struct chart_sample){stream, at, node};
	else
		l->first[lane + 1]++;
}

static void each_sample(struct chart_lanes *l, bool add)
{
	const struct view *v = l->view;

	for (uint32_t i = 0; i < v->profile->streams.len; i++) {
		uint32_t table = v->profile->streams.items[i].row.samples;
		size_t count = v->streams[i] ? table_of(l, i)->count : 0;

		for (size_t first = 0; first < count; first += SAMPLES_PER_WORD)
			for (uint64_t kept = view_kept_samples(v, table, first); kept;
				kept &= kept - 1)
				visit_sample(l, add, i,
					(uint32_t)(first + (size_t)__builtin_ctzll(kept)));
	}
}

static bool in_order(const struct chart_lanes *l, size_t first, size_t end)
{
	for (size_t i = first + 1; i < end; i++)
		if (chart_time(l, i) < chart_time(l, i - 1))
			return false;
	return true;
}

static void order_lane(struct chart_lanes *l, size_t first, size_t end)
{
	size_t count = end - first;
	uint64_t *times;
	struct sort_key *sorted;
	struct chart_sample *samples;

	if (in_order(l, first, end))
		return;
	times = memory_new(count, sizeof(*times));
	sorted = memory_new(count, sizeof(*sorted));
	samples = memory_new(count, sizeof(*samples));
	for (size_t i = 0; i < count; i++)
		times[i] = chart_time(l, first + i);
	sort_by_number(times, count, sorted);
	for (size_t i = 0; i < count; i++)
		samples[i] = l->samples[first + sorted[i].row];
	memcpy(l->samples + first, samples, count * sizeof(*samples));
	memory_free(times);
	memory_free(sorted);
	memory_free(samples);
}

static void collect(struct chart_lanes *l)
{
	l->first = memory_new(l->count + 1, sizeof(*l->first));
	each_sample(l, false);
	for (size_t i = 0; i < l->count; i++)
		l->first[i + 1] += l->first[i];
	l->samples = memory_new(l->first[l->count], sizeof(*l->samples));
	each_sample(l, true); /* now first[] has the end of each lane */
	memmove(l->first + 1, l->first, l->count * sizeof(*l->first));
	l->first[0] = 0;
	for (size_t i = 0; i < l->count; i++)
		order_lane(l, l->first[i], l->first[i + 1]);
}

/* ---- How long ---- */

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t find_period(const struct chart_lanes *l)
{
	size_t step = l->first[l->count] / GAPS_LIMIT + 1, found = 0;
	uint64_t *gaps = memory_new(GAPS_LIMIT, sizeof(*gaps)), median;

	for (size_t lane = 0; lane < l->count; lane++)
		for (size_t i = l->first[lane] + step; i < l->first[lane + 1]; i += step) {
			uint64_t gap = chart_time(l, i) - chart_time(l, i - 1);

			if (gap && found < GAPS_LIMIT)
				gaps[found++] = gap;
		}
	qsort(gaps, found, sizeof(*gaps), by_size);
	median = found ? gaps[found / 2] : 0;
	memory_free(gaps);
	return median;
}

void chart_span(
	const struct chart_lanes *l, size_t lane, size_t at, uint64_t *ret_begin, uint64_t *ret_end)
{
	const struct chart_sample *sample = &l->samples[at];
	const struct samples *s = table_of(l, sample->stream);
	uint64_t time = chart_time(l, at), begin = time, end = time, width = l->period;

	if (s->duration.len) {
		end = s->duration.items[sample->sample] > UINT64_MAX - time
			      ? UINT64_MAX
			      : time + s->duration.items[sample->sample];
		if (at + 1 < l->first[lane + 1] && chart_time(l, at + 1) < end)
			end = chart_time(l, at + 1);
	} else {
		if (l->weighs_time)
			width = chart_value(l, at) > 0 ? (uint64_t)chart_value(l, at) : 0;
		begin = time - (width < time ? width : time);
		if (at > l->first[lane] && begin <= chart_time(l, at - 1) + width / 2)
			begin = chart_time(l, at - 1);
	}
	*ret_begin = begin;
	*ret_end = end;
}

/* ---- Lanes ---- */

static bool has_times(const struct view *v, struct error *err)
{
	for (size_t i = 0; i < v->profile->samples.len; i++)
		if (v->profile->samples.items[i].time.len)
			return true;
	return error_set(err, ERR_USAGE, "the input does not have the time of a sample");
}

bool chart_lanes_init(struct chart_lanes *l, const struct view *v, enum chart_by by, size_t max,
	struct error *err)
{
	struct bytes unit = view_text(v, view_stream(v)->unit);
	size_t lanes = 1;

	*l = (struct chart_lanes){
		.view = v, .by = by, .weighs_time = bytes_equal(unit, BYTES("ns"))};
	if (!has_times(v, err))
		return false;
	if (by != CHART_ALL) {
		if (!heatmap_rows_init(&l->rows, v,
			    by == CHART_BY_CPU ? HEATMAP_BY_CPU : HEATMAP_BY_THREAD, err))
			return false;
		lanes = l->rows.groups.len;
	}
	l->count = lanes < max ? lanes : max;
	l->left_out = lanes - l->count;
	collect(l);
	l->period = find_period(l);
	return true;
}

void chart_lanes_release(struct chart_lanes *l)
{
	heatmap_rows_release(&l->rows);
	memory_free(l->first);
	memory_free(l->samples);
}
