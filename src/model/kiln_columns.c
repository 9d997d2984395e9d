/* kiln_columns.c: which columns does a .kiln file have, and what may their rows refer to? */
#include "model/kiln_columns.h"

#include "model/row_scan.h"

#include <assert.h>
#include <stdlib.h>

#define ROWS(type, vector)   sizeof(type), IN_PROFILE, offsetof(struct profile, vector)
#define SAMPLE(type, vector) sizeof(type), IN_SAMPLES, offsetof(struct samples, vector)
#define BELOW(type, member, bound)                                                                 \
	{                                                                                          \
		REFERENCE_BELOW, offsetof(type, member), bound                                     \
	}
#define ID(bound)                                                                                  \
	{                                                                                          \
		REFERENCE_BELOW, 0, bound                                                          \
	}
#define EARLIER                                                                                    \
	{                                                                                          \
		REFERENCE_EARLIER, 0, 0                                                            \
	}

#define TIME                                                                                       \
	{                                                                                          \
		REFERENCE_TIME, 0, 0                                                               \
	}

/* clang-format off */
const struct kiln_column kiln_columns[] = {
	{"strings.bytes", TABLE_STRINGS, 2, ROWS(char, string_bytes), false, {{0}}},
	{"strings.end", TABLE_STRINGS, 1, ROWS(uint64_t, string_ends), false, {{0}}},
	{"frames", TABLE_FRAMES, 1, ROWS(struct frame, frames), false, {
		BELOW(struct frame, function, TABLE_STRINGS), BELOW(struct frame, module, TABLE_STRINGS),
		BELOW(struct frame, file, TABLE_STRINGS), BELOW(struct frame, kind, BOUND_FRAME_KINDS)}},
	{"processes", TABLE_PROCESSES, 1, ROWS(struct process, processes), false, {
		BELOW(struct process, name, TABLE_STRINGS)}},
	{"mappings", TABLE_MAPPINGS, 1, ROWS(struct mapping, mappings), false, {
		BELOW(struct mapping, file, TABLE_STRINGS), BELOW(struct mapping, build_id, TABLE_STRINGS),
		BELOW(struct mapping, kind, BOUND_MAPPING_KINDS),
		BELOW(struct mapping, process, TABLE_PROCESSES)}},
	{"locations", TABLE_LOCATIONS, 1, ROWS(struct location, locations), false, {
		BELOW(struct location, mapping, TABLE_MAPPINGS)}},
	{"locations.names", TABLE_LOCATIONS, 2, ROWS(struct span, location_names), true, {
		{REFERENCE_SPAN, 0, TABLE_LOCATION_FRAMES}}},
	{"location_frames", TABLE_LOCATION_FRAMES, 1, ROWS(frame_id, location_frames), false, {
		ID(TABLE_FRAMES)}},
	{"stacks.caller", TABLE_STACKS, 1, ROWS(stack_id, stack_caller), false, {EARLIER}},
	{"stacks.location", TABLE_STACKS, 2, ROWS(location_id, stack_location), false, {
		ID(TABLE_LOCATIONS)}},
	{"threads", TABLE_THREADS, 1, ROWS(struct thread, threads), false, {
		BELOW(struct thread, process, TABLE_PROCESSES), BELOW(struct thread, name, TABLE_STRINGS)}},
	{"label_sets", TABLE_LABEL_SETS, 1, ROWS(struct label_set, label_sets), false, {
		EARLIER, BELOW(struct label_set, key, TABLE_STRINGS),
		BELOW(struct label_set, value, TABLE_STRINGS)}},
	{"samples.stack", TABLE_SAMPLES, 1, SAMPLE(stack_id, stack), false, {ID(TABLE_STACKS)}},
	{"samples.thread", TABLE_SAMPLES, 2, SAMPLE(thread_id, thread), false, {ID(TABLE_THREADS)}},
	{"samples.time", TABLE_SAMPLES, 3, SAMPLE(uint64_t, time), false, {TIME}},
	{"samples.duration", TABLE_SAMPLES, 4, SAMPLE(uint64_t, duration), false, {TIME}},
	{"samples.cpu", TABLE_SAMPLES, 5, SAMPLE(uint16_t, cpu), false, {{0}}},
	{"samples.labels", TABLE_SAMPLES, 6, SAMPLE(label_set_id, labels), false, {
		ID(TABLE_LABEL_SETS)}},
	{"streams", TABLE_STREAMS, 1, sizeof(struct stream_row), IN_STREAM_ROWS, 0, true, {
		BELOW(struct stream_row, kind, TABLE_STRINGS), BELOW(struct stream_row, unit, TABLE_STRINGS),
		BELOW(struct stream_row, event, TABLE_STRINGS),
		BELOW(struct stream_row, samples, TABLE_SAMPLES)}},
	{"streams.value", TABLE_STREAMS, 2, sizeof(int64_t), IN_STREAM,
		offsetof(struct stream, value), false, {{0}}},
	{"losses", TABLE_LOSSES, 1, ROWS(struct loss, losses), true, {
		BELOW(struct loss, stream, TABLE_STREAMS), BELOW(struct loss, reason, TABLE_STRINGS)}},
	{"meta", TABLE_META, 1, ROWS(struct meta, meta), true, {
		BELOW(struct meta, key, TABLE_STRINGS), BELOW(struct meta, value, TABLE_STRINGS)}},
};
/* clang-format on */
const size_t kiln_column_count = sizeof(kiln_columns) / sizeof(*kiln_columns);

