/* top.c: the functions as a table, CSV or JSON. */
#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"
#include "renderers/change_table.h"
#include "renderers/renderers.h"
#include "renderers/text.h"

#define ROWS_DEFAULT 30u /* of the table; CSV and JSON give all */
#define ROWS_ALL     0u
#define ROWS_UNSET   UINT64_MAX
#define MODULE_WIDTH 24u /* columns; longer names are cut on terminals */

struct top_settings {
	struct text_settings text;
	uint64_t rows, skip;
	int sort; /* enum function_sort */
	bool csv, json, by_change;
};

static const char *const sorts[] = {"self", "total", "name", NULL};

static const struct option options[] = {
	{.name = "sort",
		.letter = 's',
		.argument = "BY",
		.help = "order by self (default), total or name",
		.set = option_choice,
		.offset = offsetof(struct top_settings, sort),
		.choices = sorts},
	{.name = "rows",
		.letter = 'n',
		.argument = "N",
		.help = "the number of functions; 0: all (default: 30; all in CSV and JSON)",
		.set = option_u64,
		.offset = offsetof(struct top_settings, rows)},
	{.name = "skip",
		.argument = "N",
		.help = "skip the first N functions",
		.set = option_u64,
		.offset = offsetof(struct top_settings, skip)},
	{.name = "by-change",
		.help = "two columns: order by change, not by value",
		.set = option_flag,
		.offset = offsetof(struct top_settings, by_change)},
	{.name = "csv",
		.help = "print comma-separated values, numbers not rounded",
		.set = option_flag,
		.offset = offsetof(struct top_settings, csv)},
	{.name = "json",
		.help = "print one JSON object",
		.set = option_flag,
		.offset = offsetof(struct top_settings, json)},
	{.name = "width",
		.argument = "COLUMNS",
		.help = "cut lines at this width; 0: never (default: the terminal's width)",
		.set = option_u64,
		.offset = offsetof(struct top_settings, text.width)},
	{0},
};

static void defaults(void *settings)
{
	*(struct top_settings *)settings = (struct top_settings){.rows = ROWS_UNSET};
}

/* ---- The table ---- */

struct columns {
	size_t self, total, module; /* widths; module 0: none has one */
};

static size_t value_width(const struct view *v, int64_t value, struct buffer *scratch)
{
	scratch->len = 0;
	text_value(scratch, v, value);
	return utf8_count(buffer_bytes(scratch));
}

static void widen(size_t *width, size_t min)
{
	if (*width < min)
		*width = min;
}

static struct bytes module_of(const struct view *v, frame_id frame)
{
	return view_text(v, view_frame_at(v, frame).module);
}

static struct columns fit(const struct view *v, const struct functions *f, size_t rows, bool cut)
{
	struct columns c = {.self = strlen("Self"), .total = strlen("Total")};
	struct buffer scratch = {0};

	for (size_t i = 0; i < rows; i++) {
		widen(&c.self, value_width(v, f->rows[i].self[0], &scratch));
		widen(&c.total, value_width(v, f->rows[i].total[0], &scratch));
		widen(&c.module, utf8_count(module_of(v, f->rows[i].frame)));
	}
	if (c.module)
		widen(&c.module, strlen("Module"));
	if (cut && c.module > MODULE_WIDTH)
		c.module = MODULE_WIDTH;
	buffer_release(&scratch);
	return c;
}

static void number_cells(struct buffer *b, const struct view *v, int64_t value, int64_t whole,
	size_t width, const struct text_settings *text)
{
	struct buffer cell = {0};

	text_value(&cell, v, value);
	text_right(b, buffer_bytes(&cell), width);
	cell.len = 0;
	units_percent(&cell, value, whole);
	text_style(b, text_share_style(value, whole), text);
	text_right(b, buffer_bytes(&cell), strlen("  100.00"));
	text_style(b, TEXT_PLAIN, text);
	buffer_text(b, "  ");
	buffer_release(&cell);
}

