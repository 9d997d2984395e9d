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
			"expected UTF-8, the only supported encoding, got '%s'", value);
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
	{.name = "title",
		.argument = "TEXT",
		.help = "the title",
		.set = option_text,
		.offset = AT(title)},
	{.name = "subtitle",
		.argument = "TEXT",
		.help = "the subtitle",
		.set = option_text,
		.offset = AT(subtitle)},
	{.name = "inverted",
		.help = "draw an icicle graph: the root at the top",
		.set = option_flag,
		.offset = AT(icicle)},
	{.name = "icicle", .set = option_flag, .offset = AT(icicle)},
	{.name = "flamechart",
		.help = "draw a flame chart: samples in time order, stacks not merged",
		.set = option_flag,
		.offset = AT(chart)},
	{.name = "order",
		.argument = "ORDER",
		.help = "order siblings by name, or by weight with the heaviest first",
		.set = option_choice,
		.offset = AT(order),
		.choices = orders},
	{.name = "colors",
		.argument = "PALETTE",
		.help = "colour by kind of frame (kind), by module (module), or with a classic "
			"palette: "
			"hot, mem, io, wakeup, chain, java, js, perl, python, rust, red, green, "
			"blue, "
			"aqua, yellow, purple, orange",
		.set = option_choice,
		.offset = AT(palette),
		.choices = palette_names},
	{.name = "bgcolors",
		.argument = "COLOUR",
		.help = "background: yellow, blue, green, grey or #rrggbb",
		.set = option_text,
		.offset = AT(background)},
	{.name = "hash",
		.help = "classic palettes: choose the shade by the name",
		.set = option_flag,
		.offset = AT(hash)},
	{.name = "random",
		.help = "classic palettes: choose a random shade for each box",
		.set = option_flag,
		.offset = AT(random)},
	{.name = "negate",
		.help = "differences: use the widths of BEFORE; of two columns, the first is the "
			"newer one",
		.set = option_flag,
		.offset = AT(negate)},
	{.name = "changes",
		.argument = "RULES",
		.help = "differences: colour by ratio (of totals, on a fixed scale), self (of self "
			"values) "
			"or classic (as flamegraph.pl)",
		.set = option_choice,
		.offset = AT(changes),
		.choices = rules},
	{.name = "colordiffusion",
		.help = "colour by width: wider frames are redder",
		.set = option_flag,
		.offset = AT(by_share)},
	{.name = "cp",
		.help = "read colours from ./palette.map, and add new names to it",
		.set = option_flag,
		.offset = AT(keep_palette),
		.opens_files = true},
	{.name = "width",
		.argument = "PIXELS",
		.help = "fixed width in pixels (default: 1200, or the window's)",
		.set = option_u64,
		.offset = AT(width)},
	{.name = "height",
		.argument = "PIXELS",
		.help = "height of a frame in pixels (default 16)",
		.set = option_u64,
		.offset = AT(height)},
	{.name = "minwidth",
		.argument = "PIXELS|N%",
		.help = "leave out frames narrower than this (default 0.1)",
		.set = set_min_width},
	{.name = "fonttype",
		.argument = "FONT",
		.help = "font (default Verdana)",
		.set = option_text,
		.offset = AT(font_type)},
	{.name = "fontsize",
		.argument = "PIXELS",
		.help = "font size (default 12)",
		.set = option_double,
		.offset = AT(font_size)},
	{.name = "fontwidth",
		.argument = "SHARE",
		.help = "width of a letter in font sizes (default: measured by letter)",
		.set = option_double,
		.offset = AT(font_width)},
	{.name = "countname",
		.argument = "TEXT",
		.help = "the name of the values (default: their unit)",
		.set = option_text,
		.offset = AT(count_name)},
	{.name = "nametype",
		.argument = "TEXT",
		.help = "the label in front of names (default \"Function:\")",
		.set = option_text,
		.offset = AT(name_type)},
	{.name = "nameattr",
		.argument = "FILE",
		.help = "attributes of boxes: lines of NAME and ATTRIBUTE=VALUE, separated by tabs",
		.set = option_text,
		.offset = AT(name_attributes),
		.opens_files = true},
	{.name = "total",
		.argument = "N",
		.help = "the value of the full width, if it is more than the sum",
		.set = option_double,
		.offset = AT(total)},
	{.name = "factor",
		.argument = "N",
		.help = "multiply displayed values by this",
		.set = option_double,
		.offset = AT(factor)},
	{.name = "notes",
		.argument = "TEXT",
		.help = "write this comment into the file",
		.set = option_text,
		.offset = AT(notes)},
	{.name = "search-color",
		.argument = "#RRGGBB",
		.help = "colour of search matches",
		.set = set_colour,
		.offset = AT(search_colour)},
	{.name = "stroke-color",
		.argument = "#RRGGBB",
		.help = "draw a line around every frame",
		.set = set_colour,
		.offset = AT(stroke)},
	{.name = "uicolor",
		.argument = "#RRGGBB",
		.help = "colour of the texts around the frames",
		.set = set_colour,
		.offset = AT(text_colour)},
	{.name = "no-javascript",
		.help = "leave out the script: a static picture",
		.set = option_flag,
		.offset = AT(no_script)},
	/* Kiln always does what these ask for: stable colours, input in any order, one frame per
	 * line, names cut at their right end. */
	{.name = "deterministic", .set = option_ignored},
	{.name = "no-sort", .set = option_ignored},
	{.name = "pretty-xml", .set = option_ignored},
	{.name = "truncate-text-right", .set = option_ignored},
	{.name = "encoding", .argument = "NAME", .set = check_encoding},
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
