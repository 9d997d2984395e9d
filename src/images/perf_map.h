/* perf_map.h: what did a just-in-time compiler say about its code?
 *
 * A runtime appends lines "START SIZE NAME" (hexadecimal) to /tmp/perf-PID.map, as described in the
 * kernel's tools/perf/Documentation/jit-interface.txt. Lines have no times. Who follows how the
 * file grows knows between which two looks a line was written: code is then as old as the first of
 * them, so that every sample of it finds it, and what it replaced is found for samples from before.
 */
#ifndef KILN_IMAGES_PERF_MAP_H
#define KILN_IMAGES_PERF_MAP_H

#include "base/error.h"
#include "images/code_map.h"
#include "images/runtime_file.h"

struct perf_map;

struct perf_map *perf_map_new(void);
void perf_map_release(struct perf_map *map); /* NULL is fine */

/* At `time` (ns) the file had `size` bytes. A smaller one than before has been begun again. */
void perf_map_mark(struct perf_map *map, uint64_t time, uint64_t size);

/* Take in what the file has by now beyond what was read. A last line without its end may be still
 * being written: it is left for the next time, unless `complete`. */
bool perf_map_read(struct perf_map *map, int fd, bool complete, struct runtime_budget *budget,
	struct error *err);
/* Bytes that the budget left out when it was read last. */
uint64_t perf_map_left_out(const struct perf_map *map);

/* From text. */
struct perf_map *perf_map_parse(struct bytes text);

struct code_map *perf_map_code(struct perf_map *map);
uint64_t perf_map_malformed(const struct perf_map *map); /* lines that are no entries */
bool perf_map_followed(const struct perf_map *map);	 /* are its times known? */

#endif