/* "f (inlined)": alike is not what its row looks like. */
static void name_cell(struct buffer *b, const struct view *v, frame_id frame, bool alike,
	size_t width, const struct text_settings *text)
{
	const char *kind = frame_kind_name((enum frame_kind)view_frame_at(v, frame).kind);
	size_t more = alike ? strlen(kind) + strlen(" ()") : 0;

	if (width)
		width = width > more + 10 ? width - more : 10;
	text_cell(b, function_name(v, frame), width, false, text);
	if (alike)
		buffer_printf(b, " (%s)", kind);
}

static void table_row(struct buffer *b, const struct view *v, const struct functions *f,
	const struct function_row *row, bool alike, const struct columns *c,
	const struct text_settings *text)
{
	size_t start =
		c->self + c->total + 2 * strlen("  100.00  ") + (c->module ? c->module + 2 : 0);
	size_t left = !text->width ? 0 : text->width > start + 10 ? text->width - start : 10;

	number_cells(b, v, row->self[0], f->sides.total[0][0], c->self, text);
	number_cells(b, v, row->total[0], f->sides.total[0][0], c->total, text);
	if (c->module) {
		text_cell(b, module_of(v, row->frame), c->module, true, text);
		buffer_text(b, "  ");
	}
	name_cell(b, v, row->frame, alike, left, text);
	buffer_char(b, '\n');
}

/* Which of the rows look alike? To be freed. */
static bool *find_alike(const struct view *v, const struct functions *f, size_t rows)
{
	frame_id *frames = memory_new(rows + 1, sizeof(*frames));
	bool *alike = memory_new(rows + 1, sizeof(*alike));

	for (size_t i = 0; i < rows; i++)
		frames[i] = f->rows[i].frame;
	frames_find_alike(v, frames, rows, alike);
	memory_free(frames);
	return alike;
}

static void table(struct buffer *b, const struct view *v, const struct functions *f, size_t rows,
	const struct text_settings *text)
{
	struct columns c = fit(v, f, rows, text->width);
	bool *alike = find_alike(v, f, rows);

	text_summary(b, v, f->sides.total[0][0]);
	text_style(b, TEXT_HEADING, text);
	text_right(b, BYTES("Self"), c.self);
	text_right(b, BYTES("%"), strlen("  100.00"));
	text_right(b, BYTES("Total"), c.total + 2);
	text_right(b, BYTES("%"), strlen("  100.00"));
	buffer_text(b, "  ");
	if (c.module)
		text_cell(b, BYTES("Module"), c.module + 2, true, text);
	buffer_text(b, "Function");
	text_style(b, TEXT_PLAIN, text);
	buffer_char(b, '\n');
	for (size_t i = 0; i < rows; i++)
		table_row(b, v, f, &f->rows[i], alike[i], &c, text);
	memory_free(alike);
	if (rows < f->count) {
		buffer_text(b, "... ");
		units_grouped(b, (int64_t)(f->count - rows));
		buffer_printf(
			b, " more function%s (-n 0 shows all)\n", f->count - rows == 1 ? "" : "s");
	}
}

/* ---- For programs ---- */

static void csv(struct buffer *b, const struct view *v, const struct functions *f, size_t rows)
{
	size_t shown = sides_shown(&f->sides);
	int64_t whole = f->sides.total[shown][0];

	buffer_printf(b, "self,self_percent,total,total_percent,%smodule,function\n",
		shown ? "before_self,before_total," : "");
	for (size_t i = 0; i < rows; i++) {
		const struct function_row *row = &f->rows[i];

		buffer_i64(b, row->self[shown]);
		buffer_char(b, ',');
		units_percent(b, row->self[shown], whole);
		buffer_char(b, ',');
		buffer_i64(b, row->total[shown]);
		buffer_char(b, ',');
		units_percent(b, row->total[shown], whole);
		buffer_char(b, ',');
		if (shown)
			buffer_printf(
				b, "%lld,%lld,", (long long)row->self[0], (long long)row->total[0]);
		buffer_csv(b, module_of(v, row->frame));
		buffer_char(b, ',');
		buffer_csv(b, function_name(v, row->frame));
		buffer_char(b, '\n');
	}
}

