/* svg_legend.h: what do the colours of a flame graph mean? */
#ifndef KILN_RENDERERS_SVG_LEGEND_H
#define KILN_RENDERERS_SVG_LEGEND_H

#include "renderers/svg_boxes.h"

/* `{0}` has no entries: then no legend is drawn. */
struct svg_legend {
	const char *about; /* shown by a pointer that rests on it */
	VECTOR(struct svg_legend_entry {
		struct buffer label;
		struct colour colour;
		bool plain; /* a text without a colour */
	})
	entries;
};

/* Fill `l`, which is empty, with what the picture's colours mean, when a legend would tell
 * anything. `self` has an item for every node of the picture's view, whose sum is `total`. */
void svg_legend_make(
	struct svg_legend *l, const struct svg_picture *p, const int64_t *self, int64_t total);
void svg_legend_release(struct svg_legend *l);

/* One line of text whose baseline is at `y` (pixels). */
void svg_legend_write(
	const struct svg_legend *l, const struct svg_settings *s, double y, struct buffer *b);

#endif
