/* kiln_reader.c: how do the bytes of a .kiln file become a profile, whatever is in them?
 *
 * First the headers of all sections are read; they tell how many rows every table has. Then the
 * payloads are verified in pieces, in parallel: the checksum and the ids of a piece together, while
 * it is in the cache. Only then are the columns taken over, borrowed where one section has all of
 * their rows. So opening a file costs one read of it at memory speed (`bench/open_kiln.sh`), and no
 * later code checks an id again. */
#include "model/extent.h"
#include "model/kiln_columns.h"
#include "model/kiln_file.h"
#include "model/numbers.h"

#include "base/expansion.h"
#include "base/utf8.h"

#include <stdlib.h>

/* One column of one instance, and its sections. */
struct slot {
	uint64_t rows;
	size_t whole; /* the section that holds all rows; SIZE_MAX: several, to be joined */
};

/* A part of a payload that is verified at once. */
struct piece {
	size_t section;
	size_t at, len;	   /* in the payload, bytes */
	uint64_t checksum; /* as computed */
	uint64_t bad_row;  /* UINT64_MAX: none */
};

struct reading {
	struct bytes content;
	VECTOR(struct kiln_section) sections; /* valid ones; copies of their headers */
	VECTOR(struct piece) pieces;
	VECTOR(struct slot) slots; /* [instance * KILN_COLUMNS_LIMIT + column] */
	uint64_t tables, streams;  /* samples tables and streams */
	uint64_t bounds[BOUNDS];
	bool finished;	 /* has an index */
	uint64_t usable; /* bytes before a torn end */
};

static const char *column_name(const struct kiln_section *s)
{
	size_t column = kiln_column_find(s->table, s->column);

	return column == SIZE_MAX ? "unknown" : kiln_columns[column].name;
}

/* ---- Which sections are there? ---- */

static bool header_check(struct bytes content, bool *ret_may_have_duplicates, struct error *err)
{
	struct kiln_header h;

	if (content.len < sizeof(h))
		return error_set(err, ERR_FORMAT,
			"byte %zu: truncated; expected a .kiln header of %zu bytes", content.len,
			sizeof(h));
	memcpy(&h, content.at, sizeof(h));
	if (memcmp(h.magic, KILN_FILE_MAGIC, sizeof(h.magic)))
		return error_set(
			err, ERR_FORMAT, "byte 0: expected the magic number of a .kiln file");
	if (h.checksum != hash_bytes(&h, offsetof(struct kiln_header, checksum)))
		return error_set(err, ERR_FORMAT, "byte 0: the file's header is damaged");
	if (h.version != KILN_FILE_VERSION || h.align != KILN_ALIGN)
		return error_set(err, ERR_FORMAT,
			"byte 8: .kiln version %u; this kiln reads version %u", h.version,
			KILN_FILE_VERSION);
	*ret_may_have_duplicates = !(h.flags & KILN_ROWS_UNIQUE);
	return true;
}

static uint64_t section_end(const struct kiln_section *s)
{
	return s->offset + sizeof(*s) + ((s->size + KILN_ALIGN - 1) & ~(uint64_t)(KILN_ALIGN - 1));
}

/* Is there a complete, undamaged header at `offset`, and its payload and padding inside the
 * content? */
static bool section_at(struct bytes content, uint64_t offset, struct kiln_section *ret_section)
{
	struct kiln_section s;
	uint64_t end;

	if (offset % KILN_ALIGN || offset > content.len || content.len - offset < sizeof(s))
		return false;
	memcpy(&s, content.at + offset, sizeof(s));
	if (s.magic != KILN_SECTION_MAGIC || s.offset != offset || s.size > content.len ||
		s.checksum != hash_bytes(&s, offsetof(struct kiln_section, checksum)))
		return false;
	end = section_end(&s);
	if (end > content.len)
		return false;
	for (uint64_t i = offset + sizeof(s) + s.size; i < end; i++)
		if (content.at[i])
			return false;
	*ret_section = s;
	return true;
}

/* Collect the sections in [from, to). Returns the offset of the first damaged one. */
static uint64_t sections_scan(struct reading *r, uint64_t from, uint64_t to)
{
	struct bytes part = {r->content.at, (size_t)to};
	struct kiln_section s;

	while (from < to && section_at(part, from, &s)) {
		vector_push(&r->sections, s);
		from = section_end(&s);
	}
	return from;
}

