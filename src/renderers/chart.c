/* chart.c: the flame chart as columns: which frames were on which thread's stack, and when?
 * Boxes come from samples; chart_lanes.h says how long each stands for. Their number is bounded,
 * however many samples there are. */
#include "base/units.h"
#include "renderers/chart_runs.h"
#include "renderers/column_frames.h"
#include "renderers/renderers.h"

#include <stdlib.h>

#define LANES_DEFAULT 20u
#define LANES_LIMIT   10000u

struct chart_settings {
	int by;		/* enum chart_by */
	uint64_t lanes; /* at most */
	uint64_t min;	/* ns */
};

static const char *const lanes_by[] = {"thread", "cpu", "all", NULL};

static const struct option chart_options[] = {
	{.name = "by",
		.argument = "WHAT",
		.help = "one lane per thread (default), per cpu, or one for all",
		.set = option_choice,
		.offset = offsetof(struct chart_settings, by),
		.choices = lanes_by},
	{.name = "lanes",
		.argument = "N",
		.help = "the maximum number of lanes (20)",
		.set = option_u64,
		.offset = offsetof(struct chart_settings, lanes)},
	{.name = "least",
		.argument = "TIME",
		.help = "merge frames shorter than this, such as the time of a pixel (1ns)",
		.set = option_duration,
		.offset = offsetof(struct chart_settings, min)},
	{0},
};

static void defaults(void *settings)
{
	*(struct chart_settings *)settings =
		(struct chart_settings){CHART_BY_THREAD, LANES_DEFAULT, 1};
}

/* The columns: a row for each box. */
struct rows {
	double *begin, *end, *value;
	uint32_t *lane, *frame, *samples, *runs;
	uint16_t *depth;
	struct column_frames frames;
};

static void rows_init(struct rows *r, const struct view *v, size_t count)
{
	r->begin = memory_new(count, sizeof(*r->begin));
	r->end = memory_new(count, sizeof(*r->end));
	r->value = memory_new(count, sizeof(*r->value));
	r->lane = memory_new(count, sizeof(*r->lane));
	r->frame = memory_new(count, sizeof(*r->frame));
	r->samples = memory_new(count, sizeof(*r->samples));
	r->runs = memory_new(count, sizeof(*r->runs));
	r->depth = memory_new(count, sizeof(*r->depth));
	column_frames_init(&r->frames, v);
}

static void rows_release(struct rows *r)
{
	memory_free(r->begin);
	memory_free(r->end);
	memory_free(r->value);
	memory_free(r->lane);
	memory_free(r->frame);
	memory_free(r->samples);
	memory_free(r->runs);
	memory_free(r->depth);
	column_frames_release(&r->frames);
}

/* Times are relative to `start`, so that they are exact as doubles. */
static void rows_fill(
	struct rows *r, const struct view *v, const struct chart_boxes *b, uint64_t start)
{
	for (size_t i = 0; i < b->boxes.len; i++) {
		const struct chart_box *box = &b->boxes.items[i];

		r->begin[i] = (double)(box->begin - start);
		r->end[i] = (double)(box->end - start);
		r->value[i] = (double)box->value;
		r->lane[i] = box->lane;
		r->frame[i] = column_frame(&r->frames, v->tree.frame.items[box->node]);
		r->samples[i] = box->samples;
		r->runs[i] = box->runs;
		r->depth[i] = box->depth;
	}
}

static uint64_t start_of(const struct chart_boxes *b)
{
	uint64_t start = b->boxes.len ? UINT64_MAX : 0;

	for (size_t i = 0; i < b->boxes.len; i++)
		start = b->boxes.items[i].begin < start ? b->boxes.items[i].begin : start;
	return start;
}

static void write_about(
	struct columns *c, const struct chart_lanes *l, const struct chart_boxes *b, uint64_t start)
{
	struct bytes unit = view_text(l->view, view_stream(l->view)->unit);

	columns_number(c, "start", (int64_t)start);
	columns_number(c, "total", l->total);
	columns_number(c, "untimed", l->untimed);
	columns_number(c, "least", (int64_t)b->min);
	columns_number(c, "period", (int64_t)l->period);
	columns_number(c, "lanes", (int64_t)l->count);
	columns_number(c, "lanes_left_out", (int64_t)l->left_out);
	columns_number(c, "decimals", units_decimals(unit));
	columns_text(c, "unit", units_base(unit));
	buffer_text(&c->header, ",\"labels\":[");
	if (l->by != CHART_ALL)
		heatmap_rows_labels(&l->rows, l->count, &c->header);
	else
		buffer_text(&c->header, "\"all\"");
	buffer_char(&c->header, ']');
}

static void write_chart(
	const struct chart_lanes *l, const struct chart_boxes *b, struct output *out)
{
	uint64_t start = start_of(b);
	size_t count = b->boxes.len;
	struct columns c = {0};
	struct rows r;

	rows_init(&r, l->view, count);
	rows_fill(&r, l->view, b, start);
	write_about(&c, l, b, start);
	columns_add(&c, "begin", "f64", r.begin, count);
	columns_add(&c, "end", "f64", r.end, count);
	columns_add(&c, "value", "f64", r.value, count);
	columns_add(&c, "lane", "u32", r.lane, count);
	columns_add(&c, "frame", "u32", r.frame, count);
	columns_add(&c, "samples", "u32", r.samples, count);
	columns_add(&c, "runs", "u32", r.runs, count);
	columns_add(&c, "depth", "u16", r.depth, count);
	columns_add_frames(&c, &r.frames);
	columns_write(&c, out);
	rows_release(&r);
}

static bool chart_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct chart_settings *s = settings;
	struct chart_lanes lanes = {0};
	struct chart_boxes boxes;
	bool done;

	if (!s->min || !s->lanes || s->lanes > LANES_LIMIT)
		return error_set(err, ERR_USAGE,
			"expected 1 to %u lanes and at least 1 ns, got %llu and %llu ns",
			LANES_LIMIT, (unsigned long long)s->lanes, (unsigned long long)s->min);
	done = columns_fit(v, err) &&
	       chart_lanes_init(&lanes, v, (enum chart_by)s->by, (size_t)s->lanes, err);
	if (done) {
		chart_boxes_init(&boxes, &lanes, s->min);
		write_chart(&lanes, &boxes, out);
		chart_boxes_release(&boxes);
	}
	chart_lanes_release(&lanes);
	return done;
}

const struct renderer renderer_chart = {
	.name = "chart",
	.media_type = MEDIA_BINARY,
	.about = "the flame chart as columns: frames over time, by thread",
	.options = chart_options,
	.settings_size = sizeof(struct chart_settings),
	.defaults = defaults,
	.render = chart_render,
};
