/* pprof_places.h: the tables of a pprof file that samples refer to, filled as they do. */
#ifndef KILN_RENDERERS_PPROF_PLACES_H
#define KILN_RENDERERS_PPROF_PLACES_H

#include "readers/pprof/pprof_format.h"

/* Strings; 0 is "". */
struct pprof_strings {
	const struct profile *profile;
	uint32_t *of_profile; /* index of a string of the profile; 0: not asked for yet */
	struct id_map by_text;
	VECTOR(struct bytes) texts;
	struct arena made;
};
uint64_t pprof_string(struct pprof_strings *s, struct bytes text); /* of any text */
uint64_t pprof_profile_string(struct pprof_strings *s, string_id id);
void pprof_strings_write(const struct pprof_strings *s, struct buffer *out);

/* A binary as the file has it, or a module that nothing but the name is known of. */
struct pprof_binary {
	struct mapping row;
	string_id module;      /* of frames, unless they say otherwise */
	uint64_t start, limit; /* addresses that no other binary has */
	bool has_functions, has_filenames, has_lines, has_inlines;
};

struct pprof_out {
	const struct profile *profile;
	struct pprof_strings strings;
	VECTOR(struct pprof_binary) binaries; /* row 0: none; the others' ids */
	uint32_t *of_mapping, *of_module;     /* ids by mapping, by string */
	uint32_t *of_location;		      /* ids; 0: not written yet */
	uint32_t locations_count;
	struct id_map functions;
	VECTOR(struct frame) function_rows;	/* of ids less one: name and file */
	struct buffer locations, scratch, line; /* `locations`: what is written already */
	frame_id last;
};
void pprof_out_init(struct pprof_out *o, const struct profile *p);
void pprof_out_release(struct pprof_out *o);
/* The id of a location, which is written when it has none yet. */
uint64_t pprof_out_location(struct pprof_out *o, location_id location);
/* Everything but strings, when all locations have been asked for. */
void pprof_out_write(struct pprof_out *o, struct buffer *out);

#endif
