/* mutate_kiln.c: how is a .kiln file changed so that its reader still believes it? */
#include "mutate_kiln.h"

#include "base/utf8.h"
#include "model/kiln_file.h"

#include <stdlib.h>

#define SECTIONS_LIMIT 400u
#define ROWS_AT_ONCE   64u /* that a mutation adds */

typedef struct kiln_draft_section section;

/* ---- Reading and writing ---- */

bool is_kiln(struct bytes file)
{
	return bytes_starts_with(file, BYTES(KILN_FILE_MAGIC));
}

static section *add_section(struct kiln_draft *d, size_t at, const struct kiln_section *head)
{
	vector_push(&d->sections, (section){0});
	memmove(d->sections.items + at + 1, d->sections.items + at,
		(d->sections.len - 1 - at) * sizeof(section));
	d->sections.items[at] = (section){.head = *head};
	return &d->sections.items[at];
}

static void remove_section(struct kiln_draft *d, size_t at)
{
	buffer_release(&d->sections.items[at].payload);
	d->sections.len--;
	memmove(d->sections.items + at, d->sections.items + at + 1,
		(d->sections.len - at) * sizeof(section));
}

static bool is_control(const section *s, uint16_t column)
{
	return s->head.table == TABLE_CONTROL && s->head.column == column;
}

void kiln_draft_read(struct kiln_draft *d, struct bytes file)
{
	size_t at = sizeof(struct kiln_header);

	*d = (struct kiln_draft){0};
	if (file.len >= at)
		memcpy(&d->flags, file.at + offsetof(struct kiln_header, flags), sizeof(d->flags));
	while (at < file.len && file.len - at >= sizeof(struct kiln_section) &&
		d->sections.len < SECTIONS_LIMIT) {
		struct kiln_section head;
		size_t room;

		memcpy(&head, file.at + at, sizeof(head));
		at += sizeof(head);
		room = file.len - at;
		head.size = head.size < room ? head.size : room;
		if (head.table == TABLE_CONTROL && head.column == CONTROL_END)
			d->finished = true;
		else if (head.table != TABLE_CONTROL || head.column != CONTROL_INDEX)
			buffer_add(&add_section(d, d->sections.len, &head)->payload, file.at + at,
				(size_t)head.size);
		at += ((size_t)head.size + KILN_ALIGN - 1) & ~(KILN_ALIGN - 1);
	}
}

static void write_section(struct kiln_section head, struct bytes payload, struct buffer *out)
{
	static const char zeroes[KILN_ALIGN];

	head.magic = KILN_SECTION_MAGIC;
	head.size = payload.len;
	head.offset = out->len;
	head.payload_checksum = kiln_checksum(payload);
	head.checksum = hash_bytes(&head, offsetof(struct kiln_section, checksum));
	buffer_add(out, &head, sizeof(head));
	buffer_add(out, payload.at, payload.len);
	buffer_add(out, zeroes, -payload.len & (KILN_ALIGN - 1));
}

static void write_index(const struct buffer *headers, struct buffer *out)
{
	struct kiln_section head = {.table = TABLE_CONTROL,
		.column = CONTROL_INDEX,
		.item_size = sizeof(head),
		.rows = headers->len / sizeof(head)};
	uint64_t at = out->len;

	write_section(head, buffer_bytes(headers), out);
	head.column = CONTROL_END;
	head.rows = 0;
	head.first = at;
	write_section(head, (struct bytes){0}, out);
}

void kiln_draft_write(const struct kiln_draft *d, struct buffer *out)
{
	struct kiln_header h = {.magic = KILN_FILE_MAGIC,
		.version = KILN_FILE_VERSION,
		.align = KILN_ALIGN,
		.flags = d->flags};
	struct buffer headers = {0};

	h.checksum = hash_bytes(&h, offsetof(struct kiln_header, checksum));
	buffer_add(out, &h, sizeof(h));
	for (size_t i = 0; i < d->sections.len; i++) {
		const section *s = &d->sections.items[i];
		size_t at = out->len;

		write_section(s->head, buffer_bytes(&s->payload), out);
		buffer_add(&headers, out->at + at, sizeof(s->head));
	}
	if (d->finished)
		write_index(&headers, out);
	buffer_release(&headers);
}

