/* pprof_stacks.c: makes stacks of the locations of a pprof file. */
#include "readers/pprof/pprof_file.h"

#include <assert.h>

/* ---- Places ---- */

static void take_line(struct pprof *p, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &pprof_line_shape);
	struct pprof_line line = {.kind = PPROF_KIND_UNKNOWN};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_LINE_FUNCTION) {
			line.function = pprof_row_of(
				p, &p->function_rows, PPROF_ID_ROWS(&p->places.functions), f.value);
		} else if (f.number == PPROF_LINE_LINE) {
			line.line = f.value <= UINT32_MAX ? (uint32_t)f.value : 0;
		} else if (f.number == PPROF_LINE_KIND && f.value < FRAME_KINDS) {
			line.kind = (uint32_t)f.value;
		} else if (f.number == PPROF_LINE_MODULE && f.wire == PROTOBUF_VARINT) {
			line.module = pprof_string_made(p, f.value);
			line.has_module = true;
		}
	}
	vector_push(&p->places.lines, line);
}

static void make_place(struct pprof *p, uint32_t row)
{
	struct pprof_place *place = &p->locations.items[row];
	struct protobuf m = protobuf_open(place->message, &pprof_location_shape);
	uint64_t mapping = 0, address = 0;

	p->places.lines.len = 0;
	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_LOCATION_MAPPING)
			mapping = f.value;
		else if (f.number == PPROF_LOCATION_ADDRESS)
			address = f.value;
		else if (f.number == PPROF_LOCATION_LINE)
			take_line(p, f.bytes);
	}
	place->made = pprof_places_make(&p->places,
		pprof_row_of(p, &p->mapping_rows, PPROF_ID_ROWS(&p->places.mappings), mapping),
		address, &place->cut);
	if (place->made.count == 1 && place->id < p->place_of_id.len &&
		p->location_rows.dense.items[place->id] == row)
		p->place_of_id.items[place->id] = p->places.made.items[place->made.first];
}

/* Rows with the id of an earlier row are never used. */
void pprof_make_places(struct pprof *p)
{
	for (size_t i = 0; i < p->location_rows.dense.len; i++)
		vector_push(&p->place_of_id, 0);
	for (uint32_t row = 1; row < p->locations.len; row++)
		if (pprof_ids_find(&p->location_rows, PPROF_ID_ROWS(&p->locations),
			    p->locations.items[row].id) == row)
			make_place(p, row);
}

/* ---- Steps ---- */

static void push_place(struct pprof *p, uint32_t row)
{
	const struct pprof_place *place = &p->locations.items[row];

	for (uint32_t i = 0; i < place->made.count; i++)
		vector_push(&p->batch->steps, p->places.made.items[place->made.first + i]);
}

/* With the frames that drop_frames asks to leave out left out. As pprof has it, frames that are
 * outside of all others stay, so that not everything goes. */
static void push_cut_stack(struct pprof *p)
{
	bool code = false;

	for (size_t i = p->rows.len; i-- > 0;) {
		uint32_t row = p->rows.items[i];
		const struct pprof_place *place = &p->locations.items[row];

		if (place->cut != CUT_ALL || !code)
			push_place(p, row);
		if (place->cut != CUT_NOTHING && code) {
			p->cut++;
			break;
		}
		code |= place->cut == CUT_NOTHING;
	}
}

/* Those of the rows, behind the first `shared` locations of the last stack. */
static void push_rows(
	struct pprof *p, struct bytes locations, size_t shared, struct listed_path *path)
{
	size_t count = p->rows.len, before = p->batch->steps.len;
	uint32_t *levels = packed_path_take(&p->path, locations, shared, count);

	path->level = p->path.level;
	for (size_t i = 0; i < count; i++) {
		push_place(p, p->rows.items[count - 1 - i]);
		levels[i] = path->level + (uint32_t)(p->batch->steps.len - before);
	}
}

/* The same when they are places already, each of them one. */
static void push_places(
	struct pprof *p, struct bytes locations, size_t shared, struct listed_path *path)
{
	size_t count = p->rows.len;
	uint32_t *levels = packed_path_take(&p->path, locations, shared, count);
	location_id *steps;

	path->level = p->path.level;
	vector_reserve(&p->batch->steps, count);
	steps = p->batch->steps.items + p->batch->steps.len;
	for (size_t i = 0; i < count; i++) {
		steps[i] = p->rows.items[count - 1 - i];
		levels[i] = path->level + (uint32_t)i + 1;
	}
	p->batch->steps.len += count;
}

