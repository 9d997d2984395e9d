/* pprof_stacks.c: which stack do these locations of a pprof file make?
 *
 * A stack's locations are listed innermost first, so stacks that share their outermost frames end
 * in the same bytes. */
#include "readers/pprof_file.h"
#include "readers/scan.h"

#include <endian.h>

/* ---- Places ---- */

static void take_line(struct pprof *p, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &pprof_line_shape);
	struct pprof_line line = {.kind = PPROF_KIND_UNTOLD};

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

/* ---- Steps ---- */

static void push_place(struct pprof *p, uint32_t row)
{
	const struct pprof_place *place = &p->locations.items[row];

	if (!place->made.count)
		make_place(p, row);
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

		if (!place->made.count)
			make_place(p, row);
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
static void push_rows(struct pprof *p, size_t shared, struct pprof_sample *sample)
{
	uint32_t level = shared ? p->levels.items[shared - 1] : 0;
	size_t before = p->batch->steps.len;

	sample->level = level;
	p->levels.len = shared;
	vector_reserve(&p->levels, p->rows.len);
	for (size_t i = p->rows.len; i-- > 0;) {
		push_place(p, p->rows.items[i]);
		p->levels.items[p->levels.len++] = level + (uint32_t)(p->batch->steps.len - before);
	}
}

/* The same when they are places already, each of them one. */
static void push_places(struct pprof *p, size_t shared, struct pprof_sample *sample)
{
	uint32_t level = shared ? p->levels.items[shared - 1] : 0;
	size_t count = p->rows.len;
	location_id *steps;
	uint32_t *levels;

	sample->level = level;
	vector_reserve(&p->batch->steps, count);
	p->levels.len = shared;
	vector_reserve(&p->levels, count);
	steps = p->batch->steps.items + p->batch->steps.len;
	levels = p->levels.items + shared;
	for (size_t i = 0; i < count; i++) {
		steps[i] = p->rows.items[count - 1 - i];
		levels[i] = level + (uint32_t)i + 1;
	}
	p->batch->steps.len += count;
	p->levels.len += count;
}

/* ---- Rows ---- */

/* Where in eight bytes numbers end. */
#define ENDS 0x8080808080808080u

/* The number of up to four bytes that these are the first of, and `bits` all that it has. */
static inline uint64_t short_number(uint64_t bytes, unsigned bits)
{
	bytes &= ((uint64_t)1 << bits) - 1;
	return (bytes & 0x7f) | (bytes >> 1 & 0x3f80) | (bytes >> 2 & 0x1fc000) |
	       (bytes >> 3 & 0xfe00000);
}

/* What the table has of an id of a location, 0: nothing; where the id is too large for it, that of
 * the location's row if `rows`. */
static inline uint32_t of_id(const struct pprof *p, const uint32_t *table, bool rows, uint64_t id)
{
	if (id < p->location_rows.dense.len)
		return table[id];
	return rows ? pprof_ids_find_sparse(&p->location_rows, PPROF_ID_ROWS(&p->locations), id)
		    : 0;
}

/* Put what the table has of each number into the rows. Numbers of one to three bytes, each of
 * another length: eight bytes at once are faster than branches that nobody can foretell. */
static inline bool take_numbers(
	struct pprof *p, struct bytes bytes, const uint32_t *table, bool rows)
{
	struct cursor c = cursor_of(bytes);
	uint32_t *to;

	if (!bytes.len)
		return true;
	vector_reserve(&p->rows, bytes.len);
	to = p->rows.items + p->rows.len;
	while (c.at < c.end) {
		uint64_t word = ~(uint64_t)0, ends;

		if (p->end - (const char *)c.at >= (ptrdiff_t)sizeof(word)) {
			memcpy(&word, c.at, sizeof(word));
			word = le64toh(word);
		}
		ends = ~word & ENDS;
		if (cursor_left(&c) < sizeof(word))
			ends &= ((uint64_t)1 << 8 * cursor_left(&c)) - 1;
		if (!(ends & ENDS >> 32))
			*to++ = of_id(p, table, rows, cursor_uleb(&c));
		while (ends & ENDS >> 32) {
			unsigned bits = (unsigned)__builtin_ctzll(ends) + 1;

			*to++ = of_id(p, table, rows, short_number(word, bits));
			word >>= bits;
			ends >>= bits;
			c.at += bits / 8;
		}
	}
	p->rows.len = (size_t)(to - p->rows.items);
	return !c.bad;
}

/* To rows; 0 for one that the file has not got. */
bool pprof_take_packed(struct pprof *p, struct bytes locations)
{
	return take_numbers(p, locations, p->location_rows.dense.items, true);
}

static bool has_zero(const uint32_t *items, size_t count)
{
	bool zero = false;

	for (size_t i = 0; i < count; i++)
		zero |= !items[i];
	return zero;
}

/* To places, each of them one; false: that is not possible, or not yet. */
static bool take_places(struct pprof *p, struct bytes locations)
{
	p->rows.len = 0;
	return take_numbers(p, locations, p->place_of_id.items, false) &&
	       !has_zero(p->rows.items, p->rows.len);
}

void pprof_take_location(struct pprof *p, uint64_t id)
{
	vector_push(&p->rows, pprof_ids_find(&p->location_rows, PPROF_ID_ROWS(&p->locations), id));
}

/* ---- Stacks ---- */

static const char *const too_deep = "expected no stack of more than 8,192 frames";

_Static_assert(STACK_DEPTH_LIMIT == 8192, "too_deep says so");

/* How many of the numbers that the last stack had end in these bytes? */
static size_t count_numbers(struct bytes bytes)
{
	size_t count = 0, at = 0;

	for (uint64_t word; bytes.len - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes.at + at, sizeof(word));
		count += (size_t)__builtin_popcountll(~word & ENDS);
	}
	for (; at < bytes.len; at++)
		count += !(bytes.at[at] & 0x80);
	return count;
}