void kiln_draft_release(struct kiln_draft *d)
{
	for (size_t i = 0; i < d->sections.len; i++)
		buffer_release(&d->sections.items[i].payload);
	vector_release(&d->sections);
}

/* ---- Columns ---- */

static const struct kiln_column *column_of(const section *s)
{
	size_t column = kiln_column_find(s->head.table, s->head.column);

	return column == SIZE_MAX ? NULL : &kiln_columns[column];
}

static uint64_t payload_rows(const section *s)
{
	return s->head.item_size ? s->payload.len / s->head.item_size : 0;
}

static bool same_column(const section *s, uint16_t table, uint16_t column, uint32_t instance)
{
	return s->head.table == table && s->head.column == column && s->head.instance == instance;
}

/* Of a column by all of its sections. */
static uint64_t rows_of(
	const struct kiln_draft *d, uint16_t table, uint16_t column, uint32_t instance)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < d->sections.len; i++) {
		const section *s = &d->sections.items[i];
		uint64_t end = s->head.first + payload_rows(s);

		if (same_column(s, table, column, instance) && end > rows)
			rows = end;
	}
	return rows;
}

/* A row after all sections are laid over each other; false: it is in none. */
static bool row_get(const struct kiln_draft *d, uint16_t table, uint16_t column, uint32_t instance,
	uint64_t row, void *ret, size_t size)
{
	for (size_t i = d->sections.len; i--;) {
		const section *s = &d->sections.items[i];

		if (!same_column(s, table, column, instance) || row < s->head.first ||
			row - s->head.first >= payload_rows(s) || s->head.item_size != size)
			continue;
		memcpy(ret, s->payload.at + (row - s->head.first) * size, size);
		return true;
	}
	return false;
}

/* Bytes of the members of a row, in their order. */
static const char *layout_of(const struct kiln_column *c)
{
	static const struct {
		uint16_t table, column;
		const char *widths;
	} layouts[] = {{TABLE_STRINGS, 1, "8"}, {TABLE_STRINGS, 2, "1"}, {TABLE_FRAMES, 1, "44444"},
		{TABLE_PROCESSES, 1, "44"}, {TABLE_MAPPINGS, 1, "84444"},
		{TABLE_LOCATIONS, 1, "844"}, {TABLE_LOCATIONS, 2, "44"}, {TABLE_THREADS, 1, "444"},
		{TABLE_LABEL_SETS, 1, "444"}, {TABLE_SAMPLES, 3, "8"}, {TABLE_SAMPLES, 4, "8"},
		{TABLE_SAMPLES, 5, "2"}, {TABLE_STREAMS, 1, "44444488888"}, {TABLE_STREAMS, 2, "8"},
		{TABLE_LOSSES, 1, "448"}, {TABLE_META, 1, "44"}};

	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].table == c->table && layouts[i].column == c->column)
			return layouts[i].widths;
	return "4"; /* an id */
}

static const struct kiln_reference *reference_at(const struct kiln_column *c, size_t offset)
{
	for (size_t i = 0; i < KILN_REFERENCES; i++)
		if (c->references[i].rule && c->references[i].offset == offset)
			return &c->references[i];
	return NULL;
}

static void bounds_get(const struct kiln_draft *d, uint64_t *ret_bounds)
{
	uint32_t tables = 0;

	for (unsigned table = 0; table < TABLES; table++) {
		bool has_zero = table != TABLE_LOCATION_FRAMES && table != TABLE_STREAMS;
		uint64_t rows = rows_of(d, (uint16_t)table, 1, 0);

		ret_bounds[table] = !rows && has_zero ? 1 : rows;
	}
	for (size_t i = 0; i < d->sections.len; i++)
		if (same_column(&d->sections.items[i], TABLE_SAMPLES, 1, tables))
			tables++;
	ret_bounds[TABLE_SAMPLES] = tables;
	ret_bounds[BOUND_FRAME_KINDS] = FRAME_KINDS;
	ret_bounds[BOUND_MAPPING_KINDS] = MAPPING_JIT + 1;
}

/* ---- Repairing ---- */

