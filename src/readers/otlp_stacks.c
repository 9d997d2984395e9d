/* otlp_stacks.c: which stacks are those of an OTLP file? */
#include "readers/otlp_dictionary.h"

enum { STACK_LOCATIONS = 1 };

const struct protobuf_shape otlp_stack_shape = {2, {[STACK_LOCATIONS] = {PROTOBUF_NUMBERS, 0}}};

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

/* To places, each of them one; false: that is not possible, or not yet. */
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

static void push_row(struct otlp_dictionary *d, uint32_t row)
{
	struct span made = otlp_location_at(d, row);

	for (uint32_t i = 0; i < made.count; i++)
		vector_push(&d->steps, d->places.made.items[made.first + i]);
}

/* The rows, which are places already or not. */
static void push_rows(struct otlp_dictionary *d, bool places, uint32_t *levels)
{
	size_t count = d->rows.len, before = d->steps.len;

	vector_reserve(&d->steps, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t row = d->rows.items[count - 1 - i];

		if (places)
			d->steps.items[d->steps.len++] = row;
		else
			push_row(d, row);
		levels[i] = d->path.level + (uint32_t)(d->steps.len - before);
	}
}

static bool take_field(struct otlp_dictionary *d, struct bytes locations)
{
	struct protobuf_field f = {.wire = PROTOBUF_BYTES, .bytes = locations};
	size_t shared = packed_path_cut(&d->path, &f.bytes);
	bool places = take_places(d, f.bytes);

	if (!places) {
		d->rows.len = 0;
		if (!take_rows(d, &f))
			return false;
	}
	if (d->rows.len + shared > STACK_DEPTH_LIMIT)
		return false;
	push_rows(d, places, packed_path_take(&d->path, locations, shared, d->rows.len));
	return true;
}

/* Of locations in several fields. */
static bool take_fields(struct otlp_dictionary *d, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &otlp_stack_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == STACK_LOCATIONS && !take_rows(d, &f))
			return false;
	if (m.failed || d->rows.len > STACK_DEPTH_LIMIT)
		return false;
	push_rows(d, false, packed_path_take(&d->path, (struct bytes){0}, 0, d->rows.len));
	packed_path_forget(&d->path);
	return true;
}

/* ---- Stacks ---- */

static struct path next_path(const struct otlp_dictionary *d, size_t i, size_t *step)
{
	const struct otlp_expected *expected = &d->expected.items[i];

	return path_next(expected->level, expected->steps, d->steps.items, step);
}

void otlp_expect_stack(struct otlp_dictionary *d, uint64_t index)
{
	size_t before = d->steps.len;
	struct otlp_stack *row;
	struct bytes locations;
	bool taken;

	if (index >= d->stacks.len || d->stack_rows.items[index].state != STACK_NEW)
		return;
	row = &d->stack_rows.items[index];
	d->rows.len = 0;
	taken = whole_field(d->stacks.items[index], &locations)
			? take_field(d, locations)
			: take_fields(d, d->stacks.items[index]);
	row->state = taken ? STACK_EXPECTED : STACK_BAD;
	if (taken)
		vector_push(&d->expected, ((struct otlp_expected){index, d->path.level,
						  (uint32_t)(d->steps.len - before)}));
}

/* All of them are on their way from memory before the first is needed. */
void otlp_make_stacks(struct otlp_dictionary *d)
{
	size_t step = 0;

	for (size_t i = 0; i < d->expected.len; i++)
		paths_expect(d->paths, next_path(d, i, &step));
	step = 0;
	for (size_t i = 0; i < d->expected.len; i++) {
		struct otlp_stack *row = &d->stack_rows.items[d->expected.items[i].row];

		row->stack = paths_walk(d->paths, next_path(d, i, &step));
		row->state = STACK_MADE;
	}
	d->expected.len = d->steps.len = 0;
}

bool otlp_stack_at(struct otlp_dictionary *d, uint64_t index, stack_id *ret_stack)
{
	*ret_stack = 0;
	if (index >= d->stacks.len)
		return !index;
	if (d->stack_rows.items[index].state == STACK_NEW) {
		otlp_expect_stack(d, index);
		otlp_make_stacks(d);
	}
	*ret_stack = d->stack_rows.items[index].stack;
	return d->stack_rows.items[index].state == STACK_MADE;
}
