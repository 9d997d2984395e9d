/* heatmap.c: how are the values distributed over time, and how much of them matches? Columns of
 * time, each divided into rows (a subsecond-offset heat map), or with one row for each thread or
 * CPU.
 *
 * A cell is a piece of time (column and row) or a piece of a thread's or CPU's time, and has the
 * sum of its samples' values. One pass over the samples: a sample's cell is computed from its time
 * by two integer divisions (cell_of), with no lookup; samples may come in any order. If the caller
 * gives a number of columns rather than their duration, a round duration is chosen so that they all
 * fit and an average cell has at least SAMPLES_MIN samples, as long as there are at least
 * COLUMNS_MIN columns: a map of mostly empty cells shows nothing. Columns start at multiples of
 * their duration, so that a map does not shift when the first sample changes.
 *
 * Without --match neither the tree nor the stacks are needed (is_samples_only): the map of a large
 * file appears while its stacks are still being read (src/server/partial_profile.c).
 *
 * After Brendan Gregg's subsecond-offset heat map and FlameScope. If samples are in the order of
 * their times and are counted, with 50 rows per second, the numbers are the same as FlameScope's
 * (`bench/flamescope.py`), but no sample is dropped. */
#include "renderers/heatmap.h"

#include "model/times.h"
#include "renderers/columns.h"
#include "renderers/heatmap_rows.h"
#include "renderers/renderers.h"
#include "transforms/pattern.h"

#include <math.h>
#include <stdlib.h>

#define COLUMN_DEFAULT UINT64_C(1000000000) /* ns */
#define ROWS_DEFAULT   50u
#define ROWS_LIMIT     1000u
#define COLUMNS_MIN    30u /* also if there are few samples */
#define SAMPLES_MIN    2u  /* on average in each cell */
#define CELLS_LIMIT    (UINT64_C(1) << 24)
#define COLUMN_LIMIT   (UINT64_MAX / ROWS_LIMIT) /* ns, 213 days: prevents overflow of the row */

struct heatmap_settings {
	uint64_t column;   /* ns */
	uint64_t columns;  /* at most this many; 0: settings.column decides */
	uint64_t rows;	   /* with HEATMAP_BY_TIME */
	int by;		   /* enum heatmap_by */
	const char *match; /* NULL: no search */
};

static const char *const rows_by[] = {"time", "thread", "cpu", NULL};

static const struct option heatmap_options[] = {
	{.name = "column",
		.argument = "TIME",
		.help = "the time of a column: 100ms, 10s (1s)",
		.set = option_duration,
		.offset = offsetof(struct heatmap_settings, column)},
	{.name = "columns",
		.argument = "N",
		.help = "choose the time of a column instead of --column: at most about N columns, "
			"with two samples in the average cell",
		.set = option_u64,
		.offset = offsetof(struct heatmap_settings, columns)},
	{.name = "rows",
		.argument = "N",
		.help = "the number of rows of a column, at most 1000 (50)",
		.set = option_u64,
		.offset = offsetof(struct heatmap_settings, rows)},
	{.name = "by",
		.argument = "WHAT",
		.help = "what a row is: a part of the column's time (time, the default), a thread "
			"or a cpu",
		.set = option_choice,
		.offset = offsetof(struct heatmap_settings, by),
		.choices = rows_by},
	{.name = "match",
		.argument = "REGEX",
		.help = "add a column with the samples in which a function matches",
		.set = option_text,
		.offset = offsetof(struct heatmap_settings, match)},
	{0},
};

static void defaults(void *settings)
{
	*(struct heatmap_settings *)settings =
		(struct heatmap_settings){.column = COLUMN_DEFAULT, .rows = ROWS_DEFAULT};
}