/* Sections belong to tables before them, and begin within the rows so far. */
static void repair_order(struct kiln_draft *d)
{
	uint32_t tables = 0, streams = 0;

	for (size_t i = 0; i < d->sections.len; i++) {
		section *s = &d->sections.items[i];
		const struct kiln_column *c = column_of(s);
		uint64_t rows = 0;

		if (!c)
			continue;
		s->head.item_size = c->item_size;
		s->payload.len -= s->payload.len % c->item_size;
		s->head.rows = payload_rows(s);
		if (c->place != IN_SAMPLES && c->place != IN_STREAM)
			s->head.instance = 0;
		if (c->place == IN_SAMPLES && c->column == 1 && s->head.instance >= tables)
			s->head.instance = tables++;
		if ((c->place == IN_SAMPLES && s->head.instance >= tables) ||
			(c->place == IN_STREAM && s->head.instance >= streams)) {
			remove_section(d, i--);
			continue;
		}
		for (size_t k = 0; k < i; k++) {
			const section *before = &d->sections.items[k];
			uint64_t end = before->head.first + payload_rows(before);

			if (same_column(before, c->table, c->column, s->head.instance) &&
				end > rows)
				rows = end;
		}
		s->head.first = s->head.first < rows ? s->head.first : rows;
		if (c->place == IN_STREAM_ROWS && s->head.first + s->head.rows > streams)
			streams = (uint32_t)(s->head.first + s->head.rows);
	}
}

/* Cut the column to `rows`, or add rows of zeroes. */
static void set_rows(
	struct kiln_draft *d, const struct kiln_column *c, uint32_t instance, uint64_t rows)
{
	uint64_t have = rows_of(d, c->table, c->column, instance);
	section *last = NULL;

	for (size_t i = 0; i < d->sections.len; i++) {
		section *s = &d->sections.items[i];

		if (!same_column(s, c->table, c->column, instance))
			continue;
		s->head.first = s->head.first < rows ? s->head.first : rows;
		if (s->head.rows > rows - s->head.first) {
			s->head.rows = rows - s->head.first;
			s->payload.len = (size_t)s->head.rows * c->item_size;
		}
		if (s->head.first + s->head.rows == have)
			last = s;
	}
	for (; last && have < rows; have++) {
		memset(buffer_reserve(&last->payload, c->item_size), 0, c->item_size);
		last->payload.len += c->item_size;
		last->head.rows++;
	}
}

static uint64_t rows_wanted(
	const struct kiln_draft *d, const struct kiln_column *c, uint32_t instance)
{
	struct stream_row row;

	if (c->place != IN_STREAM)
		return rows_of(d, c->table, 1, instance);
	if (!row_get(d, TABLE_STREAMS, 1, 0, instance, &row, sizeof(row)))
		return 0;
	return rows_of(d, TABLE_SAMPLES, 1, row.samples);
}

/* Columns of one table have the same number of rows; optional ones may have none. */
static void repair_rows(struct kiln_draft *d)
{
	for (size_t i = 0; i < d->sections.len; i++) {
		const section *s = &d->sections.items[i];
		const struct kiln_column *c = column_of(s);

		if (c && c->table != TABLE_STRINGS && (c->column != 1 || c->place == IN_STREAM))
			set_rows(d, c, s->head.instance, rows_wanted(d, c, s->head.instance));
	}
}

/* A stack needs a location, and a location a span of names. */
static void repair_missing(struct kiln_draft *d)
{
	static const uint16_t pairs[] = {TABLE_LOCATIONS, TABLE_STACKS};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const struct kiln_column *c = &kiln_columns[kiln_column_find(pairs[i], 2)];
		struct kiln_section head = {
			.table = c->table, .column = c->column, .item_size = c->item_size};

		if (rows_of(d, c->table, 1, 0) && !rows_of(d, c->table, 2, 0))
			add_section(d, d->sections.len, &head);
		set_rows(d, c, 0, rows_of(d, c->table, 1, 0));
	}
}

