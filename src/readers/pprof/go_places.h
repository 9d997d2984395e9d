/* go_places.h: which places of a profile are the locations that `go tool pprof -raw` lists? */
#ifndef KILN_READERS_PPROF_GO_PLACES_H
#define KILN_READERS_PPROF_GO_PLACES_H

#include "model/profile.h"

struct go_location {
	uint32_t number, mapping;
	uint64_t address;
	uint32_t first, count; /* of go_places.lines: innermost first */
	location_id made;      /* of one without lines; 0: not yet */
};

/* One line of a location. */
struct go_line {
	string_id function, file;
	uint32_t line;
	location_id made; /* of the profile; 0: not yet */
};

struct go_mapping {
	uint32_t number;
	string_id module; /* base name */
};

/* `profile` and `want` (enum read_want, or'ed) are set by the caller. */
struct go_places {
	struct profile *profile;
	unsigned want;
	VECTOR(struct go_location) locations;
	struct id_map by_number; /* places in `locations`, plus one */
	VECTOR(struct go_line) lines;
	VECTOR(struct go_mapping) mappings;
};
void go_places_release(struct go_places *g);

/* A line of a location; false: it is none. */
bool go_places_take_location(struct go_places *g, struct bytes line);
void go_places_take_mapping(struct go_places *g, struct bytes line);

/* NULL: it is not listed. */
struct go_location *go_places_find(const struct go_places *g, uint32_t number);
/* The frames of a location, outermost first, below `caller`. All mappings have been taken. */
stack_id go_places_follow(struct go_places *g, struct go_location *l, stack_id caller);

/* Take all that another thread has read when there are none yet; `strings` says where those of
 * its profile are in this one. */
void go_places_move(struct go_places *g, struct go_places *more, const string_id *strings);

#endif
