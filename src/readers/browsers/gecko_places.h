/* gecko_places.h: what do the texts of frames in a raw profile of Firefox stand for?
 *
 *	0x7f3a5c21e0			an address of the process, in one of its libraries
 *	malloc (in libc.so.6) + 12	a function whose name was known
 *	work (http://a/b.js:12:5)[3]	a function of a script, its line and column, and its source
 *	http://a/b.js:12:5		the script itself
 *	Startup::XRE_Main		a label */
#ifndef KILN_READERS_BROWSERS_GECKO_PLACES_H
#define KILN_READERS_BROWSERS_GECKO_PLACES_H

#include "process/binaries.h"
#include "readers/stacks/json_stacks.h"

/* A library of the process; its texts have its number. */
struct gecko_library {
	uint64_t start, end, offset; /* where it was loaded, and of which address of its own */
	uint32_t number;
	uint32_t binary; /* row of the binaries, once it was looked for */
	bool opened;
};

/* The value of `libs`: those of one process. `{0}`: none. */
struct gecko_libraries {
	VECTOR(struct gecko_library) rows; /* by their start */
	struct json_texts names, paths, build_ids;
};
void gecko_libraries_read(struct gecko_libraries *l, struct json *j);
void gecko_libraries_release(struct gecko_libraries *l);

struct gecko_places {
	struct text_stacks *names;
	struct binaries binaries;
	uint64_t nameless; /* addresses in files that are not on this machine */
};
/* `names` has the profile, and is borrowed. */
void gecko_places_open(struct gecko_places *p, struct text_stacks *names,
	const struct read_options *options, struct input *in);
void gecko_places_release(struct gecko_places *p);

/* Is it an address? */
bool gecko_places_address(struct bytes text, uint64_t *ret_address);
/* Locate a frame of a process with these libraries. `exact`: an address is where the program was,
 * not where it returns to. `line`: in the script; 0: unknown. */
location_id gecko_places_locate(struct gecko_places *p, struct gecko_libraries *l,
	struct bytes text, bool exact, uint32_t line);

/* All frames have been located. */
void gecko_places_finish(struct gecko_places *p);

#endif