static void repair_row(
	const struct kiln_column *c, char *row, uint64_t number, const uint64_t *bounds)
{
	for (size_t i = 0; i < KILN_REFERENCES && c->references[i].rule; i++) {
		const struct kiln_reference *r = &c->references[i];
		uint64_t bound = r->rule == REFERENCE_EARLIER ? number : bounds[r->bound];
		uint32_t id, count;

		memcpy(&id, row + r->offset, sizeof(id));
		if (r->rule == REFERENCE_SPAN) {
			memcpy(&count, row + r->offset + 4, sizeof(count));
			id = id <= bound ? id : (uint32_t)(id % (bound + 1));
			count = count <= bound - id ? count : (uint32_t)(count % (bound - id + 1));
			memcpy(row + r->offset + 4, &count, sizeof(count));
		} else if (id >= bound) {
			id = bound ? (uint32_t)(id % bound) : 0;
		}
		memcpy(row + r->offset, &id, sizeof(id));
	}
}

static void repair_references(struct kiln_draft *d)
{
	uint64_t bounds[BOUNDS];

	bounds_get(d, bounds);
	for (size_t i = 0; i < d->sections.len; i++) {
		section *s = &d->sections.items[i];
		const struct kiln_column *c = column_of(s);

		for (uint64_t row = 0; c && row < s->head.rows; row++)
			repair_row(
				c, s->payload.at + row * c->item_size, s->head.first + row, bounds);
	}
}

/* Clean, each section for itself; one that is laid over another could cut a character: then all is
 * ASCII. */
static void repair_text(struct kiln_draft *d)
{
	unsigned count = 0;

	for (size_t i = 0; i < d->sections.len; i++)
		count += same_column(&d->sections.items[i], TABLE_STRINGS, 2, 0);
	for (size_t i = 0; i < d->sections.len; i++) {
		section *s = &d->sections.items[i];
		size_t clean;

		if (!same_column(s, TABLE_STRINGS, 2, 0))
			continue;
		for (size_t k = 0; count > 1 && k < s->payload.len; k++)
			if ((unsigned char)s->payload.at[k] >= 0x80)
				s->payload.at[k] = 'x';
		while ((clean = utf8_clean_length(buffer_bytes(&s->payload))) < s->payload.len)
			s->payload.at[clean] = '?';
	}
}

/* Ends ascend, and are where a character ends. */
static void repair_ends(struct kiln_draft *d)
{
	uint64_t rows = rows_of(d, TABLE_STRINGS, 1, 0), before = 0, end;
	uint64_t len = rows_of(d, TABLE_STRINGS, 2, 0);

	for (uint64_t row = 0; row < rows; row++) {
		char next;

		if (!row_get(d, TABLE_STRINGS, 1, 0, row, &end, sizeof(end)))
			end = before;
		end = end < before ? before : end > len ? len : end;
		while (end < len && row_get(d, TABLE_STRINGS, 2, 0, end, &next, 1) &&
			(next & 0xC0) == 0x80)
			end++;
		before = row ? end : 0;
		for (size_t i = 0; i < d->sections.len; i++) {
			section *s = &d->sections.items[i];

			if (same_column(s, TABLE_STRINGS, 1, 0) && row >= s->head.first &&
				row - s->head.first < s->head.rows)
				memcpy(s->payload.at + (row - s->head.first) * sizeof(before),
					&before, sizeof(before));
		}
	}
}

static void add_commit(struct kiln_draft *d)
{
	struct kiln_section commit = {
		.table = TABLE_CONTROL, .column = CONTROL_COMMIT, .item_size = sizeof(commit)};

	if (!d->sections.len ||
		!is_control(&d->sections.items[d->sections.len - 1], CONTROL_COMMIT))
		add_section(d, d->sections.len, &commit);
}

void kiln_draft_repair(struct kiln_draft *d)
{
	repair_order(d);
	repair_missing(d);
	repair_rows(d);
	repair_references(d);
	repair_rows(d); /* streams may have got other samples */
	repair_text(d);
	repair_ends(d);
	add_commit(d);
}

/* ---- Generating ---- */

static bool to_buffer(void *context, struct bytes bytes, struct error *err)
{
	(void)err;
	buffer_add(context, bytes.at, bytes.len);
	return true;
}

