/* otlp_stacks.c: makes the stacks of an OTLP file. */
#include "readers/otlp/otlp_dictionary.h"

#include <stdlib.h>

enum { STACK_LOCATIONS = 1 };

const struct protobuf_schema otlp_stack_shape = {2, {[STACK_LOCATIONS] = {PROTOBUF_NUMBERS, 0}}};

/* ---- Locations ---- */

/* All that the message has, if they are in one field. */
static bool whole_field(struct bytes message, struct bytes *ret_locations)
{
	struct protobuf m = protobuf_open(message, &otlp_stack_shape);
	struct protobuf_field f;

	if (!protobuf_next(&m, &f) || f.number != STACK_LOCATIONS || f.wire != PROTOBUF_BYTES ||
		m.cursor.at != m.cursor.end)
		return false;
	*ret_locations = f.bytes;
	return true;
}

/* To rows; false: they are no whole numbers, or the file has not got one. */
static bool take_rows(struct otlp_dictionary *d, const struct protobuf_field *f)
{
	uint64_t row;
	bool bad = false;

	for (size_t at = 0; protobuf_number(f, &at, &row, &bad);) {
		if (row >= d->locations.len)
			return false;
		vector_push(&d->rows, (uint32_t)row);
	}
	return !bad;
}

/* To places, each of them one; false: that is not possible. */
static bool take_places(struct otlp_dictionary *d, struct bytes locations)
{
	bool zero = false;

	if (!locations.len)
		return true;
	vector_reserve(&d->rows, locations.len);
	d->rows.len = packed_look_up(
		locations, d->end, d->place_of.items, d->place_of.len, d->rows.items);
	if (d->rows.len == SIZE_MAX) {
		d->rows.len = 0;
		return false;
	}
	for (size_t i = 0; i < d->rows.len; i++)
		zero |= !d->rows.items[i];
	return !zero;
}

/* ---- Steps ---- */

static void push_row(const struct otlp_dictionary *d, uint32_t row, struct otlp_expected *expected)
{
	struct span made = d->location_rows.items[row];

	for (uint32_t i = 0; i < made.count; i++)
		vector_push(&expected->steps, d->places.made.items[made.first + i]);
}

/* The rows, which are places already or not. */
static void push_rows(
	struct otlp_dictionary *d, bool places, uint32_t *levels, struct otlp_expected *expected)
{
	size_t count = d->rows.len, before = expected->steps.len;

	vector_reserve(&expected->steps, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t row = d->rows.items[count - 1 - i];

		if (places)
			expected->steps.items[expected->steps.len++] = row;
		else
			push_row(d, row, expected);
		levels[i] = d->path.level + (uint32_t)(expected->steps.len - before);
	}
}

static bool take_field(
	struct otlp_dictionary *d, struct bytes locations, struct otlp_expected *expected)
{
	struct protobuf_field f = {.wire = PROTOBUF_BYTES, .bytes = locations};
	size_t shared = packed_path_cut(&d->path, &f.bytes);
	bool places = take_places(d, f.bytes);

	if (!places) {
		d->rows.len = 0;
		if (!take_rows(d, &f))
			return false;
	}
	if (d->rows.len + shared > READ_DEPTH_LIMIT)
		return false;
	push_rows(d, places, packed_path_take(&d->path, locations, shared, d->rows.len), expected);
	return true;
}

/* Of locations in several fields. */
static bool take_fields(
	struct otlp_dictionary *d, struct bytes message, struct otlp_expected *expected)
{
	struct protobuf m = protobuf_open(message, &otlp_stack_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == STACK_LOCATIONS && !take_rows(d, &f))
			return false;
	if (m.failed || d->rows.len > READ_DEPTH_LIMIT)
		return false;
	push_rows(
		d, false, packed_path_take(&d->path, (struct bytes){0}, 0, d->rows.len), expected);
	packed_path_clear(&d->path);
	return true;
}

/* ---- Stacks ---- */

void otlp_expected_release(struct otlp_expected *expected)
{
	vector_release(&expected->rows);
	vector_release(&expected->paths);
	vector_release(&expected->steps);
}

void otlp_expect_stack(struct otlp_dictionary *d, uint64_t index, struct otlp_expected *expected)
{
	size_t before = expected->steps.len;
	struct bytes locations;
	bool taken;

	if (index >= d->stacks.len || d->stack_states.items[index] != STACK_NEW)
		return;
	d->rows.len = 0;
	taken = whole_field(d->stacks.items[index], &locations)
			? take_field(d, locations, expected)
			: take_fields(d, d->stacks.items[index], expected);
	d->stack_states.items[index] = taken ? STACK_EXPECTED : STACK_BAD;
	if (!taken)
		return;
	vector_push(&expected->rows, index);
	vector_push(&expected->paths,
		((struct listed_path){d->path.level, (uint32_t)(expected->steps.len - before)}));
}

void otlp_make_stacks(struct otlp_dictionary *d, struct otlp_expected *expected)
{
	size_t count = expected->rows.len;

	d->stacks_walked.len = 0;
	vector_reserve(&d->stacks_walked, count);
	paths_walk_list(d->paths, expected->paths.items, count, expected->steps.items,
		d->stacks_walked.items);
	for (size_t i = 0; i < count; i++)
		d->stacks_made.items[expected->rows.items[i]] = d->stacks_walked.items[i];
	expected->rows.len = expected->paths.len = expected->steps.len = 0;
}

bool otlp_stack_at(const struct otlp_dictionary *d, uint64_t index, stack_id *ret_stack)
{
	*ret_stack = 0;
	if (index >= d->stacks.len)
		return !index;
	*ret_stack = d->stacks_made.items[index];
	return d->stack_states.items[index] == STACK_EXPECTED;
}
