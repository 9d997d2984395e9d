/* perf_names.h: from a line of a call chain to locations of a profile, each line once. */
#ifndef KILN_READERS_PERF_NAMES_H
#define KILN_READERS_PERF_NAMES_H

#include "readers/memo.h"
#include "readers/perf_line.h"
#include "readers/readers.h"

/* `{.profile = ..., .want = ...}` is ready for use. */
struct perf_names {
	struct profile *profile;
	unsigned want;		  /* enum read_want */
	struct memo known[2];	  /* lines; [1] as Java writes them */
	VECTOR(location_id) runs; /* of lines that name several: a count, then so many locations */
	location_id single;
	struct buffer name;
};

void perf_names_release(struct perf_names *n);

/* What `line` (perhaps with a source line behind it) names: one location, and one more for each
 * function inlined into it. *ret_run is valid until the next call; it is set for PERF_FRAME and
 * PERF_NOTHING, which gives none. */
enum perf_line perf_names_find(struct perf_names *n, struct bytes line, bool java,
	const location_id **ret_run, uint32_t *ret_count);

#endif
