/* perf_map.h: what did a just-in-time compiler say about its code?
 *
 * A runtime appends lines "START SIZE NAME" (hexadecimal) to /tmp/perf-PID.map, as described in
 * the kernel's tools/perf/Documentation/jit-interface.txt. Lines have no times, and the memory
 * of code is reused. So a recorder marks the size of the file from time to time: a line was written
 * between the last mark without it and the first mark with it. Its code is valid from the time of
 * the former, so that no sample is earlier than its code; samples before that time get the line
 * that it replaced. */
#ifndef KILN_IMAGES_PERF_MAP_H
#define KILN_IMAGES_PERF_MAP_H

#include "base/error.h"
#include "images/code_map.h"
#include "images/runtime_file.h"

struct perf_map;

struct perf_map *perf_map_new(void);
void perf_map_release(struct perf_map *map); /* NULL is allowed */

/* At `time` (ns) the file had `size` bytes. A smaller size than before: it was started anew. */
void perf_map_mark(struct perf_map *map, uint64_t time, uint64_t size);

/* Read what the file has gained since the last call. A last line without a newline may still be
 * incomplete and is left for the next call, unless `complete`. */
bool perf_map_read(struct perf_map *map, int fd, bool complete, struct runtime_budget *budget,
	struct error *err);
/* Bytes that the budget left out in the last call. */
uint64_t perf_map_left_out(const struct perf_map *map);

/* From text. */
struct perf_map *perf_map_parse(struct bytes text);

struct code_map *perf_map_code(struct perf_map *map);
uint64_t perf_map_malformed(const struct perf_map *map); /* lines that are not entries */
bool perf_map_followed(const struct perf_map *map);	 /* are the times of lines known? */

#endif
