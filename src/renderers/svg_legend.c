/* svg_legend.c: what do the colours of a flame graph mean? */
#include "renderers/svg_legend.h"

#include "base/units.h"

#include <stdlib.h>

static void add_entry(struct svg_legend *l, struct buffer label, struct colour colour)
{
	vector_push(&l->entries, ((struct svg_legend_entry){label, colour}));
}

/* Self values by the kind of frame in which they are spent. */
static void sum_kinds(const struct view *v, const int64_t *self, int64_t ret_sums[FRAME_KINDS])
{
	memset(ret_sums, 0, FRAME_KINDS * sizeof(*ret_sums));
	for (size_t i = 1; i < v->tree.frame.len; i++)
		if (self[i])
			ret_sums[view_frame_at(v, v->tree.frame.items[i]).kind] += self[i];
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
	l->about = "Where values were spent: the kind of the innermost frame";
	for (int k = 0; k < FRAME_KINDS; k++) {
		struct buffer label = {0};

		if (sums[k] <= 0)
			continue;
		buffer_printf(&label, "%s ", frame_kind_name((enum frame_kind)k));
		units_percent(&label, sums[k], total);
		buffer_char(&label, '%');
		add_entry(l, label, colour_of_kind((enum frame_kind)k));
	}
}

/* Labels speak of the columns as the input had them: which of them is the newer one only the user
 * knows. */
static void explain_changes(struct svg_legend *l, bool negated)
{
	const char *column = negated ? "first" : "second";
	struct buffer more = {0}, less = {0};

	l->about = "How the values of functions themselves, without what they call, differ between "
		   "the two columns; widths are the second column's";
	buffer_printf(&more, "more in the %s", column);
	buffer_printf(&less, "less in the %s", column);
	add_entry(l, more, colour_of_change(1, 1));
	add_entry(l, less, colour_of_change(-1, 1));
}

void svg_legend_make(
	struct svg_legend *l, const struct svg_picture *p, const int64_t *self, int64_t total)
{
	const struct svg_settings *s = p->settings;

	if (s->by_share)
		return;
	if (p->change)
		explain_changes(l, s->negate);
	else if (svg_palette(s) == PALETTE_KIND && !s->keep_palette)
		explain_kinds(l, p->view, self, total);
}

void svg_legend_release(struct svg_legend *l)
{
	for (size_t i = 0; i < l->entries.len; i++)
		buffer_release(&l->entries.items[i].label);
	vector_release(&l->entries);
}

/* data-end is where the entry ends, for the script to hide what a narrow window has no room for. */
void svg_legend_write(
	const struct svg_legend *l, const struct svg_settings *s, double y, struct buffer *b)
{
	double x = SVG_PAD;

	buffer_printf(b, "<g id=\"legend\"><title>%s</title>\n", l->about);
	for (size_t i = 0; i < l->entries.len; i++) {
		const struct svg_legend_entry *entry = &l->entries.items[i];
		double letters = (double)entry->label.len;

		buffer_text(b, "<g data-end=\"");
		svg_pixels(b, x + (letters + 2) * s->font_size * s->font_width);
		buffer_text(b, "\"><rect");
		svg_length(b, "x", x);
		svg_length(b, "y", y - s->font_size * 0.8);
		svg_length(b, "width", s->font_size * 0.9);
		svg_length(b, "height", s->font_size * 0.9);
		buffer_text(b, " fill=\"");
		svg_colour(b, entry->colour);
		buffer_text(b, "\"/><text class=\"quiet\"");
		svg_length(b, "x", x + s->font_size * 1.3);
		svg_length(b, "y", y);
		buffer_printf(b, ">%s</text></g>\n", entry->label.at);
		x += (letters + 4) * s->font_size * s->font_width;
	}
	buffer_text(b, "</g>\n");
}