/* ---- Rows ---- */

/* Put what the table has of each number into the rows. */
static bool take_numbers(struct pprof *p, struct bytes bytes, const uint32_t *table, size_t count)
{
	size_t taken;

	if (!bytes.len)
		return true;
	vector_reserve(&p->rows, bytes.len);
	taken = packed_look_up(bytes, p->end, table, count, p->rows.items + p->rows.len);
	if (taken == SIZE_MAX)
		return false;
	p->rows.len += taken;
	return true;
}

/* Where some ids are too large for a table. */
static bool take_sparse(struct pprof *p, struct bytes bytes)
{
	struct cursor c = cursor_of(bytes);

	while (c.at < c.end)
		pprof_take_location(p, cursor_uleb(&c));
	return !c.bad;
}

/* To rows; 0 for one that the file has not got. */
bool pprof_take_packed(struct pprof *p, struct bytes locations)
{
	if (p->location_rows.sparse.used)
		return take_sparse(p, locations);
	return take_numbers(p, locations, p->location_rows.dense.items, p->location_rows.dense.len);
}

static bool has_zero(const uint32_t *items, size_t count)
{
	bool zero = false;

	for (size_t i = 0; i < count; i++)
		zero |= !items[i];
	return zero;
}

/* To places, each of them one; false: that is not possible. */
static bool take_places(struct pprof *p, struct bytes locations)
{
	p->rows.len = 0;
	return take_numbers(p, locations, p->place_of_id.items, p->location_rows.dense.len) &&
	       !has_zero(p->rows.items, p->rows.len);
}

void pprof_take_location(struct pprof *p, uint64_t id)
{
	vector_push(&p->rows, pprof_ids_find(&p->location_rows, PPROF_ID_ROWS(&p->locations), id));
}

/* ---- Stacks ---- */

static const char *const too_deep = "expected a stack of at most " READ_DEPTH_TEXT " frames";

static bool take_known_rows(struct pprof *p, struct bytes locations, const char **ret_reason)
{
	*ret_reason = "expected locations as integers";
	if (!pprof_take_packed(p, locations))
		return false;
	*ret_reason = "expected locations that the file has";
	if (has_zero(p->rows.items, p->rows.len))
		return false;
	*ret_reason = too_deep;
	return p->rows.len <= READ_DEPTH_LIMIT;
}

/* Of locations in one field, which most such samples have. */
static bool take_field(
	struct pprof *p, struct bytes locations, struct listed_path *path, const char **ret_reason)
{
	struct bytes rest = locations;
	size_t shared = packed_path_cut(&p->path, &rest);
	bool places = take_places(p, rest);

	if (!places) {
		p->rows.len = 0;
		if (!take_known_rows(p, rest, ret_reason))
			return false;
	}
	*ret_reason = too_deep;
	if (p->rows.len + shared > READ_DEPTH_LIMIT)
		return false;
	(places ? push_places : push_rows)(p, locations, shared, path);
	return true;
}

/* Of locations in several fields, or with frames to be left out. */
static bool take_collected(
	struct pprof *p, struct bytes locations, struct listed_path *path, const char **ret_reason)
{
	if (!take_known_rows(p, locations, ret_reason))
		return false;
	if (p->places.drop)
		push_cut_stack(p);
	else
		push_rows(p, (struct bytes){0}, 0, path);
	packed_path_clear(&p->path);
	return true;
}

bool pprof_take_stack(struct pprof *p, struct bytes locations, struct seen_question *question,
	const char **ret_reason)
{
	struct pprof_taken *sample = &p->batch->samples[p->batch->count];
	struct listed_path path = {0};
	bool single = locations.len && !p->places.drop;
	size_t before = p->batch->steps.len;
	uint32_t known = 0;

	if (single && question->bytes.at != locations.at)
		*question = seen_question(&p->stacks_seen, locations);
	if (single)
		known = seen_find(&p->stacks_seen, question);
	if (known) {
		sample->stack = known - 1;
		return true;
	}
	if (!(single ? take_field : take_collected)(p, locations, &path, ret_reason))
		return false;
	path.count = (uint32_t)(p->batch->steps.len - before);
	p->batch->paths[p->batch->paths_count++] = path;
	sample->stack = p->stacks++;
	if (single)
		seen_put(&p->stacks_seen, question, p->stacks);
	return true;
}
