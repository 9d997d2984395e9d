/* source.h: events opened on the targets of a session, and their rings.
 *
 * Each CPU has two rings: one for samples, and a small one for what happens to processes (names,
 * mappings, forks), so that a flood of samples never costs a name. */
#ifndef KILN_RECORDERS_PERF_SOURCE_H
#define KILN_RECORDERS_PERF_SOURCE_H

#include "recorders/cgroups/bounds.h"
#include "recorders/cgroups/cgroup.h"
#include "recorders/perf/counts.h"
#include "recorders/perf/event.h"
#include "recorders/perf/ring.h"
#include "recorders/perf/ring_sizes.h"
#include "recorders/session.h"

struct perf_source {
	struct perf_features features;
	struct event_names events;
	struct number_list cpus;
	uint64_t frequency;
	struct ring_sizes sizes;
	bool lock_refused; /* a ring exceeded the limit of locked memory */
	uint64_t every;	   /* if the timers cannot be changed: one of so many ticks is a sample */
	struct cgroup cgroup; /* made for the command: events on CPUs count only for it; or none */
	bool groups;	      /* events on CPUs count only for the requested control groups (-G) */
	/* Of either kind: a sample from a process outside of these groups is one of a switch
	 * (sampler_switching). */
	struct cgroup_bounds bounds;
	size_t followed; /* how many of the threads, from the first, are sampled with their children
			  */
	bool passed_on;	 /* events are inherited by children */
	bool tracking_only; /* set before opening: no events are sampled */
	bool tracking_all;  /* records of all processes are read, not only those of targets */
	int program;	    /* set before opening: of the kernel, takes each sample; 0: none */
	bool user_only;	    /* the kernel may not be sampled at all */
	VECTOR(struct perf_event_attr) attrs; /* of each event */
	struct perf_layout sample_layout, tracking_layout;
	VECTOR(struct open_event) opened; /* what is sampled */
	VECTOR(int) tracking;
	struct perf_merge merge;
};

struct open_event {
	int fd;
	uint32_t event; /* index */
	uint64_t id;
	uint64_t periods, running; /* of a clock, before the last change of frequency: ended
				      periods; running time, ns */
};
/* Open everything, not enabled. Reports restrictions by session_notice. */
bool perf_source_open(struct perf_source *source, struct session *s, struct error *err);
bool perf_source_enable(struct perf_source *source);
/* Does the kernel enable them when the command is executed? */
bool perf_source_by_exec(const struct perf_source *source, const struct session *s);
/* Set the frequency (Hz). Inherited events cannot be changed: then the program makes one of
 * source->every ticks a sample, and source->frequency is the resulting frequency. */
bool perf_source_set_frequency(struct perf_source *source, uint64_t frequency, struct error *err);
void perf_source_disable(struct perf_source *source);
/* The sums of what the descriptors of an event have counted. */
void perf_source_totals(
	const struct perf_source *source, size_t event, struct event_totals *ret_totals);
/* Remove the command's own control group, if there is one. */
void perf_source_leave_group(struct perf_source *source, struct session *s);
void perf_source_release(struct perf_source *source);

/* The period of event `i` in its unit; 0: the kernel adapts it. */
uint64_t perf_source_period(const struct perf_source *source, size_t i);

#endif
