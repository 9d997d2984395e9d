/* svg_boxes.c: how is a frame written as SVG?
 *
 * The elements are those of flamegraph.pl, so that programs that read its files can read these:
 * a <g> with a <title> "name (1,234 samples, 12.34%)", a <rect> and, if there is room, a <text>. */
#include "renderers/svg_boxes.h"

#include "base/units.h"
#include "base/utf8.h"
#include "renderers/changes.h"
#include "renderers/svg_letters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FLUSH_BYTES ((size_t)64 << 10)
#define MARGIN	    3 /* pixels left and right of a name */

void svg_pixels(struct buffer *b, double pixels)
{
	int64_t hundredths = llrint(pixels * 100);
	uint64_t size = (uint64_t)(hundredths < 0 ? -hundredths : hundredths);

	if (hundredths < 0)
		buffer_char(b, '-');
	buffer_u64(b, size / 100);
	if (size % 100) {
		buffer_char(b, '.');
		buffer_char(b, (char)('0' + size / 10 % 10));
		if (size % 10)
			buffer_char(b, (char)('0' + size % 10));
	}
}

void svg_length(struct buffer *b, const char *name, double pixels)
{
	buffer_printf(b, " %s=\"", name);
	svg_pixels(b, pixels);
	buffer_char(b, '"');
}

void svg_colour(struct buffer *b, struct colour colour)
{
	buffer_text(b, "rgb(");
	buffer_u64(b, colour.red);
	buffer_char(b, ',');
	buffer_u64(b, colour.green);
	buffer_char(b, ',');
	buffer_u64(b, colour.blue);
	buffer_char(b, ')');
}

double svg_baseline(const struct svg_settings *s)
{
	double below = s->rules == RULES_KILN ? s->font_size / 4 : 3;

	return ((double)s->height - 1) / 2 + below;
}

/* A value from the left edge, as it is shown: an edge of a box, or the whole. */
static double svg_shown(const struct svg_picture *p, int64_t value)
{
	const struct svg_sums *sums = &p->sums;

	if (sums->items.len && value <= sums->items.items[sums->items.len - 1].at)
		return svg_sums_at(sums, value);
	return (double)value / pow(10, p->decimals);
}

/* ---- Names ---- */

/* "_[k]", "_[w]", "_[i]" or "_[j]": suffixes in folded text for the kind of a frame. */
static bool is_annotated(struct bytes name)
{
	char kind = name.len >= 4 ? name.at[name.len - 2] : '\0';

	return (kind == 'k' || kind == 'w' || kind == 'i' || kind == 'j') &&
	       name.at[name.len - 4] == '_' && name.at[name.len - 3] == '[' &&
	       name.at[name.len - 1] == ']';
}

static struct bytes shown_name(struct bytes name)
{
	return is_annotated(name) ? (struct bytes){name.at, name.len - 4} : name;
}

static const char *annotation(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_KERNEL:
		return "_[k]";
	case FRAME_INLINED:
		return "_[i]";
	case FRAME_JIT:
	case FRAME_BASELINE:
		return "_[j]";
	default:
		return "";
	}
}

/* ---- Colours ---- */

/* The name by which a classic palette chooses the colour: with the suffix for its kind. */
static struct bytes classic_name(
	struct buffer *spare, struct bytes name, enum frame_kind kind, bool waker)
{
	const char *end = waker ? "_[w]" : annotation(kind);

	if (!*end || is_annotated(name))
		return name;
	buffer_set(spare, name);
	buffer_text(spare, end);
	return buffer_bytes(spare);
}

static struct colour palette_colour(
	struct svg_picture *p, const struct frame *frame, struct bytes name, bool waker)
{
	enum palette palette = svg_palette(p->settings);
	enum colour_seed seed = p->settings->random ? SEED_RANDOM : SEED_NAME;
	struct buffer spare = {0};
	struct colour colour;

	if (palette == PALETTE_KIND)
		return colour_by_kind(frame->kind, name);
	if (palette == PALETTE_MODULE)
		return colour_by_module(frame->kind, view_text(p->view, frame->module), name);
	if (p->settings->hash)
		seed = SEED_HASH;
	if (p->settings->deterministic)
		seed = SEED_FNV;
	name = classic_name(&spare, name, frame->kind, waker);
	colour = colour_classic(palette, seed, name, &p->sequence);
	buffer_release(&spare);
	return colour;
}