void kiln_generate(uint64_t *state, struct buffer *out)
{
	struct kiln_writer w = {.sink = {to_buffer, out}};
	struct error ignored = {0};
	struct profile p;
	uint32_t pieces = random_below(state, 3);

	random_profile(&p, random_next(state), random_below(state, 6));
	for (uint32_t i = 0; i < pieces; i++) {
		kiln_writer_append(&w, &p, &ignored);
		random_profile_grow(&p, state, random_below(state, 3));
	}
	if (mutation_chance(state, 3))
		kiln_writer_append(&w, &p, &ignored);
	else
		kiln_writer_finish(&w, &p, &ignored);
	kiln_writer_release(&w);
	profile_release(&p);
}

/* ---- Mutating ---- */

/* One with rows of a known column; NULL: found none. */
static section *some_rows(struct kiln_draft *d, uint64_t *state)
{
	for (unsigned tries = 0; d->sections.len && tries < 8; tries++) {
		section *s = &d->sections.items[random_below(state, (uint32_t)d->sections.len)];
		const struct kiln_column *c = column_of(s);

		if (c && s->head.item_size == c->item_size && payload_rows(s))
			return s;
	}
	return NULL;
}

static char *row_at(section *s, uint64_t *state)
{
	return s->payload.at +
	       random_below(state, (uint32_t)payload_rows(s)) * (size_t)s->head.item_size;
}

/* An id is mostly one within its table: the first, the last, or any. */
static uint32_t some_id(uint64_t *state, uint64_t bound)
{
	switch (random_below(state, 8)) {
	case 0:
		return 0;
	case 1:
		return (uint32_t)(bound - 1);
	case 2:
		return (uint32_t)mutation_extreme(state);
	default:
		return bound ? random_below(
				       state, bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX)
			     : 0;
	}
}

static void change_member(struct kiln_draft *d, section *s, char *row, uint64_t *state)
{
	const struct kiln_column *c = column_of(s);
	const char *widths = layout_of(c);
	uint32_t member = random_below(state, (uint32_t)strlen(widths)), id;
	const struct kiln_reference *r;
	uint64_t bounds[BOUNDS];
	size_t offset = 0;

	for (uint32_t i = 0; i < member; i++)
		offset += (size_t)(widths[i] - '0');
	r = reference_at(c, offset);
	if (!r || r->rule == REFERENCE_SPAN) {
		mutation_change(state, row + offset, (size_t)(widths[member] - '0'));
		return;
	}
	bounds_get(d, bounds);
	id = some_id(state, r->rule == REFERENCE_EARLIER ? bounds[c->table] : bounds[r->bound]);
	memcpy(row + offset, &id, sizeof(id));
}

static void change_row(struct kiln_draft *d, uint64_t *state)
{
	section *s = some_rows(d, state);

	if (s)
		change_member(d, s, row_at(s, state), state);
}

/* All rows of a section alike, ascending by one, or each the last one's follower. */
static void change_column(struct kiln_draft *d, uint64_t *state)
{
	section *s = some_rows(d, state);
	uint64_t value = mutation_extreme(state), step = random_below(state, 3) - (uint64_t)1;
	const struct kiln_column *c = s ? column_of(s) : NULL;
	size_t offset = 0, width, member;
	const char *widths;

	if (!c || c->item_size == 1)
		return;
	widths = layout_of(c);
	member = random_below(state, (uint32_t)strlen(widths));
	for (size_t i = 0; i < member; i++)
		offset += (size_t)(widths[i] - '0');
	width = (size_t)(widths[member] - '0');
	for (uint64_t row = 0; row < payload_rows(s); row++, value += step)
		memcpy(s->payload.at + row * s->head.item_size + offset, &value, width);
}

/* Rows of every column of the table, alike in all of them or not. */
static void add_rows(struct kiln_draft *d, uint64_t *state)
{
	section *s = some_rows(d, state);
	uint16_t table = s ? s->head.table : 0;
	uint32_t instance = s ? s->head.instance : 0, count = 1 + random_below(state, ROWS_AT_ONCE);

	for (size_t i = 0; s && i < d->sections.len; i++) {
		section *to = &d->sections.items[i];
		const struct kiln_column *c = column_of(to);
		uint32_t copied;

		if (!c || to->head.table != table || to->head.instance != instance ||
			!payload_rows(to) || to->head.item_size != c->item_size ||
			to->head.first + payload_rows(to) !=
				rows_of(d, table, to->head.column, instance))
			continue;
		copied = random_below(state, (uint32_t)payload_rows(to));
		for (uint32_t k = 0; k < count; k++) {
			char *room = buffer_reserve(&to->payload, c->item_size);

			memcpy(room, to->payload.at + copied * (size_t)c->item_size, c->item_size);
			to->payload.len += c->item_size;
			to->head.rows++;
			if (mutation_chance(state, 4))
				change_member(d, to,
					to->payload.at + to->payload.len - c->item_size, state);
		}
	}
}

