/* colour.h: which colours do the frames and the background of a picture have? */
#ifndef KILN_RENDERERS_COLOUR_H
#define KILN_RENDERERS_COLOUR_H

#include "model/profile.h"

struct colour {
	uint8_t red, green, blue;
};

/* First Kiln's two own palettes, by the kind of a frame and by its module; then flamegraph.pl's,
 * and inferno's python and rust, under their original names. */
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

	/* Further palettes with inferno's rules for hues; these and the next have no names on
	 * the command line. */
	PALETTE_INFERNO_JAVA,
	PALETTE_INFERNO_JS,
	/* flamegraph.pl's colour for an unknown palette. */
	PALETTE_BLACK,
};
extern const char *const palette_names[]; /* in the order of the enum, NULL-terminated */

/* What determines the shade within a classic palette. */
enum colour_seed {
	SEED_NAME,   /* the sum of the name's code points: the same in every graph; anagrams collide
		      */
	SEED_HASH,   /* the name's first and last three characters: similar names get similar shades
		      */
	SEED_RANDOM, /* a new shade for every box */
	SEED_FNV,    /* a hash of the name, as in inferno --deterministic */
};

/* State of SEED_RANDOM. `{0}` starts the sequence, which is the same for every picture. */
struct colour_sequence {
	uint64_t state;
};

/* The colour that flamegraph.pl gives to `name`, with annotation (`_[k]`, `_[i]`, `_[j]`,
 * `_[w]`). `palette` is a classic one. */
struct colour colour_classic(enum palette palette, enum colour_seed seed, struct bytes name,
	struct colour_sequence *sequence);

/* One family of shades for each kind; it varies with the name, so equal names have equal
 * colours. All are light enough for black text. */
struct colour colour_by_kind(enum frame_kind kind, struct bytes name);
void colour_family(
	enum frame_kind kind, struct colour ret_ends[2]); /* both ends of a kind's shades */
struct colour colour_of_kind(enum frame_kind kind); /* the middle of its family, for legends */

/* A hue for each module, varied by name. Kernel and idle frames, and frames that are not code, have
 * the colours of their kind; a frame without a module has those of FRAME_META, except for a
 * wait. */
struct colour colour_by_module(enum frame_kind kind, struct bytes module, struct bytes name);

/* flamegraph.pl's scale for a change: more is red, less is blue. The colour is stronger the closer
 * the change is to `max`, the largest change of all (unsigned; at least |change|). */
struct colour colour_of_change(int64_t change, int64_t max);

/* For a value that was multiplied by e^ratio: red for more, blue for less, grey for no change.
 * The scale is fixed, so that colours of different pictures can be compared: +25% (and its
 * inverse, -20%) has the full colour, and so has anything beyond (ratio may be infinite). */
#define COLOUR_RATIO_FULL 0.22314355131420976 /* ln 1.25 */
struct colour colour_of_ratio(double ratio);

struct colour colour_of_change_inferno(int64_t change, int64_t max); /* inferno's scale: paler */

/* inferno's scale for a share (0 to 1) of the whole width: the wider, the redder. */
struct colour colour_of_share(double share);

bool colour_of_hex(struct bytes text, struct colour *ret_colour); /* "#rrggbb" */

/* Two colours, top and bottom, for yellow, blue, green, grey or #rrggbb; false: another name. */
bool background_by_name(struct bytes name, struct colour ret_colours[2]);
const char *background_of_palette(enum palette palette); /* NULL for Kiln's own palettes: plain */

#endif