static struct colour named_colour(
	struct svg_picture *p, const struct frame *frame, struct bytes name, bool waker)
{
	const struct colour *known;
	struct colour colour;

	if (!p->settings->keep_palette)
		return palette_colour(p, frame, name, waker);
	known = palette_map_find(&p->palette, name);
	if (known)
		return *known;
	colour = palette_colour(p, frame, name, waker);
	palette_map_add(&p->palette, name, colour);
	return colour;
}

/* ---- One box ---- */

struct drawn_box {
	const struct box *box;
	struct frame frame;
	struct bytes name; /* of the function; "" for the root */
	bool waker;
	double left, right, y; /* pixels */
};

/* The change of the function itself, by flamegraph.pl's rules. */
static int64_t own_change(const struct svg_picture *p, const struct box *box)
{
	const struct layout *l = p->layout;

	if (l->changes.len)
		return l->changes.items[box - l->boxes.items] * (p->settings->negate ? -1 : 1);
	if (!box->own)
		return 0;
	return p->sides->self[svg_after(p)][box->node] - p->sides->self[svg_before(p)][box->node];
}

static struct colour change_colour(const struct svg_picture *p, const struct box *box)
{
	node_id node = box->node;
	int64_t *const *values;

	if (p->settings->rules == RULES_INFERNO)
		return colour_of_change_inferno(own_change(p, box), p->max_change);
	if (p->settings->changes == CHANGES_CLASSIC)
		return colour_of_change(own_change(p, box), p->max_change);
	values = p->settings->changes == CHANGES_SELF ? p->sides->self : p->sides->total;
	return colour_of_ratio(
		sides_ratio(p->sides, values[svg_before(p)][node], values[svg_after(p)][node]));
}

static struct colour box_colour(struct svg_picture *p, const struct drawn_box *d)
{
	/* Separators between stacks. */
	if (bytes_equal(d->name, BYTES("--")))
		return (struct colour){160, 160, 160};
	if (bytes_equal(d->name, BYTES("-")) && !d->waker)
		return (struct colour){200, 200, 200};
	if (p->settings->by_share)
		return colour_of_share((double)(d->box->end - d->box->start) / (double)p->total);
	if (p->sides)
		return change_colour(p, d->box);
	return named_colour(p, &d->frame, d->name, d->waker);
}

/* "; +1.23%": the change of the function itself as a share of the whole. */
static void write_own_change(const struct svg_picture *p, const struct box *box, struct buffer *b)
{
	int64_t change = own_change(p, box);

	if (p->settings->rules != RULES_KILN) {
		double percent = 100 * (double)change / ((double)p->total * p->settings->factor);

		buffer_printf(b, change ? "; %+.2f%%" : "; 0.00%%", percent);
		return;
	}
	buffer_text(b, change > 0 ? "; +" : change < 0 ? "; -" : "; ");
	units_percent(b, change < 0 ? -change : change, p->total);
	buffer_char(b, '%');
}

/* "+190 ms, +8.8%" */
static void write_gain(
	const struct svg_picture *p, int64_t *const values[2], node_id node, struct buffer *b)
{
	int64_t before = values[svg_before(p)][node], after = values[svg_after(p)][node];

	if (!sides_change(p->sides, before, after)) {
		buffer_text(b, "unchanged");
		return;
	}
	change_value(b, p->view, p->sides, before, after);
	buffer_text(b, ", ");
	change_percent(b, p->sides, before, after);
}

/* "; +190 ms, +8.8%; self -2 ms, -0.4%": with everything it calls, then itself. */
static void write_change(const struct svg_picture *p, const struct box *box, struct buffer *b)
{
	const struct sides *s = p->sides;
	node_id node = box->node;

	if (p->settings->changes == CHANGES_CLASSIC) {
		if (node)
			write_own_change(p, box, b);
		return;
	}
	buffer_text(b, "; ");
	write_gain(p, s->total, node, b);
	if (!s->self[0][node] && !s->self[1][node])
		return;
	buffer_text(b, "; self ");
	write_gain(p, s->self, node, b);
}

