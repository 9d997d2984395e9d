/* perf_head.h: does an input begin like text of `perf script`, and how do its samples begin? */
#ifndef KILN_READERS_PERF_PERF_HEAD_H
#define KILN_READERS_PERF_PERF_HEAD_H

#include "base/bytes.h"

/* For reader.bid. */
int perf_head_bid(struct bytes head);

/* Does it begin with samples whose event lines perf_event_parse_bare reads? */
bool perf_head_is_bare(struct bytes head);

static inline bool perf_line_is_empty(struct bytes line)
{
	return !bytes_trim(line).len;
}

/* A frame in the columns in which perf prints it: a tab, and the address in 16 characters. */
bool perf_line_is_frame_column(struct bytes line);
/* " instruction trace error type 1 time 4525.7 cpu 0 ...: Lost trace data", of Intel PT. */
bool perf_line_is_trace_error(struct bytes line);

#endif
