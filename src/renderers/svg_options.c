/* svg_options.c: the options for flame graphs, with the names and meanings of flamegraph.pl, and
 * of inferno where it has more. */
#include "renderers/svg_options.h"

#include "renderers/palette_map.h"

#include <stddef.h>
#include <strings.h>

static bool set_min_width(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct svg_settings *s = target;
	struct bytes text = bytes_of(value);
	bool percent = bytes_ends_with(text, BYTES("%"));

	(void)option;
	text.len -= percent;
	if (!bytes_double(text, &s->min_width) || s->min_width < 0)
		return error_set(err, ERR_USAGE,
			"expected pixels or a share such as 0.1 or 0.05%%, got '%s'", value);
	s->min_is_percent = percent;
	return true;
}

/* Kiln writes one encoding, which every XML parser knows; the option exists for old scripts. */
static bool check_encoding(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)target;
	(void)option;
	if (strcasecmp(value, "utf-8") != 0)
		return error_set(err, ERR_USAGE,
			"expected UTF-8, the only one that is written, got '%s'", value);
	return true;
}

static bool set_colour(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct colour ignored;

	if (!strcmp(value, "none"))
		return option_text(target, option, NULL, err);
	if (!colour_of_hex(bytes_of(value), &ignored))
		return error_set(err, ERR_USAGE,
			"expected #rrggbb, or none for the default, got '%s'", value);
	return option_text(target, option, value, err);
}

static const char *const rules[] = {"ratio", "classic", "self", NULL};
static const char *const orders[] = {"name", "weight", NULL};

#define AT(member) offsetof(struct svg_settings, member)

const struct option svg_options[] = {
	{"title", 0, "TEXT", "the heading", option_text, AT(title), NULL, false},
	{"subtitle", 0, "TEXT", "a second heading", option_text, AT(subtitle), NULL, false},
	{"inverted", 0, NULL, "an icicle graph: the root at the top", option_flag, AT(icicle), NULL,
		false},
	{"icicle", 0, NULL, NULL, option_flag, AT(icicle), NULL, false},
	{"flamechart", 0, NULL, "samples in time order, stacks not merged", option_flag, AT(chart),
		NULL, false},
	{"order", 0, "ORDER", "siblings by name or by weight, the heaviest first", option_choice,
		AT(order), orders, false},
	{"colors", 0, "PALETTE",
		"kind of frame (kind), module, or a classic palette: hot, mem, io, wakeup, chain, "
		"java, "
		"js, perl, python, rust, red, green, blue, aqua, yellow, purple, orange",
		option_choice, AT(palette), palette_names, false},
	{"bgcolors", 0, "COLOUR", "yellow, blue, green, grey or #rrggbb behind the frames",
		option_text, AT(background), NULL, false},
	{"hash", 0, NULL, "classic palettes: shades by the letters of the name", option_flag,
		AT(hash), NULL, false},
	{"random", 0, NULL, "classic palettes: a new shade for every box", option_flag, AT(random),
		NULL, false},
	{"negate", 0, NULL,
		"differences: before's widths; of two columns, the first is the newer one",
		option_flag, AT(negate), NULL, false},
	{"changes", 0, "RULES",
		"differences: ratio (of totals, on a fixed scale), self (the same of self values) "
		"or classic (as flamegraph.pl)",
		option_choice, AT(changes), rules, false},
	{"colordiffusion", 0, NULL, "the wider a frame, the redder", option_flag, AT(by_share),
		NULL, false},
	{"cp", 0, NULL, "take colours from ./palette.map, and add new names to it", option_flag,
		AT(keep_palette), NULL, true},
	{"width", 0, "PIXELS", "fixed width (default: 1200, or the window's)", option_u64,
		AT(width), NULL, false},
	{"height", 0, "PIXELS", "height of a frame (default 16)", option_u64, AT(height), NULL,
		false},
	{"minwidth", 0, "PIXELS|N%", "leave out narrower frames (default 0.1)", set_min_width, 0,
		NULL, false},
	{"fonttype", 0, "FONT", "font (default Verdana)", option_text, AT(font_type), NULL, false},
	{"fontsize", 0, "PIXELS", "size of the font (default 12)", option_double, AT(font_size),
		NULL, false},
	{"fontwidth", 0, "SHARE", "width of a letter in font sizes (default: of each its own)",
		option_double, AT(font_width), NULL, false},
	{"countname", 0, "TEXT", "what values are called (default: their unit)", option_text,
		AT(count_name), NULL, false},
	{"nametype", 0, "TEXT", "what names are called (default \"Function:\")", option_text,
		AT(name_type), NULL, false},
	{"nameattr", 0, "FILE", "attributes for boxes: lines of NAME and ATTRIBUTE=VALUE, by tabs",
		option_text, AT(name_attributes), NULL, true},
	{"total", 0, "N", "the value of the whole width, when more than the sum", option_double,
		AT(total), NULL, false},
	{"factor", 0, "N", "multiply values by this when they are shown", option_double, AT(factor),
		NULL, false},
	{"notes", 0, "TEXT", "a comment in the file", option_text, AT(notes), NULL, false},
	{"search-color", 0, "#RRGGBB", "colour of what a search has found", set_colour,
		AT(search_colour), NULL, false},
	{"stroke-color", 0, "#RRGGBB", "a line around every frame", set_colour, AT(stroke), NULL,
		false},
	{"uicolor", 0, "#RRGGBB", "colour of the texts beside the frames", set_colour,
		AT(text_colour), NULL, false},
	{"no-javascript", 0, NULL, "leave the script out: a picture to look at only", option_flag,
		AT(no_script), NULL, false},
	/* Stable colours, input in any order, one frame per line, names cut at their right end. */
	{"deterministic", 0, NULL, NULL, option_ignored, 0, NULL, false},
	{"no-sort", 0, NULL, NULL, option_ignored, 0, NULL, false},
	{"pretty-xml", 0, NULL, NULL, option_ignored, 0, NULL, false},
	{"truncate-text-right", 0, NULL, NULL, option_ignored, 0, NULL, false},
	{"encoding", 0, "NAME", NULL, check_encoding, 0, NULL, false},
	{0},
};

