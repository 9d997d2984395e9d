/* svg_letters.c: how much of a text fits into a box, in fonts that cannot be measured here?
 *
 * The browser that shows the picture chooses the font, so a name's width is only an estimate. It
 * has to be an upper bound, because a name that is too wide reaches into the next box.
 * flamegraph.pl counts 0.59 of the font's size for each letter, which cuts most names too early and
 * wide letters too late. Here each letter has its own width, the largest in the fonts that a
 * browser is likely to use.
 *
 * By hand: FreeType and Pango measure fonts of this machine, not those of the browser that shows
 * the picture, and would slow down drawing, which is measured by `bench/draw_folded.sh`. A table of
 * 95 widths is enough. */
#include "renderers/svg_letters.h"

#include "base/utf8.h"

#define ONE_WIDTH 0.602 /* width of monospaced fonts: DejaVu Sans Mono's */

/* Width of printable ASCII in thousandths of the font's size: the widest of Verdana, DejaVu Sans
 * and Liberation Sans (which has Arial's widths), from the fonts' tables. */
static const uint16_t widths[] = {352, 401, 460, 838, 637, 1076, 780, 275, 454, 454, 636, 838, 364,
	454, 364, 454, 637, 637, 637, 637, 637, 637, 637, 637, 637, 637, 454, 454, 838, 838, 838,
	557, 1016, 685, 687, 723, 771, 667, 611, 778, 752, 421, 500, 693, 558, 863, 749, 788, 667,
	788, 723, 684, 616, 732, 685, 989, 686, 667, 686, 454, 454, 454, 838, 636, 636, 613, 635,
	550, 635, 616, 353, 635, 634, 278, 344, 592, 278, 975, 634, 612, 635, 635, 427, 521, 394,
	634, 592, 818, 592, 592, 525, 637, 454, 637, 838};

static double letter_width(const struct svg_settings *s, uint32_t letter)
{
	double width =
		letter < 0x2000 ? 0.7 : 1; /* other alphabets; symbols and East Asian scripts */

	if (s->font_width != SVG_FONT_WIDTH)
		return s->font_size * s->font_width;
	if (letter >= ' ' && letter - ' ' < sizeof(widths) / sizeof(*widths))
		width = widths[letter - ' '] / 1000.0;
	if (s->font_type && width < ONE_WIDTH)
		width = ONE_WIDTH;
	return s->font_size * width;
}

/* The width of the character at *at, which moves behind it. */
static double next_width(const struct svg_settings *s, struct bytes text, size_t *at)
{
	uint32_t letter = '?';
	size_t len = utf8_decode((struct bytes){text.at + *at, text.len - *at}, &letter);

	*at += len ? len : 1;
	return letter_width(s, letter);
}

double svg_text_width(const struct svg_settings *s, struct bytes text)
{
	double width = 0;

	for (size_t at = 0; at < text.len;)
		width += next_width(s, text, &at);
	return width;
}

/* How many bytes of the start fit. */
static size_t start_that_fits(const struct svg_settings *s, struct bytes name, double pixels)
{
	size_t at = 0, keep = 0;

	for (double used = 0; at < name.len; keep = at) {
		used += next_width(s, name, &at);
		if (used > pixels)
			break;
	}
	return keep;
}

/* Where the part that fits at the end begins: at the first slash, or else inside the last name. */
static size_t end_that_fits(const struct svg_settings *s, struct bytes path, double pixels)
{
	double used = svg_text_width(s, path);
	const char *slash;
	size_t at = 0;

	while (at < path.len && used > pixels)
		used -= next_width(s, path, &at);
	slash = memchr(path.at + at, '/', path.len - at);
	return slash ? (size_t)(slash - path.at) : at;
}

void svg_fit(const struct svg_settings *s, struct bytes name, double pixels, struct buffer *out)
{
	static const char cut_here[] = "\u2026"; /* ".." before a slash would be a folder */
	bool whole = start_that_fits(s, name, pixels) == name.len;
	size_t keep;

	if (whole) {
		buffer_add(out, name.at, name.len);
	} else if (pixels < 3 * s->font_size * s->font_width) {
		return;
	} else if (bytes_starts_with(name, BYTES("/"))) {
		keep = end_that_fits(s, name, pixels - svg_text_width(s, bytes_of(cut_here)));
		if (keep < name.len)
			buffer_text(out, cut_here);
		buffer_add(out, name.at + keep, name.len - keep);
	} else {
		keep = start_that_fits(s, name, pixels - svg_text_width(s, BYTES("..")));
		buffer_add(out, name.at, keep);
		buffer_text(out, keep ? ".." : "");
	}
}