static void remove_rows(struct kiln_draft *d, uint64_t *state)
{
	section *s = some_rows(d, state);

	if (!s)
		return;
	s->head.rows = random_below(state, (uint32_t)payload_rows(s));
	s->payload.len = (size_t)s->head.rows * s->head.item_size;
}

/* Each stack the caller of the next one. */
static void deepen(struct kiln_draft *d, uint64_t *state)
{
	uint32_t first = random_below(state, 4);

	for (size_t i = 0; i < d->sections.len; i++) {
		section *s = &d->sections.items[i];

		for (uint64_t row = 0; same_column(s, TABLE_STACKS, 1, 0) &&
				       s->head.item_size == 4 && row < payload_rows(s);
			row++) {
			uint64_t stack = s->head.first + row;
			uint32_t caller = stack > first ? (uint32_t)stack - 1 : 0;

			memcpy(s->payload.at + row * 4, &caller, sizeof(caller));
		}
	}
}

/* A string that others refer to is another text: in the place of the last one, or at the end. */
static void change_text(struct kiln_draft *d, uint64_t *state)
{
	struct bytes text = mutation_text(state);

	for (size_t i = d->sections.len; i--;) {
		section *s = &d->sections.items[i];
		size_t at;

		if (!same_column(s, TABLE_STRINGS, 2, 0) || s->head.item_size != 1)
			continue;
		at = random_below(state, (uint32_t)s->payload.len + 1);
		if (at + text.len > s->payload.len) {
			buffer_add(&s->payload, text.at, text.len);
			s->head.rows = s->payload.len;
		} else if (text.len) {
			memcpy(s->payload.at + at, text.at, text.len);
		}
		return;
	}
}

/* The rows from some place on in a section of their own, or once more, changed. */
static void split(struct kiln_draft *d, uint64_t *state)
{
	section *s = some_rows(d, state), *other;
	bool again = mutation_chance(state, 2);
	struct kiln_section head;
	uint64_t kept;
	size_t at;

	if (!s)
		return;
	at = (size_t)(s - d->sections.items);
	kept = random_below(state, (uint32_t)payload_rows(s));
	head = s->head;
	head.first += kept;
	head.rows = payload_rows(s) - kept;
	other = add_section(d, at + 1, &head);
	s = &d->sections.items[at];
	buffer_add(&other->payload, s->payload.at + kept * head.item_size,
		(size_t)head.rows * head.item_size);
	if (again)
		change_member(d, other, row_at(other, state), state);
	else
		s->payload.len = (size_t)(s->head.rows = kept) * head.item_size;
}

/* Absent, repeated, moved, or of another instance. */
static void move_section(struct kiln_draft *d, uint64_t *state)
{
	size_t from, to;
	section moved;

	if (d->sections.len < 2)
		return;
	from = random_below(state, (uint32_t)d->sections.len);
	to = random_below(state, (uint32_t)d->sections.len);
	moved = d->sections.items[from];
	switch (random_below(state, 4)) {
	case 0:
		remove_section(d, from);
		break;
	case 1:
		buffer_add(&add_section(d, to, &moved.head)->payload, moved.payload.at,
			moved.payload.len);
		break;
	case 2:
		d->sections.items[from] = d->sections.items[to];
		d->sections.items[to] = moved;
		break;
	default:
		d->sections.items[from].head.instance = mutation_chance(state, 2)
								? moved.head.instance + 1
								: (uint32_t)mutation_extreme(state);
	}
}