void svg_defaults(void *settings)
{
	*(struct svg_settings *)settings = (struct svg_settings){
		.height = 16,
		.font_size = 12,
		.font_width = SVG_FONT_WIDTH,
		.min_width = 0.1,
		.factor = 1,
		.palette = PALETTE_KIND,
		.order = SIBLINGS_BY_NAME,
	};
}

void svg_settings_compare(struct svg_settings *s, struct comparison *how)
{
	bool gone = how->widths == WIDTHS_GONE;

	if (s->negate && !gone)
		how->widths = WIDTHS_BEFORE;
	s->negate = false;
	if (!s->title)
		s->title = gone ? "What Is Gone" : "Differential Flame Graph";
}

bool svg_settings_check(const struct svg_settings *s, struct error *err)
{
	struct colour ignored[2];
	uint64_t narrow = s->rules == RULES_KILN ? 100 : 2 * SVG_PAD + 1;

	if (s->width && (s->width < narrow || s->width > SVG_WIDTH_LIMIT))
		return error_set(err, ERR_USAGE, "--width: expected %llu to %d pixels",
			(unsigned long long)narrow, SVG_WIDTH_LIMIT);
	if (s->height < 2 || s->height > SVG_HEIGHT_LIMIT)
		return error_set(
			err, ERR_USAGE, "--height: expected 2 to %d pixels", SVG_HEIGHT_LIMIT);
	if (!(s->font_size >= 1 && s->font_size <= SVG_FONT_LIMIT))
		return error_set(
			err, ERR_USAGE, "--fontsize: expected 1 to %d pixels", SVG_FONT_LIMIT);
	if (!(s->font_width > 0 && s->font_width <= 10))
		return error_set(err, ERR_USAGE, "--fontwidth: expected a share such as 0.59");
	if (!(s->factor > 0 && s->factor < 1e12))
		return error_set(err, ERR_USAGE, "--factor: expected a positive number");
	if (!(s->total >= 0 && s->total < 9e18))
		return error_set(err, ERR_USAGE, "--total: expected a positive number");
	if (s->background && !background_by_name(bytes_of(s->background), ignored))
		return error_set(err, ERR_USAGE,
			"--bgcolors: expected yellow, blue, green, grey or #rrggbb, got '%s'",
			s->background);
	return true;
}

const char *svg_settings_palette(const struct svg_settings *s)
{
	return s->keep_palette ? PALETTE_MAP_FILE : NULL;
}

enum palette svg_palette(const struct svg_settings *s)
{
	bool classic = s->hash || s->random;

	if (s->rules == RULES_INFERNO && s->palette == PALETTE_JAVA)
		return PALETTE_INFERNO_JAVA;
	if (s->rules == RULES_INFERNO && s->palette == PALETTE_JS)
		return PALETTE_INFERNO_JS;
	return classic && s->palette <= PALETTE_MODULE ? PALETTE_HOT : (enum palette)s->palette;
}