/* Does a number start there? */
static bool is_start(struct bytes bytes, size_t at)
{
	return !at || !(bytes.at[at - 1] & 0x80);
}

/* How many locations at the end are those of the last stack; the others are left in *locations. */
static size_t cut_shared(const struct pprof *p, struct bytes *locations)
{
	size_t common = scan_common_end(p->last, *locations);
	size_t at = locations->len - common, before = p->last.len - common;
	size_t skipped = at;

	if (!is_start(*locations, at) || !is_start(p->last, before)) {
		while (at < locations->len && locations->at[at] & 0x80)
			at++;
		at += at < locations->len;
	}
	before += at - skipped;
	locations->len = at;
	return p->levels.len - count_numbers((struct bytes){p->last.at, before});
}

static bool take_known_rows(struct pprof *p, struct bytes locations, const char **ret_reason)
{
	*ret_reason = "expected whole numbers of locations";
	if (!pprof_take_packed(p, locations))
		return false;
	*ret_reason = "expected locations that the file has";
	if (has_zero(p->rows.items, p->rows.len))
		return false;
	*ret_reason = too_deep;
	return p->rows.len <= STACK_DEPTH_LIMIT;
}

/* Of locations in one field, which most such samples have. */
static bool take_field(struct pprof *p, struct bytes locations, struct pprof_sample *sample,
	const char **ret_reason)
{
	struct bytes rest = locations;
	size_t shared = cut_shared(p, &rest);
	bool places = take_places(p, rest);

	if (!places) {
		p->rows.len = 0;
		if (!take_known_rows(p, rest, ret_reason))
			return false;
	}
	*ret_reason = too_deep;
	if (p->rows.len + shared > STACK_DEPTH_LIMIT)
		return false;
	(places ? push_places : push_rows)(p, shared, sample);
	p->last = locations;
	return true;
}

/* Of locations in several fields, or with frames to be left out. */
static bool take_collected(struct pprof *p, struct bytes locations, struct pprof_sample *sample,
	const char **ret_reason)
{
	if (!take_known_rows(p, locations, ret_reason))
		return false;
	if (p->places.drop)
		push_cut_stack(p);
	else
		push_rows(p, 0, sample);
	p->last.len = p->levels.len = 0;
	return true;
}

bool pprof_take_stack(struct pprof *p, struct bytes locations, const char **ret_reason)
{
	struct pprof_sample *sample = &p->batch->samples[p->batch->count];
	bool single = locations.len && !p->places.drop;
	size_t before = p->batch->steps.len;

	*sample = (struct pprof_sample){0};
	if (single && seen_find(&p->stacks_seen, locations, &sample->stack))
		return true;
	if (!(single ? take_field : take_collected)(p, locations, sample, ret_reason))
		return false;
	sample->steps = (uint32_t)(p->batch->steps.len - before);
	sample->is_new = true;
	sample->stack = p->stacks++;
	if (single)
		seen_put(&p->stacks_seen, locations, sample->stack);
	return true;
}