static_assert(sizeof(kiln_columns) / sizeof(*kiln_columns) <= KILN_COLUMNS_LIMIT, "too many");
static_assert(sizeof(struct kiln_header) == 64 && sizeof(struct kiln_section) == 64, "no padding");
static_assert(sizeof(struct frame) == 20 && sizeof(struct mapping) == 24 &&
		      sizeof(struct location) == 16 && sizeof(struct span) == 8 &&
		      sizeof(struct process) == 8 && sizeof(struct thread) == 12 &&
		      sizeof(struct label_set) == 12 && sizeof(struct stream_row) == 64 &&
		      sizeof(struct loss) == 16 && sizeof(struct meta) == 8,
	"version 1 of the format");

size_t kiln_column_find(uint16_t table, uint16_t column)
{
	for (size_t i = 0; i < kiln_column_count; i++)
		if (kiln_columns[i].table == table && kiln_columns[i].column == column)
			return i;
	return SIZE_MAX;
}

struct kiln_vector kiln_vector_get(const void *vector)
{
	struct kiln_vector value;

	memcpy(&value, vector, sizeof(value));
	return value;
}

void kiln_vector_set(void *vector, struct kiln_vector value)
{
	memcpy(vector, &value, sizeof(value));
}

uint64_t kiln_checksum(struct bytes payload)
{
	size_t pieces = (payload.len + KILN_PIECE - 1) / KILN_PIECE;
	uint64_t *sums, whole;

	if (pieces <= 1)
		return hash_bytes(payload.at, payload.len);
	sums = memory_new(pieces, sizeof(*sums));
	for (size_t i = 0; i < pieces; i++) {
		size_t at = i * KILN_PIECE, left = payload.len - at;

		sums[i] = hash_bytes(payload.at + at, left < KILN_PIECE ? left : KILN_PIECE);
	}
	whole = hash_bytes(sums, pieces * sizeof(*sums));
	memory_free(sums);
	return whole;
}

/* ---- References ---- */

/* The uint32_t at `offset` of row i. Rows are aligned to at least 4 bytes. */
static uint32_t id_at(const void *items, size_t item_size, size_t i, size_t offset)
{
	uint32_t id;

	memcpy(&id, (const char *)items + i * item_size + offset, sizeof(id));
	return id;
}

static bool rows_below(const struct kiln_column *c, const struct kiln_reference *ref,
	const void *items, size_t rows, uint64_t bound, size_t *ret_at)
{
	if (bound > UINT32_MAX)
		return true;
	if (c->item_size == sizeof(uint32_t)) {
		*ret_at = row_scan_ids(items, rows, (uint32_t)bound);
		return *ret_at == rows;
	}
	for (size_t i = 0; i < rows; i++) {
		if (id_at(items, c->item_size, i, ref->offset) >= bound) {
			*ret_at = i;
			return false;
		}
	}
	return true;
}

/* Each row refers to an earlier row; row 0 to itself. */
static bool rows_earlier(const struct kiln_column *c, const struct kiln_reference *ref,
	const void *items, uint64_t first, size_t rows, size_t *ret_at)
{
	if (c->item_size == sizeof(uint32_t) && first + rows <= UINT32_MAX) {
		*ret_at = row_scan_earlier(items, rows, (uint32_t)first);
		return *ret_at == rows;
	}
	for (size_t i = 0; i < rows; i++) {
		uint32_t id = id_at(items, c->item_size, i, ref->offset);

		if (id >= first + i && (id || first + i)) {
			*ret_at = i;
			return false;
		}
	}
	return true;
}

static bool rows_span(const struct kiln_column *c, const struct kiln_reference *ref,
	const void *items, size_t rows, uint64_t bound, size_t *ret_at)
{
	for (size_t i = 0; i < rows; i++) {
		uint64_t first = id_at(items, c->item_size, i, ref->offset);
		uint64_t count = id_at(items, c->item_size, i, ref->offset + sizeof(uint32_t));

		if (first + count > bound) {
			*ret_at = i;
			return false;
		}
	}
	return true;
}

static bool rows_times(const void *items, size_t rows, size_t *ret_at)
{
	*ret_at = row_scan_times(items, rows, PROFILE_TIME_LIMIT);
	return *ret_at == rows;
}

bool kiln_column_check(const struct kiln_column *column, const void *items, uint64_t first,
	size_t rows, const uint64_t *bounds, uint64_t *ret_row)
{
	for (size_t i = 0; i < KILN_REFERENCES; i++) {
		const struct kiln_reference *ref = &column->references[i];
		size_t at = 0;
		bool good = true;

		if (ref->rule == REFERENCE_BELOW)
			good = rows_below(column, ref, items, rows, bounds[ref->bound], &at);
		else if (ref->rule == REFERENCE_EARLIER)
			good = rows_earlier(column, ref, items, first, rows, &at);
		else if (ref->rule == REFERENCE_SPAN)
			good = rows_span(column, ref, items, rows, bounds[ref->bound], &at);
		else if (ref->rule == REFERENCE_TIME)
			good = rows_times(items, rows, &at);
		if (!good) {
			*ret_row = first + at;
			return false;
		}
	}
	return true;
}