static void json_number(struct buffer *b, const char *name, int64_t value)
{
	buffer_printf(b, ",\"%s\":", name);
	buffer_i64(b, value);
}

static void json_function(struct buffer *b, const struct view *v, const struct functions *f,
	const struct function_row *row)
{
	size_t shown = sides_shown(&f->sides);
	int64_t whole = f->sides.total[shown][0];

	buffer_text(b, "{\"function\":");
	buffer_json(b, function_name(v, row->frame));
	buffer_text(b, ",\"module\":");
	buffer_json(b, module_of(v, row->frame));
	buffer_printf(b, ",\"kind\":\"%s\"",
		frame_kind_name((enum frame_kind)view_frame_at(v, row->frame).kind));
	json_number(b, "self", row->self[shown]);
	buffer_text(b, ",\"self_percent\":");
	units_percent(b, row->self[shown], whole);
	json_number(b, "total", row->total[shown]);
	buffer_text(b, ",\"total_percent\":");
	units_percent(b, row->total[shown], whole);
	if (shown) {
		json_number(b, "before_self", row->self[0]);
		json_number(b, "before_total", row->total[0]);
	}
	buffer_char(b, '}');
}

/* count: the number of all functions, including those that are skipped or left out. */
static void json(struct buffer *b, const struct view *v, const struct functions *f, size_t rows,
	size_t count)
{
	const struct stream_row *stream = view_stream(v);
	size_t shown = sides_shown(&f->sides);

	buffer_text(b, "{\"kind\":");
	buffer_json(b, profile_text(v->profile, stream->kind));
	buffer_text(b, ",\"unit\":");
	buffer_json(b, profile_text(v->profile, stream->unit));
	buffer_text(b, ",\"event\":");
	buffer_json(b, profile_text(v->profile, stream->event));
	json_number(b, "total", f->sides.total[shown][0]);
	if (shown)
		json_number(b, "before_total", f->sides.total[0][0]);
	json_number(b, "functions_count", (int64_t)count);
	buffer_text(b, ",\"functions\":[");
	for (size_t i = 0; i < rows; i++) {
		buffer_text(b, i ? ",\n" : "\n");
		json_function(b, v, f, &f->rows[i]);
	}
	buffer_text(b, "\n]}\n");
}

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct top_settings *s = settings;
	uint64_t rows = s->rows != ROWS_UNSET ? s->rows
			: s->csv || s->json   ? ROWS_ALL
					      : ROWS_DEFAULT;
	struct functions functions, shown;
	struct buffer b = {0};
	size_t skip;

	if (s->csv && s->json)
		return error_set(err, ERR_USAGE, "expected --csv or --json, not both");
	functions_init(&functions, v, (enum function_sort)s->sort, s->by_change);
	skip = s->skip < functions.count ? s->skip : functions.count;
	shown = functions;
	shown.rows += skip;
	shown.count -= skip;
	if (rows == ROWS_ALL || rows > shown.count)
		rows = shown.count;
	if (s->csv)
		csv(&b, v, &shown, rows);
	else if (s->json)
		json(&b, v, &shown, rows, functions.count);
	else if (functions.sides.count == 2)
		change_table(&b, v, &shown, rows, 0, &s->text);
	else
		table(&b, v, &shown, rows, &s->text);
	output_write(out, buffer_bytes(&b));
	buffer_release(&b);
	functions_release(&functions);
	return true;
}

static const char *media_type_of(const void *settings)
{
	const struct top_settings *s = settings;

	return s->json ? MEDIA_JSON : MEDIA_TEXT;
}

const struct renderer renderer_top = {
	.name = "top",
	.save.label = "Functions (JSON)",
	.save.suffix = ".json",
	.about = "functions by self and total, as text",
	.readable = true,
	.media_type_of = media_type_of,
	.options = options,
	.settings_size = sizeof(struct top_settings),
	.defaults = defaults,
	.render = render,
};
