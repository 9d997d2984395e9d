/* svg_options.h: the options of the SVG renderer. */
#ifndef KILN_RENDERERS_SVG_OPTIONS_H
#define KILN_RENDERERS_SVG_OPTIONS_H

#include "base/options.h"
#include "renderers/colour.h"
#include "renderers/layout.h"

#define SVG_PAD		 10	/* pixels left and right of the frames */
#define SVG_WIDTH_LIMIT	 100000 /* pixels */
#define SVG_HEIGHT_LIMIT 1000	/* pixels for one frame */
#define SVG_FONT_LIMIT	 200	/* pixels */
#define SVG_FONT_WIDTH	 0.59	/* of the classic scripts, without --fontwidth */

enum changes {
	CHANGES_RATIO, /* the factor by which a function with its callees changed: a fixed scale */
	CHANGES_CLASSIC, /* flamegraph.pl's: changes of self values; the largest has the full colour
			  */
	CHANGES_SELF,	 /* as CHANGES_RATIO, for the function itself */
};

/* The tool whose rules a picture follows: in which order frames are drawn, how values are rounded,
 * and that nothing is added (RULES_PERL, RULES_INFERNO). */
enum svg_rules { RULES_KILN, RULES_PERL, RULES_INFERNO };

/* Texts are UTF-8, or NULL for the default; lengths are in pixels. */
struct svg_settings {
	const char *title;	/* "Flame Graph", "Icicle Graph" or "Flame Chart" */
	const char *subtitle;	/* precedes what the profile says about itself */
	const char *notes;	/* a comment in the file */
	const char *count_name; /* name of the values: the stream's unit */
	const char *name_type;	/* "Function:" */
	const char *font_type;
	const char *background;	     /* a name or #rrggbb */
	const char *search_colour;   /* #rrggbb: of search results */
	const char *text_colour;     /* #rrggbb: of text outside the frames */
	const char *stroke;	     /* #rrggbb: of the frames' borders */
	const char *name_attributes; /* path of a file with attributes for boxes by name */
	uint64_t width;		     /* 0: 1200 without script; with it, as wide as the window */
	uint64_t height;	     /* of a frame */
	double font_size;
	double font_width;   /* of every letter, as a share of the font's size */
	double min_width;    /* narrower boxes are left out ... */
	bool min_is_percent; /* ... or those below this share of the total */
	double factor;	     /* values are multiplied by it for display */
	double total;	     /* the value of the whole width; 0: the sum */
	int palette;	     /* enum palette */
	int order;	     /* enum sibling_order */
	bool hash, random, keep_palette, icicle, chart, no_script;
	int rules;	    /* enum svg_rules */
	bool unsorted;	    /* frames in the order of the input, one line after the other */
	bool deterministic; /* with inferno's rules: its stable shades */
	int changes;	    /* enum changes: the colours for two sides */
	bool negate;	    /* the first of two sides is the newer one */
	bool by_share;	    /* colours show the widths of frames */
};

extern const struct option svg_options[];
void svg_defaults(void *settings);

/* When the sides are labelled: take before's widths if `negate` is set; and a title, if the user
 * gave none. */
void svg_settings_compare(struct svg_settings *s, struct comparison *how);

/* Checks that involve several options. */
bool svg_settings_check(const struct svg_settings *s, struct error *err);

/* The file of names and colours that is written beside the picture; NULL: none. */
const char *svg_settings_palette(const struct svg_settings *s);

/* The chosen palette: --hash and --random without a palette mean the classic one, hot. */
enum palette svg_palette(const struct svg_settings *s);

#endif
