/* perf_classic.h: the names that other tools give to frames and programs of `perf script`. */
#ifndef KILN_READERS_PERF_PERF_CLASSIC_H
#define KILN_READERS_PERF_PERF_CLASSIC_H

#include "base/buffer.h"
#include "readers/perf/perf_line.h"
#include "readers/reading_style.h"

/* Append the name that the tool of `style` gives to a frame: `symbol` is the frame's, or one of
 * several in it; `source` is the line below the frame, or empty. */
void perf_classic_function(const struct reading_style *style, const struct perf_frame *frame,
	struct bytes symbol, struct bytes source, bool java, bool inlined, struct buffer *out);

/* Append the name of the root frame. */
void perf_classic_program(
	const struct reading_style *style, const struct perf_event *event, struct buffer *out);

/* Does the tool count this event, if it counts events called `chosen` (empty: the first one, whose
 * name becomes *ret_chosen)? Changes the event's period to the tool's. */
bool perf_classic_counts(const struct reading_style *style, struct perf_event *event,
	struct bytes chosen, struct bytes *ret_chosen);

#endif
