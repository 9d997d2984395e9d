/* kiln_writer.c: how is a growing profile written to an append-only file? */
#include "model/kiln_columns.h"
#include "model/kiln_file.h"

#include <assert.h>
#include <stdlib.h>

#define LOCATION_NAMES 2 /* column */

/* What has been written of a column; at w->progress[instance * KILN_COLUMNS_LIMIT + column]. */
struct kiln_progress {
	uint64_t rows, settled; /* rows, and how many of them will not change any more */
	uint64_t checksum;	/* of the rows that may change */
	bool written;
};

static bool put(struct kiln_writer *w, const void *bytes, size_t len, struct error *err)
{
	if (!len)
		return true;
	if (!w->sink.write(w->sink.context, (struct bytes){bytes, len}, err))
		return false;
	w->offset += len;
	return true;
}

static bool put_padding(struct kiln_writer *w, struct error *err)
{
	static const char zeroes[KILN_ALIGN];

	return put(w, zeroes, (size_t)(-w->offset) & (KILN_ALIGN - 1), err);
}

static bool put_header(struct kiln_writer *w, const struct profile *p, struct error *err)
{
	struct kiln_header h = {.magic = KILN_FILE_MAGIC, .version = KILN_FILE_VERSION};

	h.align = KILN_ALIGN;
	h.flags = p->may_have_duplicates ? 0 : KILN_ROWS_UNIQUE;
	h.checksum = hash_bytes(&h, offsetof(struct kiln_header, checksum));
	return put(w, &h, sizeof(h), err);
}

/* Complete the section's header, write header and payload, and add it to the index. */
static bool put_section(
	struct kiln_writer *w, struct kiln_section *s, const void *payload, struct error *err)
{
	s->magic = KILN_SECTION_MAGIC;
	s->size = s->rows * s->item_size;
	s->offset = w->offset;
	s->payload_checksum = kiln_checksum((struct bytes){payload, s->size});
	s->checksum = hash_bytes(s, offsetof(struct kiln_section, checksum));
	vector_push(&w->index, *s);
	return put(w, s, sizeof(*s), err) && put(w, payload, s->size, err) && put_padding(w, err);
}

static struct kiln_progress *progress_of(struct kiln_writer *w, size_t column, uint32_t instance)
{
	size_t slot = (size_t)instance * KILN_COLUMNS_LIMIT + column;

	if (slot >= w->progress.len) {
		size_t more = slot + 1 - w->progress.len;

		vector_reserve(&w->progress, more);
		memset(w->progress.items + w->progress.len, 0, more * sizeof(*w->progress.items));
		w->progress.len += more;
	}
	return &w->progress.items[slot];
}

static uint64_t checksum_from(
	const struct kiln_column *c, const void *items, uint64_t from, uint64_t rows)
{
	return from == rows
		       ? 0
		       : kiln_checksum((struct bytes){(const char *)items + from * c->item_size,
				 (rows - from) * c->item_size});
}

/* Write the rows that are new. If a row that may change has changed, write all such rows again. The
 * first `settled` rows do not change. */
static bool put_column(struct kiln_writer *w, size_t column, uint32_t instance, const void *items,
	uint64_t rows, uint64_t settled, struct error *err)
{
	const struct kiln_column *c = &kiln_columns[column];
	struct kiln_progress *done = progress_of(w, column, instance), before = *done;
	struct kiln_section s = {.table = c->table, .column = c->column, .instance = instance};

	assert(rows >= before.rows && settled <= rows);
	if (!rows && !(c->table == TABLE_SAMPLES && c->column == 1 && !before.written))
		return true; /* without rows, a section only shows that a samples table exists */
	*done = (struct kiln_progress){rows, settled, checksum_from(c, items, settled, rows), true};
	s.first = settled < before.settled ? settled : before.settled;
	if (before.written && before.rows == rows && s.first == before.settled &&
		checksum_from(c, items, s.first, rows) == before.checksum)
		return true;
	s.item_size = c->item_size;
	s.rows = rows - s.first;
	return put_section(w, &s, rows ? (const char *)items + s.first * c->item_size : NULL, err);
}

