/* perf_inline.h: what do binaries themselves say about the functions at addresses that `perf
 * script` prints?
 *
 * What stackcollapse-perf.pl --inline asks `addr2line -i -f -s -C` and nm: the function at the
 * address, with its parameters, and what was inlined there. Where the address is not one of the
 * binary's own (of libraries, and of programs that may lie anywhere) the function that perf named
 * and the offset into it tell the place. */
#ifndef KILN_READERS_PERF_PERF_INLINE_H
#define KILN_READERS_PERF_PERF_INLINE_H

#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "readers/perf/perf_line.h"

struct perf_binary;

/* `{0}` is ready for use. */
struct perf_inline {
	VECTOR(struct perf_binary *) binaries; /* that were opened, or cannot be */
	struct id_map by_path;
};

void perf_inline_release(struct perf_inline *x);

/* Append the functions of a frame to `out`, outermost first, separated by ';'; with `places` each
 * with its file and line behind it, "f(int):f.c:12". False, and nothing appended, where the binary
 * says nothing. `line` holds the frame. */
bool perf_inline_names(struct perf_inline *x, struct bytes line, const struct perf_frame *frame,
	bool places, struct buffer *out);

#endif