/* A finished file ends with the offset of its index; the index contains copies of all headers
 * before it. */
static bool index_read(struct reading *r, struct error *err)
{
	struct kiln_section end, index;
	struct bytes listed, found;
	uint64_t reached;

	if (!section_at(r->content, r->content.len - sizeof(end), &end) ||
		end.table != TABLE_CONTROL || end.column != CONTROL_END)
		return false;
	if (!section_at(r->content, end.first, &index) || section_end(&index) != end.offset ||
		index.table != TABLE_CONTROL || index.column != CONTROL_INDEX)
		return error_set(err, ERR_FORMAT, "byte %zu: damaged; expected the index",
			(size_t)end.first);
	reached = sections_scan(r, sizeof(struct kiln_header), end.first);
	if (reached != end.first)
		return error_set(
			err, ERR_FORMAT, "byte %zu: damaged; expected a section", (size_t)reached);
	listed = (struct bytes){r->content.at + end.first + sizeof(index), index.size};
	found = (struct bytes){
		(const char *)r->sections.items, r->sections.len * sizeof(*r->sections.items)};
	if (!bytes_equal(listed, found) || index.payload_checksum != kiln_checksum(listed))
		return error_set(err, ERR_FORMAT, "byte %zu: the index does not match the sections",
			(size_t)end.first);
	r->finished = true;
	r->usable = r->content.len;
	return true;
}

/* Keep the sections up to the last commit among the first `count`. */
static bool sections_cut(struct reading *r, size_t count, struct error *err)
{
	while (count && (r->sections.items[count - 1].table != TABLE_CONTROL ||
				r->sections.items[count - 1].column != CONTROL_COMMIT))
		count--;
	if (!count)
		return error_set(err, ERR_FORMAT,
			"byte %zu: truncated or damaged before the first complete part",
			r->content.len);
	r->sections.len = count;
	r->usable = section_end(&r->sections.items[count - 1]);
	return true;
}

/* ---- How many rows do the sections have? ---- */

static struct slot *slot_of(struct reading *r, size_t column, uint64_t instance)
{
	size_t slot = (size_t)instance * KILN_COLUMNS_LIMIT + column;

	while (r->slots.len <= slot)
		vector_push(&r->slots, ((struct slot){0, SIZE_MAX}));
	return &r->slots.items[slot];
}

static bool section_wrong(const struct kiln_section *s, const char *what, struct error *err)
{
	return error_set(err, ERR_FORMAT, "byte %zu: section %s: %s", (size_t)s->offset,
		column_name(s), what);
}

static bool too_many(const struct kiln_section *s, uint32_t limit, struct error *err)
{
	return error_set(err, ERR_LIMIT,
		"byte %zu: section %s: more than %u of them; leave some out in the program that "
		"records them",
		(size_t)s->offset, column_name(s), limit);
}

/* Add the rows of a section to its column. */
static bool section_plan(struct reading *r, size_t at, struct error *err)
{
	const struct kiln_section *s = &r->sections.items[at];
	size_t column = kiln_column_find(s->table, s->column);
	const struct kiln_column *c;
	uint64_t instances;
	struct slot *slot;

	if (column == SIZE_MAX)
		return true;
	c = &kiln_columns[column];
	if (s->instance >= PROFILE_STREAMS_LIMIT)
		return too_many(s, PROFILE_STREAMS_LIMIT, err);
	if (s->item_size != c->item_size || s->size % s->item_size ||
		s->rows != s->size / s->item_size)
		return section_wrong(s, "its size does not match its rows", err);
	if (c->place == IN_SAMPLES && s->instance == r->tables && c->column == 1)
		r->tables++;
	instances = c->place == IN_SAMPLES ? r->tables : c->place == IN_STREAM ? r->streams : 1;
	if (s->instance >= instances)
		return section_wrong(s, "it does not belong to anything before it", err);
	slot = slot_of(r, column, s->instance);
	if (s->first > slot->rows)
		return section_wrong(s, "rows before it are missing", err);
	if (c->item_size > 1 && s->first + s->rows > PROFILE_ROWS_LIMIT)
		return section_wrong(s, "too many rows", err);
	if (s->first + s->rows >= slot->rows) {
		slot->whole = s->first ? SIZE_MAX : at;
		slot->rows = s->first + s->rows;
	} else {
		slot->whole = SIZE_MAX;
	}
	if (c->place == IN_STREAM_ROWS && slot->rows > PROFILE_STREAMS_LIMIT)
		return too_many(s, PROFILE_STREAMS_LIMIT, err);
	if (c->table == TABLE_LOSSES && slot->rows > PROFILE_LOSSES_LIMIT)
		return too_many(s, PROFILE_LOSSES_LIMIT, err);
	if (c->place == IN_STREAM_ROWS)
		r->streams = slot->rows;
	return true;
}