static bool put_stream_rows(
	struct kiln_writer *w, size_t column, const struct profile *p, struct error *err)
{
	struct stream_row *rows = memory_new(p->streams.len, sizeof(*rows));
	bool done;

	for (size_t i = 0; i < p->streams.len; i++)
		rows[i] = p->streams.items[i].row;
	done = put_column(w, column, 0, rows, p->streams.len, 0, err);
	memory_free(rows);
	return done;
}

static bool put_samples(
	struct kiln_writer *w, size_t column, const struct profile *p, struct error *err)
{
	for (size_t i = 0; i < p->samples.len; i++) {
		struct kiln_vector v = kiln_vector_get(
			(const char *)&p->samples.items[i] + kiln_columns[column].vector);

		if (!put_column(w, column, (uint32_t)i, v.items, v.len, v.len, err))
			return false;
	}
	return true;
}

static bool put_values(
	struct kiln_writer *w, size_t column, const struct profile *p, struct error *err)
{
	for (size_t i = 0; i < p->streams.len; i++) {
		const struct stream *stream = &p->streams.items[i];
		size_t rows = stream->value.len;
		size_t changing = p->samples.items[stream->row.samples].changing;

		if (!put_column(w, column, (uint32_t)i, stream->value.items, rows,
			    rows - (changing < rows ? changing : rows), err))
			return false;
	}
	return true;
}

/* Names of locations and the identity of some mappings are known only at the end of a recording;
 * until then, these rows are not rewritten. */
static uint64_t settled_rows(const struct kiln_writer *w, const struct kiln_column *c,
	const struct profile *p, uint64_t rows, bool finishing)
{
	bool late = c->table == TABLE_LOCATIONS || c->table == TABLE_MAPPINGS;
	bool names = c->table == TABLE_LOCATIONS && c->column == LOCATION_NAMES;

	if (late ? finishing && (c->rewritten || p->rows_changed) : c->rewritten)
		return 0;
	return names && w->unnamed ? rows - w->unnamed : rows;
}

static bool put_new(
	struct kiln_writer *w, const struct profile *p, bool finishing, struct error *err)
{
	if (!w->offset && !put_header(w, p, err))
		return false;
	for (size_t i = 0; i < kiln_column_count; i++) {
		const struct kiln_column *c = &kiln_columns[i];
		bool done = true;

		if (c->place == IN_PROFILE) {
			struct kiln_vector v = kiln_vector_get((const char *)p + c->vector);

			done = put_column(w, i, 0, v.items, v.len,
				settled_rows(w, c, p, v.len, finishing), err);
		} else if (c->place == IN_SAMPLES) {
			done = put_samples(w, i, p, err);
		} else if (c->place == IN_STREAM) {
			done = put_values(w, i, p, err);
		} else {
			done = put_stream_rows(w, i, p, err);
		}
		if (!done)
			return false;
	}
	return true;
}

static bool put_control(
	struct kiln_writer *w, enum kiln_control control, uint64_t first, struct error *err)
{
	struct kiln_section s = {.table = TABLE_CONTROL, .column = (uint16_t)control};

	s.first = first;
	return put_section(w, &s, NULL, err);
}

bool kiln_writer_append(struct kiln_writer *w, const struct profile *p, struct error *err)
{
	size_t before = w->index.len;

	if (!put_new(w, p, false, err))
		return false;
	return w->index.len == before || put_control(w, CONTROL_COMMIT, 0, err);
}

bool kiln_writer_finish(struct kiln_writer *w, const struct profile *p, struct error *err)
{
	struct kiln_section s = {.table = TABLE_CONTROL, .column = CONTROL_INDEX};
	uint64_t at;

	if (!put_new(w, p, true, err) || !put_control(w, CONTROL_COMMIT, 0, err))
		return false;
	at = w->offset;
	s.item_size = sizeof(s);
	s.rows = w->index.len;
	/* The index is its own payload, so it must not move while it is written. */
	vector_reserve(&w->index, 1);
	return put_section(w, &s, w->index.items, err) && put_control(w, CONTROL_END, at, err);
}

void kiln_writer_release(struct kiln_writer *w)
{
	vector_release(&w->progress);
	vector_release(&w->index);
	*w = (struct kiln_writer){0};
}
