/* jit_maps.h: what did the just-in-time compilers of the recorded processes say about their code?
 *
 * A map lies in the /tmp of its process, which may be a container's and gone with it: the file is
 * opened while the process runs, and read when names are needed. */
#ifndef KILN_PROCESS_JIT_MAPS_H
#define KILN_PROCESS_JIT_MAPS_H

#include "images/perf_map.h"
#include "model/profile.h"

/* `{0}` is empty. */
struct jit_maps {
	VECTOR(struct jit_map) rows;
	mapping_id seen; /* mappings of the profile up to here have their row */
};
void jit_maps_release(struct jit_maps *maps);

/* Open the maps of processes with code made while running that have one by now. To be called now
 * and then: a map that comes and goes between two calls is missed. */
void jit_maps_look(struct jit_maps *maps, const struct profile *p);

/* The map of a process as it is now, or was at its end; NULL when none was seen. Valid until the
 * next call. */
const struct perf_map *jit_maps_of(struct jit_maps *maps, process_id process);

#endif