struct heatmap {
	const struct view *view;
	struct heatmap_settings settings;
	uint64_t first;	  /* ns: time of the profile's first sample, on the samples' clock */
	uint64_t start;	  /* ns: start of the first column */
	uint64_t column;  /* ns */
	uint64_t columns; /* 0: no sample has a time */
	struct heatmap_rows groups; /* unless HEATMAP_BY_TIME */
	uint64_t rows;
	double *cells; /* the rows of the first column, of the second ... */
	int64_t total, untimed;
	bool *matching;	 /* for every node: it or one of its callers matches; NULL: no search */
	double *matched; /* like cells */
	int64_t matched_total;
};

/* ---- Columns and rows ---- */

static bool is_shown(const struct view *v, size_t table)
{
	bool shown = false;

	for (size_t i = 0; i < v->profile->streams.len; i++)
		shown |= v->streams[i] && v->profile->streams.items[i].row.samples == table;
	return shown;
}

const uint64_t heatmap_column_ms[] = {
	10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 0};

/* The first and the last sample of the shown tables, including samples that transforms have left
 * out: a map stays in place while it is narrowed. */
static bool find_span(struct heatmap *h, struct times *ret)
{
	const struct profile *p = h->view->profile;
	struct times all = {UINT64_MAX, 0};

	*ret = all;
	for (size_t i = 0; i < p->samples.len; i++) {
		struct times own = samples_times(&p->samples.items[i]);

		all = times_both(all, own);
		if (is_shown(h->view, i))
			*ret = times_both(*ret, own);
	}
	h->first = all.first <= all.last ? all.first : 0;
	return ret->first <= ret->last;
}

/* The shortest round duration with which all columns fit and an average cell has enough samples. */
static uint64_t round_column(const struct heatmap *h, const struct times *span)
{
	const uint64_t *ms = heatmap_column_ms;
	double samples = 1, share, parts = h->settings.by == HEATMAP_BY_TIME ? (double)h->rows : 1;

	for (size_t i = 0; i < h->view->profile->samples.len; i++)
		if (is_shown(h->view, i))
			samples = fmax(samples, (double)h->view->profile->samples.items[i].count);
	share = fmax(1 / (double)h->settings.columns,
		fmin(SAMPLES_MIN * parts / samples, 1. / COLUMNS_MIN));
	while (ms[1] && (double)ms[0] * 1e6 < (double)(span->last - span->first) * share)
		ms++;
	return ms[0] * 1000000;
}

static bool check_settings(const struct heatmap_settings *s, struct error *err)
{
	return (s->column && s->column <= COLUMN_LIMIT && s->rows && s->rows <= ROWS_LIMIT) ||
	       error_set(err, ERR_USAGE,
		       "expected columns of 1 ns to 213 days, and 1 to %u rows; got %llu ns and "
		       "%llu",
		       ROWS_LIMIT, (unsigned long long)s->column, (unsigned long long)s->rows);
}

static bool lay_out(struct heatmap *h, struct error *err)
{
	struct times span;

	if (!check_settings(&h->settings, err))
		return false;
	if (h->settings.by != HEATMAP_BY_TIME &&
		!heatmap_rows_init(&h->groups, h->view, (enum heatmap_by)h->settings.by, err))
		return false;
	h->rows = h->settings.by == HEATMAP_BY_TIME ? h->settings.rows : h->groups.groups.len;
	h->column = h->settings.column;
	if (!find_span(h, &span))
		return true;
	if (h->settings.columns)
		h->column = round_column(h, &span);
	h->start = span.first - span.first % h->column;
	if ((span.last - h->start) / h->column >= CELLS_LIMIT / (h->rows ? h->rows : 1))
		return error_set(err, ERR_LIMIT,
			"a heat map has at most %llu cells: choose columns longer than %llu ns",
			(unsigned long long)CELLS_LIMIT, (unsigned long long)h->column);
	h->columns = (span.last - h->start) / h->column + 1;
	return true;
}

/* ---- Values ---- */

/* HEATMAP_BY_TIME: the row is floor(rows * the elapsed part of the column). */
static size_t cell_of(const struct heatmap *h, const struct samples *s, size_t sample)
{
	uint64_t since = s->time.items[sample] - h->start, column = h->column;
	uint64_t row = h->settings.by == HEATMAP_BY_TIME ? since % column * h->rows / column
							 : heatmap_rows_of(&h->groups, s, sample);

	return (size_t)(since / column * h->rows + row);
}

