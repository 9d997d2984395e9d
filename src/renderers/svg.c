/* svg.c: how does a view become a self-contained picture, a flame graph as SVG?
 *
 * The order of work: values of the nodes (sides.h), the layout of boxes in value units
 * (layout.h), the scale from values to pixels, and then the parts of the file: the header with
 * style and script, title and notes (svg_about.h), one element for each box (svg_boxes.h), the
 * legend (svg_legend.h). Boxes narrower than 0.1 pixels (--minwidth) are left out before they
 * are laid out, so the size of the file depends on its width and not on the profile. */
#include "renderers/renderers.h"

#include "base/units.h"
#include "flame_embedded.h"
#include "renderers/svg_about.h"
#include "renderers/svg_boxes.h"
#include "renderers/svg_legend.h"
#include "renderers/text.h"

#include <math.h>
#include <stdlib.h>

#define POLICY		 "script-src '" EMBEDDED_FLAME_JS_HASH "'; style-src '" EMBEDDED_FLAME_CSS_HASH "'"
#define STATIC_WIDTH	 1200 /* pixels, if the picture does not adapt to its window */
#define LETTERS(literal) (sizeof(literal) - 1)

/* ---- Measures ---- */

struct chrome {
	double width, height;
	double top, bottom; /* above and below the frames */
	double details;	    /* the line of text below the frames */
	double legend;	    /* the line of the legend; 0: none */
	struct buffer subtitle, notes;
	bool background_chosen;
};

static void measure(
	struct chrome *c, const struct svg_settings *s, const struct layout *l, bool legend)
{
	c->width = s->width ? (double)s->width : STATIC_WIDTH;
	c->top = s->font_size * 3 + (c->subtitle.len ? s->font_size * 2 : 0);
	c->bottom = s->font_size * 2 + 10;
	c->height = c->top + (double)(l->depth + 1) * (double)s->height + c->bottom;
	c->details = c->height - c->bottom / 2;
	if (legend) {
		c->legend = c->details + s->font_size * 1.75;
		c->height += s->font_size * 1.75;
	}
}

/* ---- Parts around the frames ---- */

static void attribute(struct buffer *b, const char *name, struct bytes value)
{
	buffer_printf(b, " %s=\"", name);
	buffer_xml(b, value);
	buffer_char(b, '"');
}

/* The script is the same in every file, so that one hash allows it. Everything that varies is in
 * this element. */
static void write_parameters(struct buffer *b, const struct svg_settings *s, struct bytes unit)
{
	buffer_printf(b, " data-pad=\"%d\"", SVG_PAD);
	svg_length(b, "data-font-size", s->font_size);
	svg_length(b, "data-font-width", s->font_width);
	svg_length(b, "data-frame-height", (double)s->height);
	svg_length(b, "data-baseline", svg_baseline(s));
	attribute(b, "data-name-type", bytes_of(s->name_type ? s->name_type : "Function:"));
	if (!s->count_name && s->factor == 1)
		attribute(b, "data-unit", unit);
	if (s->search_colour)
		attribute(b, "data-search-colour", bytes_of(s->search_colour));
	if (s->text_colour)
		attribute(b, "data-text-colour", bytes_of(s->text_colour));
	if (s->icicle)
		buffer_text(b, " data-inverted=\"1\"");
	if (!s->width)
		buffer_text(b, " data-fluid=\"1\"");
}

