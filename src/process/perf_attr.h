/* perf_attr.h: which event does a stored perf_event_attr describe?
 *
 * The struct has grown from 64 bytes (Linux 2.6.31) to more than 128. Members that a shorter one
 * lacks are zero; members of a longer one that are unknown here are ignored. */
#ifndef KILN_PROCESS_PERF_ATTR_H
#define KILN_PROCESS_PERF_ATTR_H

#include "base/buffer.h"

#include <linux/perf_event.h>

#define PERF_ATTR_SIZE_MIN   64u   /* bytes, PERF_ATTR_SIZE_VER0 */
#define PERF_ATTR_SIZE_LIMIT 4096u /* bytes: a page, the kernel's limit */

/* Read an attr that takes all of `stored`; `swapped`: from a machine with the other byte order.
 * False when it is shorter than the first version. */
bool perf_attr_read(struct bytes stored, bool swapped, struct perf_event_attr *ret_attr);

/* An event that has a name of its own. */
struct perf_known_event {
	const char *name, *other; /* other: a second accepted name, or NULL */
	uint32_t type;		  /* PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE */
	uint64_t config;
};
extern const struct perf_known_event perf_known_events[]; /* ended by a NULL name */

/* The config of PERF_TYPE_HW_CACHE for a name like "L1-dcache-load-misses"; false: unknown. */
bool perf_cache_event(const char *name, uint64_t *ret_config);

/* Append the event's name as perf prints it, with modifiers: "cycles:u", "cpu-clock:pppH".
 * Tracepoints and events of other PMUs become numbers; their names are stored elsewhere. */
void perf_attr_name(const struct perf_event_attr *attr, struct buffer *name);

#endif