static bool find_matching(struct heatmap *h, struct error *err)
{
	const struct tree *tree = &h->view->tree;
	bool *frames = NULL;

	if (!h->settings.match)
		return true;
	if (!pattern_frames(h->settings.match, h->view, &frames, err))
		return error_prefix(err, "--match: ");
	h->matching = memory_new(tree->caller.len, sizeof(*h->matching));
	for (size_t i = 1; i < tree->caller.len; i++)
		h->matching[i] = h->matching[tree->caller.items[i]] || frames[tree->frame.items[i]];
	memory_free(frames);
	return true;
}

static void add_sample(
	struct heatmap *h, const struct samples *s, size_t sample, node_id node, int64_t value)
{
	bool matches = h->matching && h->matching[node];
	size_t cell;

	h->total += value;
	h->matched_total += matches ? value : 0;
	if (!s->time.len) {
		h->untimed += value;
		return;
	}
	cell = cell_of(h, s, sample);
	h->cells[cell] += (double)value;
	if (matches)
		h->matched[cell] += (double)value;
}

static void add_stream(struct heatmap *h, const struct stream *stream)
{
	uint32_t table = stream->row.samples;
	const struct samples *s = &h->view->profile->samples.items[table];

	for (size_t i = 0; i < s->count; i++) {
		node_id node = view_node(h->view, table, i);

		if (node != NODE_DROPPED)
			add_sample(h, s, i, node, stream_value(stream, i));
	}
}

static void write_map(const struct heatmap *h, struct output *out)
{
	size_t cells = (size_t)(h->columns * h->rows);
	struct columns c = {0};

	columns_number(&c, "first", (int64_t)h->first);
	columns_number(&c, "start", (int64_t)h->start);
	columns_number(&c, "column", (int64_t)h->column);
	columns_number(&c, "columns_count", (int64_t)h->columns);
	columns_number(&c, "rows", (int64_t)h->rows);
	columns_number(&c, "total", h->total);
	columns_number(&c, "untimed", h->untimed);
	if (h->matched)
		columns_number(&c, "matched", h->matched_total);
	columns_text(&c, "unit", view_text(h->view, view_stream(h->view)->unit));
	buffer_text(&c.header, ",\"labels\":[");
	if (h->settings.by != HEATMAP_BY_TIME)
		heatmap_rows_labels(&h->groups, h->groups.groups.len, &c.header);
	buffer_char(&c.header, ']');
	columns_add(&c, "value", "f64", h->cells, cells);
	if (h->matched)
		columns_add(&c, "matched", "f64", h->matched, cells);
	columns_write(&c, out);
}

static bool heatmap_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct heatmap h = {.view = v, .settings = *(const struct heatmap_settings *)settings};
	bool done = columns_fit(v, err) && lay_out(&h, err) && find_matching(&h, err);

	if (done) {
		h.cells = memory_new((size_t)(h.columns * h.rows), sizeof(*h.cells));
		if (h.matching)
			h.matched = memory_new((size_t)(h.columns * h.rows), sizeof(*h.matched));
		for (size_t i = 0; i < v->profile->streams.len; i++)
			if (v->streams[i])
				add_stream(&h, &v->profile->streams.items[i]);
		write_map(&h, out);
	}
	memory_free(h.cells);
	memory_free(h.matched);
	memory_free(h.matching);
	heatmap_rows_release(&h.groups);
	return done;
}

static bool is_samples_only(const void *settings)
{
	return !((const struct heatmap_settings *)settings)->match;
}

const struct renderer renderer_heatmap = {
	.name = "heatmap",
	.media_type = MEDIA_BINARY,
	.about = "values over time: the cells of a heat map, for `kiln view` and other programs",
	.options = heatmap_options,
	.settings_size = sizeof(struct heatmap_settings),
	.defaults = defaults,
	.samples_only = is_samples_only,
	.render = heatmap_render,
};