static void write_start(
	struct buffer *b, const struct svg_settings *s, const struct chrome *c, struct bytes unit)
{
	buffer_text(b, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<svg "
		       "version=\"1.1\"");
	svg_length(b, "width", c->width);
	svg_length(b, "height", c->height);
	buffer_text(b, " viewBox=\"0 0 ");
	svg_pixels(b, c->width);
	buffer_char(b, ' ');
	svg_pixels(b, c->height);
	buffer_text(b, "\" xmlns=\"http://www.w3.org/2000/svg\""
		       " xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
	buffer_printf(b, " class=\"kiln%s\" role=\"group\" aria-labelledby=\"title\"",
		c->background_chosen ? "" : " auto");
	attribute(b, "font-family",
		bytes_of(s->font_type ? s->font_type : "Verdana,DejaVu Sans,sans-serif"));
	svg_length(b, "font-size", s->font_size);
	write_parameters(b, s, unit);
	buffer_text(b, ">\n<!-- A flame graph by Kiln " KILN_VERSION ". Content Security Policy:"
		       " " POLICY " -->\n");
	if (s->notes) {
		buffer_text(b, "<!-- NOTES: ");
		buffer_xml_comment(b, bytes_of(s->notes));
		buffer_text(b, " -->\n");
	}
	buffer_text(b, "<style type=\"text/css\">");
	buffer_add(b, embedded_flame_css, LETTERS(embedded_flame_css));
	buffer_text(b, "</style>\n");
}

static void write_background(struct buffer *b, const struct svg_settings *s, const struct chrome *c)
{
	const char *name = s->background ? s->background : background_of_palette(svg_palette(s));
	struct colour colours[2] = {{255, 255, 255}, {255, 255, 255}};

	if (name)
		background_by_name(bytes_of(name), colours);
	buffer_text(
		b, "<defs><linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">");
	for (int i = 0; i < 2; i++) {
		buffer_text(b, "<stop stop-color=\"");
		svg_colour(b, colours[i]);
		buffer_printf(b, "\" offset=\"%d%%\"/>", i ? 95 : 5);
	}
	buffer_text(b, "</linearGradient></defs>\n<rect x=\"0\" y=\"0\" width=\"100%\"");
	svg_length(b, "height", c->height);
	buffer_text(b, " fill=\"url(#background)\"/>\n");
}

/* A line of text; `about` is its tooltip. */
static void write_text(struct buffer *b, const char *attributes, const char *x, double y,
	struct bytes text, struct bytes about)
{
	buffer_printf(b, "<text %s x=\"%s\"", attributes, x);
	svg_length(b, "y", y);
	buffer_char(b, '>');
	if (about.len) {
		buffer_text(b, "<title>");
		buffer_xml(b, about);
		buffer_text(b, "</title>");
	}
	buffer_xml(b, text);
	buffer_text(b, "</text>\n");
}

static const char *default_title(const struct svg_settings *s)
{
	if (s->chart)
		return "Flame Chart";
	return s->icicle ? "Icicle Graph" : "Flame Graph";
}

static void write_headings(struct buffer *b, const struct svg_settings *s, const struct chrome *c)
{
	struct bytes none = {"", 0}, title = bytes_of(s->title ? s->title : default_title(s));
	struct bytes subtitle = buffer_bytes(&c->subtitle), notes = buffer_bytes(&c->notes);
	struct buffer attributes = {0}, about = {0}, right = {0};

	buffer_text(&attributes, "id=\"title\"");
	svg_length(&attributes, "font-size", s->font_size + 5);
	buffer_text(&attributes, " text-anchor=\"middle\"");
	write_text(b, attributes.at, "50%", s->font_size * 2, title, none);
	if (subtitle.len) {
		buffer_add(&about, subtitle.at, subtitle.len);
		buffer_text(&about, notes.len ? "\n" : "");
		buffer_add(&about, notes.at, notes.len);
		write_text(b, "id=\"subtitle\" class=\"quiet\" text-anchor=\"middle\"", "50%",
			s->font_size * 4, subtitle, buffer_bytes(&about));
	}
	svg_pixels(&right, c->width - SVG_PAD);
	write_text(b, "id=\"details\"", "10", c->details, BYTES(" "), none);
	write_text(b, "id=\"matched\" class=\"hide\" aria-live=\"polite\"", right.at, c->details,
		BYTES(" "), none);
	/* Elements that need the script are hidden until the script shows them. */
	write_text(b, "id=\"unzoom\" class=\"quiet hide\"", "10", s->font_size * 2,
		BYTES("Reset Zoom"), none);
	write_text(b, "id=\"search\" class=\"quiet hide\"", right.at, s->font_size * 2,
		BYTES("Search"), none);
	write_text(b, "id=\"ignorecase\" class=\"quiet hide\" aria-label=\"ignore case\"", right.at,
		s->font_size * 2, BYTES("ic"), none);
	buffer_release(&attributes);
	buffer_release(&about);
	buffer_release(&right);
}

/* ---- The picture ---- */

/* The name of the values: "samples" rather than "count", otherwise their unit. */
static struct bytes count_name(const struct view *v, const struct svg_settings *s)
{
	const struct stream_row *row = view_stream(v);
	struct bytes unit = profile_text(v->profile, row->unit);
	struct bytes kind = profile_text(v->profile, row->kind);

	if (s->count_name)
		return bytes_of(s->count_name);
	if (unit.len && !text_counts(v->profile, row))
		return units_base(unit);
	return kind.len ? kind : BYTES("samples");
}

/* The value of the whole width: the sum, or more if the user says so, in units as shown. */
static int64_t whole_value(const struct svg_picture *p, int64_t sum)
{
	double requested = p->settings->total * pow(10, p->decimals);

	return requested > (double)sum ? (int64_t)fmin(requested, 9e18) : sum;
}

/* The smallest value that gets a box. */
static int64_t least_value(const struct svg_settings *s, int64_t total, double per_value)
{
	double min =
		s->min_is_percent ? (double)total * s->min_width / 100 : s->min_width / per_value;

	return min < 9e18 ? (int64_t)ceil(min) : INT64_MAX;
}

static bool picture_open(struct svg_picture *p, struct error *err)
{
	const struct svg_settings *s = p->settings;

	if (s->keep_palette && !palette_map_read(&p->palette, PALETTE_MAP_FILE, err))
		return false;
	return !s->name_attributes || name_attributes_read(&p->attributes, s->name_attributes, err);
}

static void write_script(struct buffer *b)
{
	buffer_text(b, "<script type=\"text/ecmascript\"><![CDATA[");
	buffer_add(b, embedded_flame_js, LETTERS(embedded_flame_js));
	buffer_text(b, "]]></script>\n");
}

static void draw(
	struct svg_picture *p, const int64_t *self, const int64_t *total, struct output *out)
{
	const struct svg_settings *s = p->settings;
	struct chrome c = {.background_chosen = s->background != NULL};
	struct bytes unit = profile_text(p->view->profile, view_stream(p->view)->unit);
	struct svg_legend legend = {0};
	struct buffer b = {0};

	if (s->rules == RULES_KILN) {
		svg_legend_build(&legend, p, self, total[0]);
		about_line(p->view, total, s->subtitle, &c.subtitle);
		about_below_zero(p->view, p->below, &c.subtitle);
		about_notes(p->view, &c.notes);
	} else if (s->subtitle) {
		buffer_text(&c.subtitle, s->subtitle);
	}
	measure(&c, s, p->layout, legend.entries.len > 0);
	p->top = c.top;
	write_start(&b, s, &c, unit);
	write_background(&b, s, &c);
	write_headings(&b, s, &c);
	if (legend.entries.len)
		svg_legend_write(&legend, s, c.legend, &b);
	output_write(out, buffer_bytes(&b));
	svg_write_boxes(p, out);
	b.len = 0;
	if (!s->no_script)
		write_script(&b);
	buffer_text(&b, "</svg>\n");
	output_write(out, buffer_bytes(&b));
	buffer_release(&b);
	buffer_release(&c.subtitle);
	buffer_release(&c.notes);
	svg_legend_release(&legend);
}

/* The drawn values of every node. */
struct values {
	struct view shown; /* the view, possibly with the streams of "after" */
	struct sides sides;
	int64_t *self, *total; /* of the side that gives the widths */
	int64_t below;	       /* the sum of the negative values */
};

/* Widths are not negative. */
static void clip(struct values *values)
{
	size_t nodes = values->shown.tree.caller.len;

	for (size_t i = 0; i < nodes; i++) {
		if (values->self[i] >= 0)
			continue;
		values->below += values->self[i];
		values->self[i] = 0;
	}
	if (values->below)
		tree_totals(&values->shown.tree, values->self, values->total);
}

static int64_t *copy(const int64_t *items, size_t count)
{
	int64_t *made = memory_new(count, sizeof(*made));

	memcpy(made, items, count * sizeof(*made));
	return made;
}

static void values_find(struct values *values, const struct view *v)
{
	size_t nodes = v->tree.caller.len, side;
	struct sides *s = &values->sides;

	*values = (struct values){.shown = *v};
	sides_init(s, v);
	side = v->comparison.widths == WIDTHS_AFTER ? sides_shown(s) : 0;
	if (side)
		values->shown.streams = s->streams;
	if (s->count == 1) { /* large pictures have one side: avoid a copy */
		values->self = s->self[0];
		values->total = s->total[0];
		s->self[0] = s->total[0] = NULL;
	} else {
		values->self = copy(s->self[side], nodes);
		values->total = copy(s->total[side], nodes);
	}
	if (s->count == 2 && v->comparison.widths == WIDTHS_GONE)
		sides_gone(s, &v->tree, values->self, values->total);
	clip(values);
}

static void values_release(struct values *values)
{
	sides_release(&values->sides);
	memory_free(values->self);
	memory_free(values->total);
}

/* The largest change of a self value, unsigned; at least one whole, so that smaller changes stay
 * pale. */
static int64_t max_change(const struct sides *s, size_t nodes, unsigned decimals)
{
	int64_t max = (int64_t)pow(10, decimals);

	for (size_t i = 0; s->count == 2 && i < nodes; i++) {
		int64_t change = s->self[1][i] - s->self[0][i];
		int64_t size = change < 0 ? -change : change;

		max = size > max ? size : max;
	}
	return max;
}

static struct svg_picture picture_of(
	const struct values *values, const struct svg_settings *s, const struct layout *layout)
{
	const struct view *v = &values->shown;
	unsigned decimals = units_decimals(profile_text(v->profile, view_stream(v)->unit));
	struct svg_picture p = {.view = v,
		.settings = s,
		.layout = layout,
		.count_name = count_name(v, s),
		.decimals = decimals,
		.below = values->below,
		.max_change = max_change(&values->sides, v->tree.caller.len, decimals)};

	/* In a chart, a node has many boxes, each with a part of its value, so the change below a
	 * box is unknown. By the classic rules, a box has the change of the samples that end in
	 * it. */
	if (values->sides.count == 2 && ((!s->chart && !s->unsorted) || s->rules != RULES_KILN))
		p.sides = &values->sides;

	p.total =
		whole_value(&p, s->chart || s->unsorted ? layout_chart_width(v) : values->total[0]);
	p.per_value =
		((s->width ? (double)s->width : STATIC_WIDTH) - 2 * SVG_PAD) / (double)p.total;
	return p;
}

/* Stacks without values have lines, too. */
static void lay_lines(struct layout *layout, const struct values *values, int64_t min)
{
	size_t nodes = values->shown.tree.caller.len;
	const struct sides *s = &values->sides;
	bool *ends = memory_new(nodes, sizeof(*ends));

	for (size_t i = 0; i < nodes; i++)
		ends[i] =
			values->self[i] > 0 || (s->count == 2 && (s->self[0][i] || s->self[1][i]));
	layout_lines(layout, &values->shown, values->self, values->total, ends, min);
	memory_free(ends);
}

static void lay(struct layout *layout, const struct values *values, const struct svg_settings *s,
	int64_t min)
{
	if (s->chart || s->unsorted)
		layout_chart(layout, &values->shown, s->rules != RULES_KILN, min);
	else if (s->rules != RULES_KILN)
		lay_lines(layout, values, min);
	else
		layout_tree(layout, &values->shown, values->self, values->total,
			(enum sibling_order)s->order, min);
}

static const char *nothing_there(const struct values *values)
{
	if (values->shown.comparison.widths == WIDTHS_GONE)
		return "nothing is gone: AFTER has all functions of BEFORE";
	if (values->below)
		return "nothing to draw: no value is above 0";
	return "nothing to draw: there are no samples, or none is selected";
}

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct svg_settings *s = settings;
	struct layout layout = {0};
	struct values values;
	struct layout all = {0};
	struct svg_picture p;
	bool done;

	if (!svg_settings_check(s, err))
		return false;
	if (s->chart && v->comparison.widths == WIDTHS_GONE)
		return error_set(err, ERR_USAGE,
			"a flame chart cannot show what is gone: leave out --flamechart or "
			"--elided");
	values_find(&values, v);
	p = picture_of(&values, s, &layout);
	lay(&layout, &values, s, least_value(s, p.total, p.per_value));
	if (layout.changes.len && layout.max_change > (int64_t)pow(10, p.decimals))
		p.max_change = layout.max_change;
	if (s->rules == RULES_PERL && p.decimals) {
		lay(&all, &values, s, 1);
		svg_sums_find(&p.sums, &all, pow(10, p.decimals));
	}
	done = layout.boxes.len && p.total > 0
		       ? picture_open(&p, err)
		       : error_set(err, ERR_FORMAT, "%s", nothing_there(&values));
	if (done)
		draw(&p, values.self, values.total, out);
	if (done && s->keep_palette)
		done = palette_map_write(&p.palette, PALETTE_MAP_FILE, err);
	palette_map_release(&p.palette);
	name_attributes_release(&p.attributes);
	buffer_release(&p.label);
	svg_sums_release(&p.sums);
	layout_release(&all);
	layout_release(&layout);
	values_release(&values);
	return done;
}

const struct renderer renderer_svg = {
	.name = "svg",
	.suffix = ".svg",
	.media_type = "image/svg+xml",
	.save.label = "Flame graph (SVG)",
	.save.comparisons = true,
	.about = "flame graph for browsers: one file with zoom and search",
	.proof = "Chromium; widths, titles and colours of flamegraph.pl and inferno-flamegraph",
	.policy = POLICY,
	.options = svg_options,
	.settings_size = sizeof(struct svg_settings),
	.defaults = svg_defaults,
	.render = render,
};