/* Do all columns of a table have as many rows as its first one? */
static bool rows_agree(struct reading *r, struct error *err)
{
	for (size_t i = 0; i < r->slots.len; i++) {
		size_t column = i % KILN_COLUMNS_LIMIT, instance = i / KILN_COLUMNS_LIMIT;
		uint64_t rows = r->slots.items[i].rows, want;
		const struct kiln_column *c;

		if (column >= kiln_column_count)
			continue;
		c = &kiln_columns[column];
		if (c->table == TABLE_STRINGS || c->place == IN_STREAM || c->column == 1 ||
			(c->place == IN_SAMPLES && !rows))
			continue; /* not a table, checked with its stream, the first column, or
				     absent */
		want = slot_of(r, kiln_column_find(c->table, 1), instance)->rows;
		if (rows != want)
			return error_set(err, ERR_FORMAT, "%s has %llu rows; expected %llu",
				c->name, (unsigned long long)rows, (unsigned long long)want);
	}
	return true;
}

/* The bounds for ids. A table without rows in the file still gets its row 0. */
static void bounds_set(struct reading *r)
{
	for (size_t i = 0; i < kiln_column_count; i++) {
		const struct kiln_column *c = &kiln_columns[i];
		bool has_zero = c->table != TABLE_LOCATION_FRAMES && c->table != TABLE_STREAMS;
		uint64_t rows = slot_of(r, i, 0)->rows;

		if (c->column == 1 && c->place != IN_SAMPLES)
			r->bounds[c->table] = !rows && has_zero ? 1 : rows;
	}
	r->bounds[TABLE_SAMPLES] = r->tables;
	r->bounds[BOUND_FRAME_KINDS] = FRAME_KINDS;
	r->bounds[BOUND_MAPPING_KINDS] = MAPPING_JIT + 1;
}

static bool sections_plan(struct reading *r, struct error *err)
{
	r->slots.len = 0;
	r->tables = r->streams = 0;
	slot_of(r, KILN_COLUMNS_LIMIT - 1, 0); /* columns without a section have 0 rows */
	for (size_t i = 0; i < r->sections.len; i++)
		if (!section_plan(r, i, err))
			return false;
	if (!rows_agree(r, err))
		return false;
	bounds_set(r);
	return true;
}

/* ---- Are their contents valid? ---- */

static const char *payload_of(const struct reading *r, const struct kiln_section *s)
{
	return r->content.at + s->offset + sizeof(*s);
}

/* Runs in any thread: compute the checksum of a piece, and check the ids of the rows that begin in
 * it. */
static void piece_verify(void *context, size_t i)
{
	struct reading *r = context;
	struct piece *p = &r->pieces.items[i];
	const struct kiln_section *s = &r->sections.items[p->section];
	size_t column = kiln_column_find(s->table, s->column);
	const char *payload = payload_of(r, s);

	p->checksum = hash_bytes(payload + p->at, p->len);
	p->bad_row = UINT64_MAX;
	if (column != SIZE_MAX && kiln_columns[column].references[0].rule) {
		size_t size = s->item_size, from = (p->at + size - 1) / size;
		size_t to = (p->at + p->len + size - 1) / size;

		kiln_column_check(&kiln_columns[column], payload + from * size, s->first + from,
			to - from, r->bounds, &p->bad_row);
	}
}

static void pieces_lay_out(struct reading *r)
{
	r->pieces.len = 0;
	for (size_t i = 0; i < r->sections.len; i++) {
		size_t at = 0, size = (size_t)r->sections.items[i].size;

		do {
			size_t len = size - at < KILN_PIECE ? size - at : KILN_PIECE;

			vector_push(
				&r->pieces, ((struct piece){.section = i, .at = at, .len = len}));
			at += len;
		} while (at < size);
	}
}

