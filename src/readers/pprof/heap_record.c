/* heap_record.c: the counts of a heap profile's record, and what they stand for. */
#include "readers/pprof/heap_record.h"

#include <math.h>

static const struct {
	const char *kind, *unit;
} streams[HEAP_VALUES] = {{"inuse_space", "bytes"}, {"inuse_objects", "count"},
	{"alloc_space", "bytes"}, {"alloc_objects", "count"}};

void heap_record_streams(struct text_stacks *t, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_stacks_stream(
			t, bytes_of(streams[i].kind), bytes_of(streams[i].unit), (struct bytes){0});
}

bool heap_record_count(struct bytes *line, char end, int64_t *ret_count)
{
	struct bytes word;
	uint64_t number;

	*line = bytes_trim(*line);
	if (!bytes_cut(line, end, &word) || !bytes_u64(bytes_trim(word), &number) ||
		number > INT64_MAX)
		return false;
	*ret_count = (int64_t)number;
	return true;
}

bool heap_record_parse(struct bytes *line, int64_t ret_values[HEAP_VALUES])
{
	return heap_record_count(line, ':', &ret_values[INUSE_OBJECTS]) &&
	       heap_record_count(line, '[', &ret_values[INUSE_SPACE]) &&
	       heap_record_count(line, ':', &ret_values[ALLOC_OBJECTS]) &&
	       heap_record_count(line, ']', &ret_values[ALLOC_SPACE]);
}

/* An allocation of S bytes is sampled with a probability of 1 - e^(-S/R) when the distances between
 * samples are exponentially distributed with a mean of R bytes. So dividing by that probability
 * estimates all allocations of that size; the mean size of a record's objects stands for the size
 * of each, as google/pprof has it. */
static bool scale(int64_t *objects, int64_t *space, uint64_t rate)
{
	double mean, factor;

	if (!*objects)
		return !*space;
	if (!*space)
		return true;
	mean = (double)*space / (double)*objects;
	factor = 1 / -expm1(-mean / (double)rate);
	if (!((double)*objects * factor < 0x1p63 && (double)*space * factor < 0x1p63))
		return false;
	*objects = (int64_t)((double)*objects * factor);
	*space = (int64_t)((double)*space * factor);
	return true;
}

bool heap_record_scale(int64_t values[HEAP_VALUES], uint64_t rate)
{
	int64_t scaled[HEAP_VALUES];

	if (rate <= 1)
		return true;
	memcpy(scaled, values, sizeof(scaled));
	if (!scale(&scaled[INUSE_OBJECTS], &scaled[INUSE_SPACE], rate) ||
		!scale(&scaled[ALLOC_OBJECTS], &scaled[ALLOC_SPACE], rate))
		return false;
	memcpy(values, scaled, sizeof(scaled));
	return true;
}

void heap_record_note(struct profile *p, uint64_t rate)
{
	if (rate > 1)
		profile_note(p,
			"one allocation in about %llu bytes was sampled; values are estimates for "
			"all "
			"allocations, as go tool pprof makes them",
			(unsigned long long)rate);
}
