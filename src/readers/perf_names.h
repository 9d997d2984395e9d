/* perf_names.h: from the lines of a call chain to stacks of a profile, each line once. */
#ifndef KILN_READERS_PERF_NAMES_H
#define KILN_READERS_PERF_NAMES_H

#include "readers/memo.h"
#include "readers/perf_line.h"
#include "readers/readers.h"

/* Where a line led from a stack the last time: mostly it is the same line again. */
struct perf_hint {
	uint32_t record; /* of the line; 0: none */
	stack_id callee;
};

/* `{.profile = ..., .want = ..., .style = ...}` is ready for use. */
struct perf_names {
	struct profile *profile;
	unsigned want;		  /* enum read_want */
	unsigned style;		  /* enum read_style */
	struct memo known[2];	  /* lines; [1] as Java writes them */
	struct memo frames[2];	  /* symbol, module, source: lines that differ in the offset only */
	VECTOR(location_id) runs; /* of lines that name several: a count, then so many locations */
	VECTOR(struct perf_hint)
	hints;			/* for every stack; those of a program are all in one memo */
	uint32_t beginnings[2]; /* of the memos that the hints are about */
	struct buffer name, key;
};

void perf_names_release(struct perf_names *n);

/* The stack that `line` (perhaps with a source line behind it) leads to from `caller`, and how many
 * frames that takes: one, and one more for each function inlined into it. Both are set for
 * PERF_FRAME only. The stacks of a program are to be asked for with the same `java`. */
enum perf_line perf_names_call(struct perf_names *n, struct bytes line, bool java, stack_id caller,
	stack_id *ret_callee, uint32_t *ret_frames);

#endif