/* The checksum of a section whose pieces start at *piece, which is moved past them. */
static uint64_t section_checksum(const struct reading *r, size_t section, size_t *piece)
{
	size_t first = *piece;
	uint64_t *sums, whole;

	while (*piece < r->pieces.len && r->pieces.items[*piece].section == section)
		(*piece)++;
	if (*piece - first == 1)
		return r->pieces.items[first].checksum;
	sums = memory_new(*piece - first, sizeof(*sums));
	for (size_t i = first; i < *piece; i++)
		sums[i - first] = r->pieces.items[i].checksum;
	whole = hash_bytes(sums, (*piece - first) * sizeof(*sums));
	memory_free(sums);
	return whole;
}

/* The first section whose checksum differs; sections.len if none does. */
static size_t sections_damaged(const struct reading *r)
{
	size_t piece = 0;

	for (size_t i = 0; i < r->sections.len; i++)
		if (section_checksum(r, i, &piece) != r->sections.items[i].payload_checksum)
			return i;
	return r->sections.len;
}

static bool is_time(const struct kiln_section *s)
{
	return kiln_columns[kiln_column_find(s->table, s->column)].references[0].rule ==
	       REFERENCE_TIME;
}

static bool pieces_good(const struct reading *r, struct error *err)
{
	for (size_t i = 0; i < r->pieces.len; i++) {
		const struct piece *p = &r->pieces.items[i];
		const struct kiln_section *s = &r->sections.items[p->section];

		if (p->bad_row != UINT64_MAX)
			return error_set(err, ERR_FORMAT, "byte %zu: section %s: row %llu %s",
				(size_t)s->offset, column_name(s), (unsigned long long)p->bad_row,
				is_time(s) ? "is not a valid time: it is above 2^62 ns"
					   : "refers to a row that does not exist");
	}
	return true;
}

static void run_serially(size_t count, void (*piece)(void *context, size_t i), void *context)
{
	for (size_t i = 0; i < count; i++)
		piece(context, i);
}

/* In a file that was never finished, damage counts as a torn end: the complete parts before it are
 * used. */
static bool sections_verify(struct reading *r, kiln_parallel *parallel, struct error *err)
{
	for (;;) {
		size_t damaged;

		if (!sections_plan(r, err))
			return false;
		pieces_lay_out(r);
		parallel(r->pieces.len, piece_verify, r);
		damaged = sections_damaged(r);
		if (damaged == r->sections.len)
			return pieces_good(r, err);
		if (r->finished)
			return section_wrong(&r->sections.items[damaged],
				"its checksum is wrong; the file is damaged", err);
		if (!sections_cut(r, damaged, err))
			return false;
	}
}

/* ---- Taking over ---- */

static void *vector_place(struct profile *p, const struct kiln_column *c, size_t instance)
{
	if (c->place == IN_PROFILE)
		return (char *)p + c->vector;
	if (c->place == IN_SAMPLES)
		return (char *)&p->samples.items[instance] + c->vector;
	return (char *)&p->streams.items[instance] + c->vector;
}

static void stream_rows_take(struct profile *p, const struct kiln_section *s, const char *payload)
{
	for (size_t i = 0; i < s->rows; i++)
		memcpy(&p->streams.items[s->first + i].row, payload + i * s->item_size,
			s->item_size);
}

static void section_take(struct reading *r, size_t at, struct profile *p)
{
	const struct kiln_section *s = &r->sections.items[at];
	size_t column = kiln_column_find(s->table, s->column);
	const char *payload = payload_of(r, s);
	const struct kiln_column *c;
	struct kiln_vector v;
	struct slot *slot;
	void *place;

	if (column == SIZE_MAX || !s->rows)
		return;
	c = &kiln_columns[column];
	slot = slot_of(r, column, s->instance);
	if (c->place == IN_STREAM_ROWS) {
		stream_rows_take(p, s, payload);
		return;
	}
	if (slot->whole != SIZE_MAX && slot->whole != at)
		return;
	place = vector_place(p, c, s->instance);
	v = kiln_vector_get(place);
	if (slot->whole == at) {
		/* A borrowed vector is never written to: with cap 0, the first append copies it. */
		if (v.cap)
			memory_free(v.items);
		v = (struct kiln_vector){(void *)(uintptr_t)payload, s->rows, 0};
	} else {
		if (v.cap < slot->rows || v.len != slot->rows) {
			if (v.cap)
				memory_free(v.items);
			v = (struct kiln_vector){
				memory_new(slot->rows, c->item_size), slot->rows, slot->rows};
		}
		memcpy((char *)v.items + s->first * c->item_size, payload, s->size);
	}
	kiln_vector_set(place, v);
}

