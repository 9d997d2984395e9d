/* event_names.h: which event does a name mean?
 *
 * Names are those of perf-list(1): software, hardware and cache events, rHEX for raw ones,
 * SUBSYSTEM:NAME for tracepoints, each with modifiers behind a colon (u, k, h, p). */
#ifndef KILN_RECORDERS_PERF_EVENT_NAMES_H
#define KILN_RECORDERS_PERF_EVENT_NAMES_H

#include "base/error.h"
#include "base/memory.h"

#include <linux/perf_event.h>

#define EVENT_NAME_LIMIT 128 /* bytes */
#define EVENTS_LIMIT	 32  /* events of one recording */

struct event_name {
	char text[EVENT_NAME_LIMIT]; /* as written: "cycles:u" */
	uint32_t type;		     /* PERF_TYPE_* */
	uint64_t config;
	bool clock; /* cpu-clock, task-clock: counts nanoseconds, driven by a timer */
	bool rare;  /* sampled at every occurrence unless a frequency is set */
	bool exclude_user, exclude_kernel, exclude_hypervisor;
	unsigned precise; /* number of p's */
};

/* Names between commas; at most EVENTS_LIMIT. */
struct event_names {
	VECTOR(struct event_name) list;
};
bool event_names_parse(const char *text, struct event_names *names, struct error *err);
void event_names_release(struct event_names *names);

#endif