/* "1,234 samples, 12.34%": integers, and the share of the shown total. */
static void write_rounded(const struct svg_picture *p, const struct box *box, struct buffer *b)
{
	double whole = svg_shown(p, p->total) * p->settings->factor;
	int64_t start = box->depth ? box->start : 0, end = box->depth ? box->end : p->total;
	double exact = (svg_shown(p, end) - svg_shown(p, start)) * p->settings->factor;
	double shown = p->settings->rules == RULES_INFERNO ? round(exact) : rint(exact);

	units_grouped(b, p->settings->factor == 1 && !p->decimals ? end - start
								  : (int64_t)fmin(shown, 9e18));
	buffer_char(b, ' ');
	buffer_xml(b, p->count_name);
	if (box->depth)
		buffer_printf(b, ", %.2f%%", 100 * shown / whole);
	else
		buffer_text(b, ", 100%");
}

static void write_value(const struct svg_picture *p, const struct box *box, struct buffer *b)
{
	int64_t value = box->depth ? box->end - box->start : p->total;
	double shown = rint((double)value * p->settings->factor);

	if (p->settings->rules != RULES_KILN) {
		write_rounded(p, box, b);
		return;
	}
	/* Values beyond 2^53 would lose digits as doubles. */
	units_fixed(b, p->settings->factor == 1 ? value : (int64_t)fmin(shown, 9e18), p->decimals);
	buffer_char(b, ' ');
	buffer_xml(b, p->count_name);
	buffer_text(b, ", ");
	if (box->depth)
		units_percent(b, value, p->total);
	else
		buffer_text(b, "100");
	buffer_char(b, '%');
}

static void write_title(struct svg_picture *p, const struct drawn_box *d, struct buffer *b)
{
	buffer_xml(b, d->box->depth ? shown_name(d->name) : BYTES("all"));
	buffer_text(b, " (");
	write_value(p, d->box, b);
	if (p->sides)
		write_change(p, d->box, b);
	buffer_char(b, ')');
}

/* By the classic rules all letters have the same width, and the margins are part of the room. */
static void fit_classic(
	const struct svg_settings *s, struct bytes name, double pixels, struct buffer *out)
{
	size_t room = (size_t)(pixels / (s->font_size * s->font_width));
	size_t at = 0, cut = 0, letters = 0;

	if (room < 3)
		return;
	for (; at < name.len && letters < room; letters++) {
		size_t len = utf8_decode((struct bytes){name.at + at, name.len - at}, NULL);

		at += len ? len : 1;
		if (letters + 3 == room)
			cut = at;
	}
	buffer_add(out, name.at, at < name.len ? cut : at);
	buffer_text(out, at < name.len ? ".." : "");
}

static void write_text(struct svg_picture *p, const struct drawn_box *d, struct buffer *b)
{
	const struct svg_settings *s = p->settings;
	struct bytes name = d->box->depth ? shown_name(d->name) : BYTES("all");
	struct buffer *fits = &p->label;

	fits->len = 0;
	if (s->rules == RULES_KILN)
		svg_fit(s, name, d->right - d->left - 2 * MARGIN, fits);
	else if (d->box->depth)
		fit_classic(s, name, d->right - d->left, fits);
	if (!fits->len)
		return;
	buffer_text(b, "<text x=\"");
	svg_pixels(b, d->left + MARGIN);
	buffer_text(b, "\" y=\"");
	svg_pixels(b, d->y + svg_baseline(s));
	buffer_text(b, "\">");
	buffer_xml(b, buffer_bytes(fits));
	buffer_text(b, "</text>");
}

/* To the written precision: flamegraph.pl writes tenths, rounded like printf. */
static double rounded(const struct svg_settings *s, double pixels)
{
	char text[32];

	if (s->rules != RULES_PERL)
		return rint(pixels * 100) / 100;
	snprintf(text, sizeof(text), "%.1f", pixels);
	return strtod(text, NULL);
}

static void write_rect(struct svg_picture *p, const struct drawn_box *d, struct buffer *b)
{
	/* Round both edges and not the width, so that neighbours share an edge. */
	double left = rounded(p->settings, d->left), right = rounded(p->settings, d->right);

	buffer_text(b, "<rect x=\"");
	svg_pixels(b, left);
	buffer_text(b, "\" y=\"");
	svg_pixels(b, d->y);
	buffer_text(b, "\" width=\"");
	svg_pixels(b, right - left);
	buffer_text(b, "\" height=\"");
	buffer_u64(b, p->settings->height - 1);
	buffer_text(b, "\" fill=\"");
	svg_colour(b, box_colour(p, d));
	if (p->settings->stroke)
		buffer_printf(b, "\" stroke=\"%s", p->settings->stroke);
	buffer_text(b, "\"/>");
}

