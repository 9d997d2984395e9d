/* svg_letters.h: how much of a text has room in a box, in fonts that nobody can measure here? */
#ifndef KILN_RENDERERS_SVG_LETTERS_H
#define KILN_RENDERERS_SVG_LETTERS_H

#include "renderers/svg_options.h"

/* Pixels that a text takes at most: by what its letters take in Verdana, in DejaVu Sans and in
 * Liberation Sans, whichever is wider; in a font of the user's choice also in fonts whose letters
 * all have one width. With --fontwidth it is letters times that. */
double svg_text_width(const struct svg_settings *s, struct bytes text);

/* Append what of `name` has room in `pixels`. Where three letters have, a name is cut at its end
 * ("function.."), a path in front, at a slash where one is left ("…/data/blk00012.dat"). */
void svg_fit(const struct svg_settings *s, struct bytes name, double pixels, struct buffer *out);

#endif