/* One more samples table, or one more stream with values of its own, like one that there is. */
static void add_instance(struct kiln_draft *d, uint64_t *state)
{
	uint16_t table = mutation_chance(state, 2) ? TABLE_SAMPLES : TABLE_STREAMS;
	uint64_t bounds[BOUNDS];
	uint32_t of;
	size_t count = d->sections.len;

	bounds_get(d, bounds);
	if (!bounds[table] || bounds[table] > 8)
		return;
	of = random_below(state, (uint32_t)bounds[table]);
	for (size_t i = 0; i < count; i++) {
		struct kiln_section head = d->sections.items[i].head;
		const struct kiln_column *c = column_of(&d->sections.items[i]);
		struct buffer *payload;

		if (!c || head.table != table ||
			(c->place != IN_STREAM_ROWS && head.instance != of))
			continue;
		if (c->place == IN_STREAM_ROWS)
			head.first = bounds[table];
		else
			head.instance = (uint32_t)bounds[table];
		payload = &add_section(d, d->sections.len, &head)->payload;
		buffer_add(payload, d->sections.items[i].payload.at,
			c->place == IN_STREAM_ROWS &&
					d->sections.items[i].payload.len > c->item_size
				? c->item_size
				: d->sections.items[i].payload.len);
	}
}

static void change_header(struct kiln_draft *d, uint64_t *state)
{
	section *s;

	switch (random_below(state, 4)) {
	case 0:
		d->flags ^= mutation_chance(state, 4) ? mutation_extreme(state) : KILN_ROWS_UNIQUE;
		return;
	case 1:
		d->finished = !d->finished;
		return;
	case 2:
		add_commit(d);
		return;
	}
	if (!d->sections.len)
		return;
	s = &d->sections.items[random_below(state, (uint32_t)d->sections.len)];
	/* A word from the table to the number of rows. */
	mutation_change(state, (char *)&s->head + 4 + 4 * (size_t)random_below(state, 7), 4);
}

void kiln_draft_mutate(struct kiln_draft *d, uint64_t *state)
{
	static void (*const ways[])(struct kiln_draft *, uint64_t *) = {change_row, change_row,
		change_row, change_row, change_column, change_column, add_rows, add_rows,
		remove_rows, deepen, change_text, change_text, split, move_section, add_instance,
		change_header};

	for (uint32_t left = 1 + random_below(state, 4); left; left--)
		ways[random_below(state, sizeof(ways) / sizeof(*ways))](d, state);
}

size_t mutate_kiln(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
	struct bytes file = {(const char *)data, size};
	struct kiln_draft d;
	struct buffer out = {0};

	if (!is_kiln(file) || mutation_chance(&seed, 200)) {
		kiln_generate(&seed, &out);
		return mutation_done(&out, data, size, max_size);
	}
	kiln_draft_read(&d, file);
	kiln_draft_mutate(&d, &seed);
	if (!mutation_chance(&seed, 8))
		kiln_draft_repair(&d);
	kiln_draft_write(&d, &out);
	if (!d.finished && mutation_chance(&seed, 8)) /* a torn end */
		out.len -= random_below(&seed, 200) % out.len;
	kiln_draft_release(&d);
	return mutation_done(&out, data, size, max_size);
}

size_t cross_kiln(
	struct bytes first, struct bytes second, uint8_t *out, size_t max_size, uint64_t seed)
{
	uint16_t table = (uint16_t)(1 + random_below(&seed, TABLES - 1));
	struct kiln_draft a, b;
	struct buffer file = {0};
	size_t size;

	kiln_draft_read(&a, first);
	kiln_draft_read(&b, second);
	for (size_t i = a.sections.len; i--;)
		if (a.sections.items[i].head.table == table)
			remove_section(&a, i);
	for (size_t i = 0; i < b.sections.len; i++) {
		const section *s = &b.sections.items[i];

		if (s->head.table == table)
			buffer_add(&add_section(&a, a.sections.len, &s->head)->payload,
				s->payload.at, s->payload.len);
	}
	kiln_draft_repair(&a);
	kiln_draft_write(&a, &file);
	kiln_draft_release(&a);
	kiln_draft_release(&b);
	size = mutation_done(&file, out, 0, max_size);
	if (!size && first.len <= max_size) {
		memcpy(out, first.at, first.len);
		size = first.len;
	}
	return size;
}
