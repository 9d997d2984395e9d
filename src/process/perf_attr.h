/* perf_attr.h: which event does a stored perf_event_attr describe?
 *
 * The struct grew from 64 bytes (Linux 2.6.31) to more than 128; a shorter one has zeroes for what
 * it lacks, and what a longer one has more is not known yet. */
#ifndef KILN_PROCESS_PERF_ATTR_H
#define KILN_PROCESS_PERF_ATTR_H

#include <linux/perf_event.h>

#include "base/buffer.h"

#define PERF_ATTR_SIZE_LEAST 64u   /* bytes, PERF_ATTR_SIZE_VER0 */
#define PERF_ATTR_SIZE_LIMIT 4096u /* bytes: a page, as the kernel has it */

/* Read an attr from `stored`, whose length is that of the attr; `swapped`: from a machine of the
 * other byte order. False when it is shorter than any attr. */
bool perf_attr_read(struct bytes stored, bool swapped, struct perf_event_attr *ret_attr);

/* An event that has a name of its own. */
struct perf_known_event {
	const char *name, *other; /* other: a second name that is understood, or NULL */
	uint32_t type;		  /* PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE */
	uint64_t config;
};
extern const struct perf_known_event perf_known_events[]; /* ended by a NULL name */

/* "L1-dcache-load-misses": the config of PERF_TYPE_HW_CACHE that means; false: no such name. */
bool perf_cache_event(const char *name, uint64_t *ret_config);

/* Append the event's name as perf prints it, with its modifiers: "cycles:u", "cpu-clock:pppH".
 * Tracepoints and events of other PMUs are numbers: their names are elsewhere. */
void perf_attr_name(const struct perf_event_attr *attr, struct buffer *name);

#endif
