/* perf_map.h: what did a just-in-time compiler say about its code?
 *
 * A runtime appends lines "START SIZE NAME" (hexadecimal) to /tmp/perf-PID.map, as described in the
 * kernel's tools/perf/Documentation/jit-interface.txt. */
#ifndef KILN_IMAGES_PERF_MAP_H
#define KILN_IMAGES_PERF_MAP_H

#include "base/bytes.h"
#include "base/error.h"

#define PERF_MAP_SIZE_LIMIT ((uint64_t)1 << 30) /* bytes */

struct perf_map;

/* The map of a running process, looked for in its own mount and pid namespaces
 * (/proc/PID/root/tmp/perf-NSPID.map). The process may be hostile: only a regular file that belongs
 * to its user or to root is read, never through a symbolic link. NULL with ERR_IO when there is
 * none, else with the reason. */
struct perf_map *perf_map_open(int32_t pid, struct error *err);
/* The same in two steps, for maps that go with their process: the file, to be closed, or -1; and
 * what is in it by now, as often as wanted. ERR_LIMIT above PERF_MAP_SIZE_LIMIT. */
int perf_map_open_file(int32_t pid, struct error *err);
struct perf_map *perf_map_read(int fd, struct error *err);

/* From text, which is copied. Lines that are not entries are counted. */
struct perf_map *perf_map_parse(struct bytes text);
void perf_map_release(struct perf_map *map); /* NULL is fine */

/* The function at `address`; the name lives as long as the map. Code memory is reused: where
 * entries overlap, the one written last holds. */
bool perf_map_find(
	const struct perf_map *map, uint64_t address, struct bytes *ret_name, uint64_t *ret_start);

struct perf_map_counts {
	uint64_t entries, overlapping, malformed;
};
struct perf_map_counts perf_map_counts(const struct perf_map *map);

#endif
