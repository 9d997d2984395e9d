/* svg_letters.h: how much of a text fits into a box, in fonts that cannot be measured here? */
#ifndef KILN_RENDERERS_SVG_LETTERS_H
#define KILN_RENDERERS_SVG_LETTERS_H

#include "renderers/svg_options.h"

/* The maximum width of a text in pixels: letter by letter, the widest of Verdana, DejaVu Sans
 * and Liberation Sans; for a font that the user chose, also of monospaced fonts. With
 * --fontwidth, the number of letters times that. */
double svg_text_width(const struct svg_settings *s, struct bytes text);

/* Append the part of `name` that fits into `pixels`. If three letters fit, a name is cut at its
 * end ("function.."), and a path at its start, at a slash if possible ("…/data/blk00012.dat"). */
void svg_fit(const struct svg_settings *s, struct bytes name, double pixels, struct buffer *out);

#endif
