/* pprof_places.h: from the mappings, functions and lines of pprof and OTLP files to places of a
 * profile. */
#ifndef KILN_READERS_PPROF_PPROF_PLACES_H
#define KILN_READERS_PPROF_PPROF_PLACES_H

#include "names/pprof_format.h"

#define PPROF_KIND_UNKNOWN UINT32_MAX

struct pprof_mapping {
	uint64_t id, start, offset;
	struct bytes message; /* the reader's */
	struct mapping row;   /* kind: PPROF_KIND_UNKNOWN when it has to be derived from the name */
	/* Filled in when it is used for the first time: */
	mapping_id made;
	string_id module;
	bool known, identified; /* identified: the file gives its kind or name */
};

struct pprof_function {
	uint64_t id;
	struct bytes message; /* the reader's */
	struct bytes name, system_name, file;
	/* Filled in when it is used for the first time: */
	string_id name_id, file_id;
	bool known, dropped;
};

struct pprof_line {
	uint32_t function; /* index; 0: unknown */
	uint32_t line;
	uint32_t kind;	  /* enum frame_kind or PPROF_KIND_UNKNOWN */
	string_id module; /* when has_module */
	bool has_module;
};

/* What drop_frames asks for at a place. */
enum pprof_cut {
	CUT_NOTHING,
	CUT_ALL,  /* the place and its callees */
	CUT_BELOW /* its callees; its own inlined functions are cut already */
};

/* Row 0 of mappings and functions is unused. The caller fills in the tables and, before each place,
 * the lines: innermost first, as in the file. */
struct pprof_places {
	struct profile *profile;
	VECTOR(struct pprof_mapping) mappings;
	VECTOR(struct pprof_function) functions;
	VECTOR(struct pprof_line) lines;
	VECTOR(location_id) made; /* of all places, outermost first */
	VECTOR(frame_id) frames;  /* scratch */
	struct pprof_drop *drop;  /* or NULL */
};
void pprof_places_init(struct pprof_places *p, struct profile *profile);
void pprof_places_release(struct pprof_places *p);

/* The place with the present lines at `address`, as the file has it, of a mapping (an index; 0:
 * none). Returns a span of `made`: one location, or several when inlined functions have no address.
 */
struct span pprof_places_make(
	struct pprof_places *p, uint32_t mapping, uint64_t address, enum pprof_cut *ret_cut);

/* A build id as profiles have it, of text or of hexadecimal digits in either case; "" for what
 * could be taken for a path. */
string_id pprof_build_id(struct profile *p, struct bytes text);

#endif
