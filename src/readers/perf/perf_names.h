/* perf_names.h: from the lines of a call chain to stacks of a profile, each line once. */
#ifndef KILN_READERS_PERF_PERF_NAMES_H
#define KILN_READERS_PERF_PERF_NAMES_H

#include "readers/lines/memo.h"
#include "readers/perf/perf_inline.h"
#include "readers/perf/perf_line.h"
#include "readers/readers.h"
#include "readers/reading_style.h"

/* Where a line led from a stack the last time: mostly it is the same line again. */
struct perf_hint {
	uint32_t record; /* of the line; 0: none */
	stack_id callee;
};

/* Where a line led from a stack from where several lead. */
struct perf_lead {
	stack_id caller;
	struct perf_hint to;
};

#define PERF_LEADS ((size_t)1 << 14) /* what a CPU's own cache has room for */

/* `{.profile = ..., .want = ..., .style = ...}` is ready for use. */
struct perf_names {
	struct profile *profile;
	unsigned want; /* enum read_want */
	const struct reading_style *style;
	struct memo known[2]; /* lines, by what names a frame in them; [1] as Java writes them */
	VECTOR(location_id) runs; /* of lines that name several: a count, then so many locations */
	VECTOR(struct perf_hint)
	hints;			 /* for every stack; those of a program are all in one memo */
	struct perf_lead *leads; /* PERF_LEADS, by caller and name; NULL: none yet */
	struct buffer name, key;
	struct perf_inline inlined; /* for style->inlined */
};

void perf_names_release(struct perf_names *n);

/* The line that ends at `end`, and starts at `start` or later, when it leads from `caller` where
 * the last one led: then *ret_start is its start, and it is one frame. Otherwise false, and it is
 * to be asked for with perf_names_call. *ret_lines is 2 when there is a source line in it. */
bool perf_names_again(struct perf_names *n, const char *start, const char *end, bool java,
	stack_id caller, stack_id *ret_callee, const char **ret_start, uint32_t *ret_lines);

/* The stack that `line` (perhaps with a source line behind it) leads to from `caller`, and how many
 * frames that takes: one, and one more for each function inlined into it. Both are set for
 * PERF_FRAME only. The stacks of a program are to be asked for with the same `java`. */
enum perf_line perf_names_call(struct perf_names *n, struct bytes line, bool java, stack_id caller,
	stack_id *ret_callee, uint32_t *ret_frames);

#endif
