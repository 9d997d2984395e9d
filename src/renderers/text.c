/* text.c: how are names and numbers laid out in the columns of a terminal? */
#include "renderers/text.h"

#include "base/units.h"
#include "base/utf8.h"

/* Tables contain no C0 control characters; C1 ones (U+0080 to U+009F) control some terminals. */
static void add_printable(struct buffer *b, struct bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool is_control = text.at[i] == '\xc2' && i + 1 < text.len &&
				  (unsigned char)text.at[i + 1] < 0xa0;

		buffer_char(b, is_control ? '?' : text.at[i]);
		i += is_control;
	}
}

/* The first `columns` characters of `text`. */
static struct bytes first_columns(struct bytes text, size_t columns)
{
	size_t at = 0;

	while (columns-- && at < text.len) {
		size_t len = utf8_decode((struct bytes){text.at + at, text.len - at}, NULL);

		at += len ? len : 1;
	}
	return (struct bytes){text.at, at};
}

void text_cell(struct buffer *b, struct bytes text, size_t width, bool pad,
	const struct text_settings *settings)
{
	struct bytes ellipsis = settings->ascii ? BYTES("..") : BYTES("\u2026");
	size_t columns = utf8_count(text), taken = utf8_count(ellipsis);

	if (width && columns > width) {
		add_printable(b, first_columns(text, width > taken ? width - taken : 0));
		buffer_add(b, ellipsis.at, ellipsis.len);
		return;
	}
	add_printable(b, text);
	if (pad && columns < width)
		buffer_printf(b, "%*s", (int)(width - columns), "");
}

void text_right(struct buffer *b, struct bytes text, size_t width)
{
	size_t columns = utf8_count(text);

	if (columns < width)
		buffer_printf(b, "%*s", (int)(width - columns), "");
	add_printable(b, text);
}

void text_style(struct buffer *b, enum text_style style, const struct text_settings *settings)
{
	static const char *const codes[] = {
		[TEXT_PLAIN] = "\33[0m",
		[TEXT_HEADING] = "\33[1m",
		[TEXT_HOT] = "\33[1;31m",
		[TEXT_WARM] = "\33[33m",
		[TEXT_FAINT] = "\33[2m",
		[TEXT_KERNEL] = "\33[35m",
		[TEXT_LESS] = "\33[1;34m",
	};

	if (settings->colour)
		buffer_text(b, codes[style]);
}

enum text_style text_share_style(int64_t part, int64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;

	return share >= 0.1 ? TEXT_HOT : share >= 0.01 ? TEXT_WARM : TEXT_FAINT;
}

/* Does the unit scale ("1.23 s")? For other units, the heading of the column suffices. */
static bool scales(struct bytes unit)
{
	return bytes_equal(unit, BYTES("ns")) || bytes_equal(unit, BYTES("bytes"));
}

void text_value(struct buffer *b, const struct view *v, int64_t value)
{
	struct bytes unit = profile_text(v->profile, view_stream(v)->unit);

	if (scales(unit) && value)
		units_human(b, value, unit);
	else
		units_fixed(b, value, units_decimals(unit));
}

bool text_counts(const struct profile *p, const struct stream_row *row)
{
	struct bytes unit = profile_text(p, row->unit);

	return bytes_equal(units_base(unit), BYTES("count"));
}

/* The unit "count" is omitted, because the kind says what is counted; idle CPUs are counted in
 * samples. */
void text_stream_value(
	struct buffer *b, const struct profile *p, const struct stream_row *row, int64_t value)
{
	struct bytes unit = profile_text(p, row->unit), kind = profile_text(p, row->kind);

	if (!text_counts(p, row) && !units_decimals(unit)) {
		units_human(b, value, unit);
		return;
	}
	units_fixed(b, value, units_decimals(unit));
	buffer_char(b, ' ');
	if (!text_counts(p, row))
		kind = units_base(unit);
	else if (bytes_equal(kind, BYTES("idle")))
		kind = BYTES("samples");
	if (value == 1 && bytes_equal(kind, BYTES("samples")))
		kind = BYTES("sample");
	buffer_add(b, kind.at, kind.len);
}

/* The stream that counts the samples of a table; NULL: each row is one. */
static const struct stream *counts_of(const struct profile *p, uint32_t table)
{
	for (size_t s = 0; s < p->streams.len; s++) {
		const struct stream *stream = &p->streams.items[s];

		if (stream->row.samples == table && text_counts(p, &stream->row) &&
			bytes_ends_with(profile_text(p, stream->row.kind), BYTES("samples")))
			return stream;
	}
	return NULL;
}

/* The samples of a table that the view shows, as `counts` counts them. */
static uint64_t samples_shown(const struct view *v, uint32_t table, const struct stream *counts)
{
	uint64_t count = 0;

	for (size_t i = 0; i < v->profile->samples.items[table].count; i++)
		if (view_node(v, table, i) != NODE_DROPPED)
			count += (uint64_t)stream_value(counts, i);
	return count;
}

/* Rows with times are one sample each, if no stream counts them. */
uint64_t text_sample_count(const struct view *v, size_t stream, uint64_t rows)
{
	const struct profile *p = v->profile;
	const struct stream_row *row = &p->streams.items[stream].row;
	const struct samples *table = &p->samples.items[row->samples];
	const struct stream *counts = counts_of(p, row->samples);

	if (counts)
		return samples_shown(v, row->samples, counts);
	if (table->time.len || row->delivered <= table->count)
		return rows;
	return rows < table->count ? UINT64_MAX : row->delivered;
}

static uint64_t rows_shown(const struct view *v, uint32_t table)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < v->profile->samples.items[table].count; i++)
		rows += view_node(v, table, i) != NODE_DROPPED;
	return rows;
}

/* The samples that the view shows; UINT64_MAX: unknown. */
static uint64_t sample_count(const struct view *v)
{
	uint64_t count = 0, shown;

	for (size_t s = 0; s < v->profile->streams.len; s++) {
		if (!v->streams[s])
			continue;
		shown = text_sample_count(
			v, s, rows_shown(v, v->profile->streams.items[s].row.samples));
		if (shown == UINT64_MAX)
			return shown;
		count += shown;
	}
	return count;
}

void text_summary(struct buffer *b, const struct view *v, int64_t total)
{
	const struct stream_row *row = view_stream(v);
	struct bytes event = profile_text(v->profile, row->event);
	bool counts = text_counts(v->profile, row);
	uint64_t samples = counts ? 0 : sample_count(v);

	if (event.len)
		buffer_printf(b, "%.*s: ", (int)event.len, event.at);
	text_stream_value(b, v->profile, row, total);
	if (!counts && samples != UINT64_MAX) {
		buffer_text(b, " in ");
		units_grouped(b, (int64_t)samples);
		buffer_text(b, samples == 1 ? " sample" : " samples");
	}
	buffer_char(b, '\n');
}
