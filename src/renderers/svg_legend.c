/* svg_legend.c: what do the colours of a flame graph mean? */
#include "renderers/svg_legend.h"

#include "base/units.h"
#include "renderers/svg_letters.h"

#include <stdlib.h>

#define NAME_LETTERS 30 /* of a side's name; the rest is cut */

static void add_entry(struct svg_legend *l, struct buffer label, struct colour colour)
{
	vector_push(&l->entries, ((struct svg_legend_entry){label, colour, false}));
}

/* Self values by the kind of frame. */
static void sum_kinds(const struct view *v, const int64_t *self, int64_t ret_sums[FRAME_KINDS])
{
	memset(ret_sums, 0, FRAME_KINDS * sizeof(*ret_sums));
	for (size_t i = 1; i < v->tree.frame.len; i++)
		if (self[i])
			ret_sums[view_frame_at(v, v->tree.frame.items[i]).kind] += self[i];
}

/* The name of a kind for readers of the picture. */
static const char *kind_label(enum frame_kind kind)
{
	return kind == FRAME_META ? "other" : frame_kind_name(kind);
}

static void explain_kinds(
	struct svg_legend *l, const struct view *v, const int64_t *self, int64_t total)
{
	int64_t sums[FRAME_KINDS];
	int kinds = 0;

	sum_kinds(v, self, sums);
	for (int k = 0; k < FRAME_KINDS; k++)
		kinds += sums[k] > 0;
	if (kinds < 2)
		return;
	l->about = "Colours show the kind of the innermost frame";
	for (int k = 0; k < FRAME_KINDS; k++) {
		struct buffer label = {0};

		if (sums[k] <= 0)
			continue;
		buffer_printf(&label, "%s ", kind_label((enum frame_kind)k));
		units_percent(&label, sums[k], total);
		buffer_char(&label, '%');
		add_entry(l, label, colour_of_kind((enum frame_kind)k));
	}
}

/* Labels refer to the columns of the input: only the user knows which is the newer one. */
static void explain_classic_changes(struct svg_legend *l, bool negated)
{
	const char *column = negated ? "first" : "second";
	struct buffer more = {0}, less = {0};

	l->about = "Colours show how self values differ between the two columns; widths are those "
		   "of the second column";
	buffer_printf(&more, "more in the %s", column);
	buffer_printf(&less, "less in the %s", column);
	add_entry(l, more, colour_of_change(1, 1));
	add_entry(l, less, colour_of_change(-1, 1));
}

/* A shortened name. */
static void add_name(struct buffer *b, const struct profile *p, size_t side)
{
	struct buffer name = {0};
	size_t keep;

	sides_name(p, side, &name);
	keep = name.len;
	if (keep > NAME_LETTERS)
		for (keep = NAME_LETTERS; keep && (name.at[keep] & 0xC0) == 0x80;)
			keep--;
	buffer_add(b, name.at, keep);
	buffer_text(b, keep < name.len ? ".." : "");
	buffer_release(&name);
}

static void add_label(struct svg_legend *l, const char *text, double ratio)
{
	struct buffer label = {0};

	buffer_text(&label, text);
	add_entry(l, label, colour_of_ratio(ratio));
}

/* "after: b.folded against before: a.folded, widths: before" */
static struct buffer names_of_sides(const struct svg_picture *p)
{
	const struct comparison *c = &p->view->comparison;
	struct buffer names = {0};

	add_name(&names, p->view->profile, svg_after(p));
	buffer_text(&names, " against ");
	add_name(&names, p->view->profile, svg_before(p));
	if (c->widths == WIDTHS_GONE)
		buffer_text(&names, ", widths: what is gone");
	else if (c->widths == WIDTHS_BEFORE || p->settings->negate)
		buffer_text(&names, ", widths: before");
	return names;
}

/* The same scale in every picture. Names come last, because a narrow window may hide the end. */
static void explain_ratios(struct svg_legend *l, const struct svg_picture *p)
{
	const struct comparison *c = &p->view->comparison;
	struct buffer same = {0};

	l->about = p->settings->changes == CHANGES_SELF
			   ? "Colours show by how much self values changed"
			   : "Colours show by how much total values changed";
	add_label(l, "\u2264 -20%, gone", -COLOUR_RATIO_FULL);
	add_label(l, "-11%", -COLOUR_RATIO_FULL / 2);
	if (c->threshold > 0)
		buffer_printf(&same, "0, or < %g%% of all", c->threshold);
	else
		buffer_text(&same, "0");
	add_entry(l, same, colour_of_ratio(0));
	add_label(l, "+12%", COLOUR_RATIO_FULL / 2);
	add_label(l, "\u2265 +25%, new", COLOUR_RATIO_FULL);
	vector_push(&l->entries, ((struct svg_legend_entry){names_of_sides(p), {0}, true}));
}

void svg_legend_build(
	struct svg_legend *l, const struct svg_picture *p, const int64_t *self, int64_t total)
{
	const struct svg_settings *s = p->settings;

	if (s->by_share)
		return;
	if (p->sides && s->changes == CHANGES_CLASSIC)
		explain_classic_changes(l, s->negate);
	else if (p->sides)
		explain_ratios(l, p);
	else if (svg_palette(s) == PALETTE_KIND && !s->keep_palette)
		explain_kinds(l, p->view, self, total);
}

void svg_legend_release(struct svg_legend *l)
{
	for (size_t i = 0; i < l->entries.len; i++)
		buffer_release(&l->entries.items[i].label);
	vector_release(&l->entries);
}

static void write_square(
	const struct svg_settings *s, double x, double y, struct colour colour, struct buffer *b)
{
	buffer_text(b, "<rect");
	svg_length(b, "x", x);
	svg_length(b, "y", y - s->font_size * 0.8);
	svg_length(b, "width", s->font_size * 0.9);
	svg_length(b, "height", s->font_size * 0.9);
	buffer_text(b, " fill=\"");
	svg_colour(b, colour);
	buffer_text(b, "\"/>");
}

/* data-end is where the entry ends, so that the script can hide what does not fit. */
void svg_legend_write(
	const struct svg_legend *l, const struct svg_settings *s, double y, struct buffer *b)
{
	double x = SVG_PAD;

	buffer_printf(b, "<g id=\"legend\"><title>%s</title>\n", l->about);
	for (size_t i = 0; i < l->entries.len; i++) {
		const struct svg_legend_entry *entry = &l->entries.items[i];
		double square = entry->plain ? 0 : s->font_size * 1.3;
		double end = x + square + svg_text_width(s, buffer_bytes(&entry->label));

		buffer_text(b, "<g data-end=\"");
		svg_pixels(b, end);
		buffer_text(b, "\">");
		if (!entry->plain)
			write_square(s, x, y, entry->colour, b);
		buffer_text(b, "<text class=\"quiet\"");
		svg_length(b, "x", x + square);
		svg_length(b, "y", y);
		buffer_char(b, '>');
		buffer_xml(b, buffer_bytes(&entry->label));
		buffer_text(b, "</text></g>\n");
		x = end + s->font_size * 1.3;
	}
	buffer_text(b, "</g>\n");
}
