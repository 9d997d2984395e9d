/* pprof_places.h: the tables of a pprof file that samples refer to, filled as samples are added. */
#ifndef KILN_RENDERERS_PPROF_PLACES_H
#define KILN_RENDERERS_PPROF_PLACES_H

#include "names/pprof_format.h"

/* Strings; 0 is "". */
struct pprof_strings {
	const struct profile *profile;
	uint32_t *of_profile; /* index for each string of the profile; 0: not used yet */
	struct id_map by_text;
	VECTOR(struct bytes) texts;
	struct arena made;
};
uint64_t pprof_string(struct pprof_strings *s, struct bytes text); /* of any text */
uint64_t pprof_profile_string(struct pprof_strings *s, string_id id);
void pprof_strings_write(const struct pprof_strings *s, struct buffer *out);

/* A binary in the file, or a module of which only the name is known. */
struct pprof_binary {
	struct mapping row;
	string_id module;      /* of its frames, unless they have another */
	uint64_t start, limit; /* addresses that no other binary has */
	bool has_functions, has_filenames, has_lines, has_inlines;
};

struct pprof_out {
	const struct profile *profile;
	struct pprof_strings strings;
	VECTOR(struct pprof_binary) binaries; /* row 0: none; ids of the others */
	uint32_t *of_mapping, *of_module;     /* ids by mapping, by string */
	uint32_t *of_location;		      /* ids; 0: not written yet */
	uint32_t locations_count;
	struct id_map functions;
	VECTOR(struct frame) function_rows;	/* for each id minus one: name and file */
	struct buffer locations, scratch, line; /* `locations`: those written already */
};
void pprof_out_init(struct pprof_out *o, const struct profile *p);
void pprof_out_release(struct pprof_out *o);
/* The id of a location, which is written on first use. */
uint64_t pprof_out_location(struct pprof_out *o, location_id location);
/* Write everything but strings, after all locations have been used. */
void pprof_out_write(struct pprof_out *o, struct buffer *out);

#endif