/* The opening tag with the user's attributes; returns the title among them, or nothing. */
static struct bytes write_start(struct attribute_walk attributes, bool link, struct buffer *b)
{
	struct bytes key, value, title = {"", 0};
	bool target = false;

	buffer_text(b, link ? "<a" : "<g");
	while (attribute_next(&attributes, &key, &value)) {
		if (bytes_equal(key, BYTES("title"))) {
			title = value;
			continue;
		}
		if (!link && bytes_equal(key, BYTES("target")))
			continue;
		target |= bytes_equal(key, BYTES("target"));
		buffer_text(b, bytes_equal(key, BYTES("href")) ? " xlink:" : " ");
		buffer_add(b, key.at, key.len);
		buffer_text(b, "=\"");
		buffer_xml(b, value);
		buffer_char(b, '"');
	}
	/* Without a target, a link would open inside the <object> that shows the picture. */
	buffer_text(b, link && !target ? " target=\"_top\">" : ">");
	return title;
}

static bool has_link(struct attribute_walk attributes)
{
	struct bytes key, value;

	while (attribute_next(&attributes, &key, &value))
		if (bytes_equal(key, BYTES("href")))
			return true;
	return false;
}

static void write_box(struct svg_picture *p, const struct drawn_box *d, struct buffer *b)
{
	struct attribute_walk attributes = name_attributes_find(&p->attributes, d->name);
	bool link = has_link(attributes);
	struct bytes title = write_start(attributes, link, b);

	buffer_text(b, "<title>");
	if (title.len)
		buffer_xml(b, title);
	else
		write_title(p, d, b);
	buffer_text(b, "</title>");
	write_rect(p, d, b);
	write_text(p, d, b);
	buffer_text(b, link ? "</a>\n" : "</g>\n");
}

/* ---- All boxes ---- */

/* In chain graphs, the stacks of wakers are above a separator frame: everything above it belongs
 * to them. */
static bool *find_wakers(const struct svg_picture *p)
{
	const struct layout *l = p->layout;
	bool *waker = memory_new(l->boxes.len, sizeof(*waker));

	for (size_t i = 1; i < l->boxes.len; i++) {
		const struct box *below = &l->boxes.items[l->boxes.items[i].parent];
		frame_id frame = p->view->tree.frame.items[below->node];

		waker[i] = waker[l->boxes.items[i].parent] ||
			   bytes_equal(view_function(p->view, frame), BYTES("--"));
	}
	return waker;
}

static struct drawn_box place_box(const struct svg_picture *p, const struct box *box)
{
	const struct svg_settings *s = p->settings;
	struct drawn_box d = {.box = box, .frame.kind = FRAME_META, .name = BYTES("")};
	double row = s->icicle ? box->depth : p->layout->depth - box->depth;
	int64_t end = box->depth ? box->end : p->total;

	if (box->node) {
		d.frame = view_frame_at(p->view, p->view->tree.frame.items[box->node]);
		d.name = view_text(p->view, d.frame.function);
	}
	d.left = SVG_PAD + (double)box->start * p->per_value;
	d.right = SVG_PAD + (double)end * p->per_value;
	/* One pixel is free above every frame, or below it in icicles. */
	d.y = p->top + row * (double)s->height + !s->icicle;
	return d;
}

void svg_write_boxes(struct svg_picture *p, struct output *out)
{
	bool *waker = svg_palette(p->settings) == PALETTE_CHAIN ? find_wakers(p) : NULL;
	struct buffer b = {0};

	buffer_text(&b, "<g id=\"frames\">\n");
	for (size_t i = 0; i < p->layout->boxes.len && !out->failed.code; i++) {
		struct drawn_box d = place_box(p, &p->layout->boxes.items[i]);

		d.waker = waker && waker[i];
		write_box(p, &d, &b);
		if (b.len >= FLUSH_BYTES) {
			output_write(out, buffer_bytes(&b));
			b.len = 0;
		}
	}
	buffer_text(&b, "</g>\n");
	output_write(out, buffer_bytes(&b));
	buffer_release(&b);
	memory_free(waker);
}
