/* svg_boxes.h: the frames of a flame graph as SVG elements. */
#ifndef KILN_RENDERERS_SVG_BOXES_H
#define KILN_RENDERERS_SVG_BOXES_H

#include "base/output.h"
#include "model/sides.h"
#include "renderers/name_attributes.h"
#include "renderers/palette_map.h"
#include "renderers/svg_options.h"
#include "renderers/svg_sums.h"

/* What every box needs to be written. */
struct svg_picture {
	const struct view *view;
	const struct svg_settings *settings;
	const struct layout *layout;
	int64_t total;	  /* the value of the whole width, in the profile's unit */
	int64_t below;	  /* the sum of values below 0, which are drawn as nothing */
	double top;	  /* pixels above the frames */
	double per_value; /* pixels */
	struct bytes count_name;
	const struct sides *sides; /* whose changes colours tell; NULL: there is one side */
	int64_t most_change;	   /* classic rules: the largest without sign; at least 1 */
	unsigned decimals;	   /* of values when they are shown: see units.h */
	struct svg_sums sums;	   /* Perl's rules: of values with decimals; else empty */
	struct colour_sequence sequence;
	struct palette_map palette;
	struct name_attributes attributes;
	struct buffer label; /* of the box that is being written */
};

/* A number of pixels with up to two decimals, as short as possible. */
void svg_pixels(struct buffer *b, double pixels);
void svg_length(struct buffer *b, const char *name, double pixels); /* ` name="12.5"` */
void svg_colour(struct buffer *b, struct colour colour);	    /* "rgb(1,2,3)" */

/* From the top of a frame to the line on which its text stands. */
double svg_baseline(const struct svg_settings *s);

/* Which side of two stands for before, and which for after. */
static inline size_t svg_before(const struct svg_picture *p)
{
	return p->settings->negate;
}
static inline size_t svg_after(const struct svg_picture *p)
{
	return !p->settings->negate;
}

/* A value from the left edge, as it is shown; an edge of a box, or the whole. */
double svg_shown(const struct svg_picture *p, int64_t value);

/* Write <g id="frames"> with one element for each box, in preorder. */
void svg_write_boxes(struct svg_picture *p, struct output *out);

#endif
