/* svg_options.h: how is a flame graph to look? The options of the SVG renderer. */
#ifndef KILN_RENDERERS_SVG_OPTIONS_H
#define KILN_RENDERERS_SVG_OPTIONS_H

#include "base/options.h"
#include "renderers/colour.h"
#include "renderers/layout.h"

#define SVG_PAD		 10	/* pixels left and right of the frames */
#define SVG_WIDTH_LIMIT	 100000 /* pixels */
#define SVG_HEIGHT_LIMIT 1000	/* pixels of one frame */
#define SVG_FONT_LIMIT	 200	/* pixels */
#define SVG_FONT_WIDTH	 0.59	/* of the classic scripts, where --fontwidth says nothing */

enum changes {
	CHANGES_RATIO,	 /* by which factor a function with its callees changed: a fixed scale */
	CHANGES_CLASSIC, /* flamegraph.pl's: of self values, the largest has the full colour */
	CHANGES_SELF,	 /* as CHANGES_RATIO, of the function itself */
};

/* Whose rules a picture follows in what is drawn and printed: the order of frames, rounded numbers,
 * nothing but what was asked for. */
enum svg_rules { RULES_KILN, RULES_PERL, RULES_INFERNO };

/* Texts are UTF-8, or NULL for the default; lengths are in pixels. */
struct svg_settings {
	const char *title;	/* "Flame Graph", "Icicle Graph" or "Flame Chart" */
	const char *subtitle;	/* stands before what the profile says about itself */
	const char *notes;	/* a comment in the file */
	const char *count_name; /* what values are called: the stream's unit */
	const char *name_type;	/* "Function:" */
	const char *font_type;
	const char *background;	     /* a name or #rrggbb */
	const char *search_colour;   /* #rrggbb: of what a search has found */
	const char *text_colour;     /* #rrggbb: of texts beside the frames */
	const char *stroke;	     /* #rrggbb: around every frame */
	const char *name_attributes; /* path of a file: names with attributes for their boxes */
	uint64_t width;		     /* 0: 1200 without script, with it as wide as the window */
	uint64_t height;	     /* of a frame */
	double font_size;
	double font_width;     /* of any letter, as a share of the font's size */
	double least_width;    /* narrower boxes are left out ... */
	bool least_is_percent; /* ... or those below this share of the total */
	double factor;	       /* values are multiplied by it when they are shown */
	double total;	       /* the value that the whole width stands for; 0: the sum */
	int palette;	       /* enum palette */
	int order;	       /* enum sibling_order */
	bool hash, random, keep_palette, icicle, chart, no_script;
	int rules;	    /* enum svg_rules */
	bool unsorted;	    /* frames as the input has them, one line after the other */
	bool deterministic; /* with inferno's rules: its shades that stay */
	int changes;	    /* enum changes: what colours of two sides tell */
	bool negate;	    /* of two sides, the first is the newer one */
	bool by_share;	    /* colours tell how wide frames are */
};

extern const struct option svg_options[];
void svg_defaults(void *settings);

/* Of two sides of which it is known which is which: before's widths are what `negate` asks for; and
 * a title, if nobody gave one. */
void svg_settings_compare(struct svg_settings *s, struct comparison *how);

/* What the options cannot judge one by one. */
bool svg_settings_check(const struct svg_settings *s, struct error *err);

/* The file of names and their colours that is written beside the picture; NULL: none. */
const char *svg_settings_palette(const struct svg_settings *s);

/* The palette that is meant: --hash and --random without a palette are about the classic one, hot.
 */
enum palette svg_palette(const struct svg_settings *s);

#endif