static void sections_take(struct reading *r, struct profile *p)
{
	for (uint64_t i = 0; i < r->tables; i++)
		vector_push(&p->samples, ((struct samples){0}));
	for (uint64_t i = 0; i < r->streams; i++)
		vector_push(&p->streams, ((struct stream){0}));
	for (size_t i = 0; i < r->sections.len; i++)
		section_take(r, i, p);
	for (size_t i = 0; i < p->samples.len; i++)
		p->samples.items[i].count = p->samples.items[i].stack.len;
}

/* Strings are consecutive, inside the bytes, and contain only what string tables may contain. */
static bool strings_good(const struct profile *p, struct error *err)
{
	struct bytes all = {p->string_bytes.items, p->string_bytes.len};
	const uint64_t *ends = p->string_ends.items;
	size_t clean = utf8_clean_length(all);

	if (clean != all.len)
		return error_set(err, ERR_FORMAT,
			"strings.bytes: byte %zu is a control character or not UTF-8", clean);
	for (size_t i = 0; i < p->string_ends.len; i++) {
		if (ends[i] > all.len || (i ? ends[i] < ends[i - 1] : ends[i] != 0) ||
			(ends[i] < all.len && (all.at[ends[i]] & 0xC0) == 0x80))
			return error_set(
				err, ERR_FORMAT, "strings.end: row %zu is out of order", i);
	}
	return true;
}

/* Checks that need several columns. */
static bool profile_good(const struct profile *p, struct error *err)
{
	if (!strings_good(p, err) || !profile_check_extent(p, err) ||
		!profile_check_numbers(p, err))
		return false;
	for (size_t i = 0; i < p->streams.len; i++) {
		const struct stream *s = &p->streams.items[i];
		size_t want = p->samples.items[s->row.samples].count;

		if (s->value.len && s->value.len != want)
			return error_set(err, ERR_FORMAT,
				"streams.value: stream %zu has %zu rows; expected %zu", i,
				s->value.len, want);
	}
	return true;
}

static void note_torn_end(const struct reading *r, struct profile *p)
{
	if (r->usable == r->content.len)
		profile_note(p, "the recording was not finished; showing what had been written");
	else
		profile_note(p,
			"the recording was not finished; ignoring %zu bytes of an incomplete part "
			"at its end",
			(size_t)(r->content.len - r->usable));
}

static bool reading_run(
	struct reading *r, kiln_parallel *parallel, struct profile *p, struct error *err)
{
	struct error bad_index = {0};

	if (!header_check(r->content, &p->may_have_duplicates, err))
		return false;
	if (!index_read(r, &bad_index)) {
		if (bad_index.code) {
			*err = bad_index;
			return false;
		}
		sections_scan(r, sizeof(struct kiln_header), r->content.len);
		if (!sections_cut(r, r->sections.len, err))
			return false;
	}
	if (!sections_verify(r, parallel ? parallel : run_serially, err))
		return false;
	sections_take(r, p);
	return profile_good(p, err);
}

bool kiln_file_read(struct bytes content, kiln_parallel *parallel, struct profile *ret_profile,
	struct error *err)
{
	struct reading r = {.content = content};
	struct profile p;
	bool done;

	profile_init(&p);
	p.limit = expansion_limit(content.len);
	if ((uintptr_t)content.at % _Alignof(uint64_t)) {
		p.borrowed = memory_copy_text(content.at, content.len);
		p.release_borrowed = free;
		r.content.at = p.borrowed;
	}
	done = reading_run(&r, parallel, &p, err);
	if (done && !r.finished)
		note_torn_end(&r, &p);
	vector_release(&r.sections);
	vector_release(&r.pieces);
	vector_release(&r.slots);
	if (done)
		*ret_profile = p;
	else
		profile_release(&p);
	return done;
}
