/* svg_legend.h: what do the colours of a flame graph mean? */
#ifndef KILN_RENDERERS_SVG_LEGEND_H
#define KILN_RENDERERS_SVG_LEGEND_H

#include "renderers/svg_boxes.h"

/* `{0}` has no entries: no legend is drawn. */
struct svg_legend {
	const char *about; /* tooltip */
	VECTOR(struct svg_legend_entry {
		struct buffer label;
		struct colour colour;
		bool plain; /* text without a colour */
	})
	entries;
};

/* Fill `l`, which is empty, with the meaning of the picture's colours, if a legend is useful.
 * `self` has an item for every node of the picture's view; their sum is `total`. */
void svg_legend_build(
	struct svg_legend *l, const struct svg_picture *p, const int64_t *self, int64_t total);
void svg_legend_release(struct svg_legend *l);

/* Write one line of text with its baseline at `y` (pixels). */
void svg_legend_write(
	const struct svg_legend *l, const struct svg_settings *s, double y, struct buffer *b);

#endif
