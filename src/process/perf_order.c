/* perf_order.c: in which order did the events of a perf.data file happen? */
#include "process/perf_order.h"

#include <stdlib.h>

struct perf_queued {
	uint64_t time;
	const char *at;
	const struct perf_file_event *event;
	uint32_t block;
};

void perf_order_release(struct perf_order *o)
{
	vector_release(&o->queued);
	vector_release(&o->merged);
	vector_release(&o->runs);
}

/* Merge two adjacent runs of `from` into `to`; stable. */
static void merge(const struct perf_queued *from, size_t middle, size_t end, struct perf_queued *to)
{
	size_t a = 0, b = middle;

	while (a < middle && b < end)
		*to++ = from[b].time < from[a].time ? from[b++] : from[a++];
	memcpy(to, from + a, (middle - a) * sizeof(*from));
	memcpy(to + (middle - a), from + b, (end - b) * sizeof(*from));
}

/* Find runs that are already in order (records of one CPU), and the end. */
static void find_runs(struct perf_order *o, const struct perf_queued *rows, size_t count)
{
	o->runs.len = 0;
	vector_push(&o->runs, 0);
	for (size_t i = 1; i < count; i++)
		if (rows[i].time < rows[i - 1].time)
			vector_push(&o->runs, i);
	vector_push(&o->runs, count);
}

/* Merge sort, starting from existing runs. */
static void sort(struct perf_order *o, size_t first)
{
	size_t count = o->queued.len - first, kept;
	struct perf_queued *from, *to, *swap;

	if (count < 2)
		return;
	vector_reserve(&o->merged, count);
	from = o->queued.items + first;
	to = o->merged.items;
	find_runs(o, from, count);
	while (o->runs.len > 2) {
		size_t *start = o->runs.items;

		kept = 0;
		for (size_t i = 0; i + 1 < o->runs.len; i += 2) {
			size_t end = start[i + 2 < o->runs.len ? i + 2 : i + 1];

			merge(from + start[i], start[i + 1] - start[i], end - start[i],
				to + start[i]);
			start[kept++] = start[i];
		}
		start[kept++] = count;
		o->runs.len = kept;
		swap = from, from = to, to = swap;
	}
	if (from != o->queued.items + first)
		memcpy(o->queued.items + first, from, count * sizeof(*from));
}

/* Remove returned records, and blocks that are no longer needed. False: stop reading. */
static bool drop_handed(struct perf_order *o)
{
	size_t left = o->queued.len - o->next;
	uint32_t oldest = UINT32_MAX;

	if (o->release_blocks && o->file->blocks.list.len && !o->release_blocks(o->context))
		return false;

	if (left)
		memmove(o->queued.items, o->queued.items + o->next,
			left * sizeof(*o->queued.items));
	o->queued.len = left;
	o->next = o->ready = 0;
	for (size_t i = 0; i < left; i++)
		if (o->queued.items[i].block && o->queued.items[i].block < oldest)
			oldest = o->queued.items[i].block;
	perf_file_drop_blocks(o->file, oldest);
	return true;
}

/* Records up to `limit` can be returned. */
static void release_until(struct perf_order *o, uint64_t limit)
{
	sort(o, 0);
	while (o->ready < o->queued.len && o->queued.items[o->ready].time <= limit)
		o->ready++;
}

/* Too many records are held: return the older half. */
static void release_half(struct perf_order *o)
{
	sort(o, 0);
	o->ready = o->queued.len / 2;
}

/* *ret_at_once: the record has no time and is returned immediately. False at the end. */
static bool hold_next(struct perf_order *o, struct perf_file_record *ret, bool *ret_at_once)
{
	struct perf_queued row = {0};
	struct perf_event_header header;

	*ret_at_once = false;
	if (!perf_file_next(o->file, ret))
		return false;
	memcpy(&header, ret->bytes.at, sizeof(header));
	if (header.type == PERF_USER_FINISHED_ROUND && o->file->parts.len)
		return true;
	if (header.type == PERF_USER_FINISHED_ROUND) {
		release_until(o, o->round_end);
		o->round_end = o->latest;
		return true;
	}
	if (!ret->event || !perf_record_time(ret->bytes, &ret->event->layout, &row.time) ||
		!row.time) {
		*ret_at_once = true;
		return true;
	}
	row.at = ret->bytes.at;
	row.block = ret->block;
	row.event = ret->event;
	if (row.time > o->latest)
		o->latest = row.time;
	vector_push(&o->queued, row);
	if (!o->file->parts.len &&
		o->queued.len >=
			PERF_ORDER_MIN + o->file->content.len / PERF_ORDER_BYTES_PER_RECORD)
		release_half(o);
	return true;
}

bool perf_order_next(struct perf_order *o, struct perf_file_record *ret)
{
	const struct perf_queued *row;
	bool at_once;

	while (o->next == o->ready && !o->ended) {
		if (o->next && !drop_handed(o))
			return false;
		o->ended = !hold_next(o, ret, &at_once);
		if (o->ended)
			release_until(o, UINT64_MAX);
		else if (at_once)
			return true;
	}
	if (o->next == o->ready)
		return false;
	row = &o->queued.items[o->next++];
	ret->bytes.at = row->at;
	ret->bytes.len = perf_record_size((struct bytes){row->at, PERF_RECORD_SIZE_LIMIT});
	ret->event = row->event;
	ret->block = row->block;
	o->late += row->time < o->last_time;
	if (row->time > o->last_time)
		o->last_time = row->time;
	return true;
}
