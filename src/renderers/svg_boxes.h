/* svg_boxes.h: the frames of a flame graph as SVG elements. */
#ifndef KILN_RENDERERS_SVG_BOXES_H
#define KILN_RENDERERS_SVG_BOXES_H

#include "base/output.h"
#include "model/sides.h"
#include "renderers/name_attributes.h"
#include "renderers/palette_map.h"
#include "renderers/svg_options.h"
#include "renderers/svg_sums.h"

/* A picture that is being drawn: what its boxes are made of. */
struct svg_picture {
	const struct view *view;
	const struct svg_settings *settings;
	const struct layout *layout;
	int64_t total;	  /* the value of the whole width, in the profile's unit */
	int64_t below;	  /* the sum of negative values, which are not drawn */
	double top;	  /* pixels above the frames */
	double per_value; /* pixels */
	struct bytes count_name;
	const struct sides *sides; /* whose changes decide colours; NULL: one side */
	int64_t max_change;	   /* classic rules: the largest, unsigned; at least 1 */
	unsigned decimals;	   /* of values as shown: see units.h */
	struct svg_sums sums;	   /* Perl's rules: for values with decimals; otherwise empty */
	struct colour_sequence sequence;
	struct palette_map palette;
	struct name_attributes attributes;
	struct buffer label; /* of the box that is being written */
};

/* A number of pixels with up to two decimals, without trailing zeroes. */
void svg_pixels(struct buffer *b, double pixels);
void svg_length(struct buffer *b, const char *name, double pixels); /* ` name="12.5"` */
void svg_colour(struct buffer *b, struct colour colour);	    /* "rgb(1,2,3)" */

/* The distance from the top of a frame to its text's baseline. */
double svg_baseline(const struct svg_settings *s);

/* Index of the side that counts as before, and as after. */
static inline size_t svg_before(const struct svg_picture *p)
{
	return p->settings->negate;
}
static inline size_t svg_after(const struct svg_picture *p)
{
	return !p->settings->negate;
}

/* Write <g id="frames"> with one element for each box, in preorder. */
void svg_write_boxes(struct svg_picture *p, struct output *out);

#endif
