/* colour.h: which colour does a frame have, and what is behind it? */
#ifndef KILN_RENDERERS_COLOUR_H
#define KILN_RENDERERS_COLOUR_H

#include "model/profile.h"

struct colour {
	uint8_t red, green, blue;
};

/* The palettes of flamegraph.pl, and inferno's python and rust, under their names there, behind
 * Kiln's own two: by the kind of a frame and by its module. */
enum palette {
	PALETTE_KIND,
	PALETTE_MODULE,
	PALETTE_HOT,
	PALETTE_MEM,
	PALETTE_IO,
	PALETTE_WAKEUP,
	PALETTE_CHAIN,
	PALETTE_JAVA,
	PALETTE_JS,
	PALETTE_PERL,
	PALETTE_PYTHON,
	PALETTE_RUST,
	PALETTE_RED,
	PALETTE_GREEN,
	PALETTE_BLUE,
	PALETTE_AQUA,
	PALETTE_YELLOW,
	PALETTE_PURPLE,
	PALETTE_ORANGE,

	/* The same palettes with inferno's rules for hues; these and the next have no names of
	   their own. */
	PALETTE_INFERNO_JAVA,
	PALETTE_INFERNO_JS,
	/* flamegraph.pl's for a palette that it does not have. */
	PALETTE_BLACK,
};
extern const char *const palette_names[]; /* in the order of the enum, NULL-terminated */

/* What picks the shade within a classic palette. */
enum colour_seed {
	SEED_NAME,   /* the name's code points, summed: the same in every graph; anagrams collide */
	SEED_HASH,   /* the name's first and last three characters: similar names look alike */
	SEED_RANDOM, /* a new shade for every box */
	SEED_FNV,    /* a hash of the name, as inferno --deterministic */
};

/* Shades for SEED_RANDOM come one after the other; `{0}` begins the sequence, which is the same for
 * every picture. */
struct colour_sequence {
	uint64_t state;
};

/* The colour that flamegraph.pl gives to `name`, annotation (`_[k]`, `_[i]`, `_[j]`, `_[w]`)
 * included. `palette` is one of the classic ones. */
struct colour colour_classic(enum palette palette, enum colour_seed seed, struct bytes name,
	struct colour_sequence *sequence);

/* One family of shades for each kind; names vary within it, equal names never. All are light enough
 * for black text. */
struct colour colour_by_kind(enum frame_kind kind, struct bytes name);
struct colour colour_of_kind(enum frame_kind kind); /* the middle of its family, for legends */

/* A hue for each module, varied by name; kernel and meta frames keep the colours of their kind. */
struct colour colour_by_module(enum frame_kind kind, struct bytes module, struct bytes name);

/* A value that changed by `change`: more is red, less is blue, both the stronger the nearer it
 * comes to `most`, the largest change of all (without sign; at least |change|); flamegraph.pl's
 * scale. */
struct colour colour_of_change(int64_t change, int64_t most);

/* A value that became e^ratio times as much: red for more, blue for less, grey for the same. The
 * scale is fixed, so that colours of any two pictures can be compared: +25% (and its inverse, -20%)
 * has the full colour, and so has what is beyond it (ratio may be infinite). */
#define COLOUR_RATIO_FULL 0.22314355131420976 /* ln 1.25 */
struct colour colour_of_ratio(double ratio);

struct colour colour_of_change_inferno(int64_t change, int64_t most); /* inferno's: paler */

/* The wider the redder: inferno's scale for a share (0 to 1) of the whole width. */
struct colour colour_of_share(double share);

bool colour_of_hex(struct bytes text, struct colour *ret_colour); /* "#rrggbb" */

/* Two colours, top and bottom, for yellow, blue, green, grey or #rrggbb; false for anything else.
 */
bool background_by_name(struct bytes name, struct colour ret_colours[2]);
const char *background_of_palette(enum palette palette); /* NULL: Kiln's own, plain */

#endif
