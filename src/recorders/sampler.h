/* sampler.h: from perf records to the profile.
 *
 * Records come from rings, or in tests from what --tee saved. A record about a process changes the
 * state of processes (process/processes.h). A sample becomes a stack (process/stacks.h) and a row
 * of its event's table; records of losses are counted (perf/counts.h). Samples that a BPF program
 * has taken come with their stack (sampler_add). */
#ifndef KILN_RECORDERS_SAMPLER_H
#define KILN_RECORDERS_SAMPLER_H

#include "process/stacks.h"
#include "recorders/cgroups/bounds.h"
#include "recorders/cgroups/labels.h"
#include "recorders/perf/counts.h"

/* One event that is sampled, and where its samples go. */
struct sampled_event {
	const char *name; /* "cpu-clock:u"; outlives the sampler */
	bool clock;	 /* counts ns of CPU time: streams {"cpu", "ns"} and {"samples", "count"} */
	uint64_t period; /* of every sample, in the event's unit; 0: as each sample says */
	const char *unit; /* "ns", "cycles", "count" */
	const char *kind; /* "cpu", or the event's name */

	uint32_t samples,
		stream; /* table, and stream of the event's own unit; the next one counts */
	uint32_t idle_samples, idle_stream; /* UINT32_MAX: not made yet */
	struct event_counts counts, idle_counts;
	VECTOR(struct throttle) throttles; /* by CPU */
	bool weighed;			   /* each sample has its own period: that may change */
	VECTOR(struct period_change) changes;
};

struct period_change {
	uint64_t time, period; /* CLOCK_MONOTONIC, ns; from then on */
};

/* Counts of samples. */
struct stack_counts {
	uint64_t walked,
		complete; /* with a user stack from a walk; with one that reaches its root */
	uint64_t chains;  /* with a user stack that the kernel found by frame pointers */
	uint64_t ends[UNWIND_ENDS]; /* user stacks, by how they ended */
	uint64_t guessed;	    /* of these, with frames that only frame pointers found */
};

struct sampler {
	struct profile *profile;
	struct processes *processes;
	struct stacks stacks;
	unsigned parts;		       /* enum stack_parts wanted */
	struct cgroup_labels *cgroups; /* for labels of samples; NULL: they have none */
	/* For events that count only in control groups: those. A sample from outside of them is one
	 * of a switch (sampler_switching). NULL: events count everywhere. */
	struct cgroup_bounds *bounds;
	int32_t command;     /* the command's pid, if that is its own group; or 0 */
	bool untimed;	     /* a row stands for as many samples as its values say */
	bool cpu_wide;	     /* events run on CPUs, not with threads: idle ones are sampled too */
	int64_t wall_offset; /* ns from the samples' clock to the wall clock; INT64_MIN: unknown */
	VECTOR(struct sampled_event) events;
	VECTOR(struct sampler_id) ids; /* of the kernel's events */
	struct id_map by_id;

	uint64_t delivered, idle;
	uint64_t walked, complete, chains; /* user stacks: see struct stack_counts */
	uint64_t malformed;    /* records that could not be decoded: never from a kernel */
	uint64_t lost_records; /* of mappings and names, as LOST records say */
	uint64_t first_time, last_time;
};

void sampler_init(struct sampler *s, struct profile *profile, struct processes *processes,
	const struct kernel *kernel, unsigned parts);
void sampler_release(struct sampler *s);

/* How the stacks of all samples so far ended. */
struct stack_counts sampler_stacks(const struct sampler *s);

/* Its index. The streams are made at once, so that their order is that of the events. */
size_t sampler_add_event(struct sampler *s, const char *name, bool clock, uint64_t period);
/* The kernel's id `id` (PERF_FORMAT_ID) means event `event`. */
void sampler_add_id(struct sampler *s, uint64_t id, size_t event);

/* The periods of clocks may change while they sample, so each row gets a value of its own. Call
 * before the first sample. */
void sampler_weigh(struct sampler *s);
/* From `time` on a clock event has this period. */
void sampler_set_period(struct sampler *s, size_t event, uint64_t time, uint64_t period);

/* No more records will come: recording stopped at `time` (ns). */
void sampler_end(struct sampler *s, uint64_t time);

/* Compute what was expected and lost of an event, and store it in its streams. After sampler_end.
 */
void sampler_account(struct sampler *s, size_t event, enum event_counting counting,
	const struct event_totals *totals);

/* Add `count` samples of an event, with thread and stack set; more than one only if `untimed`.
 * False: there is no such event. */
bool sampler_add(
	struct sampler *s, size_t event, const struct sample *sample, bool idle, uint64_t count);
/* How many rows does the event's table have, of idle CPUs or of all others? 0: no such table. */
size_t sampler_rows(const struct sampler *s, size_t event, bool idle);
/* Add `more` samples to a row that was added with this time. */
void sampler_add_to(
	struct sampler *s, size_t event, bool idle, size_t row, uint64_t time, uint64_t more);
/* Rows from this one on may still change. */
void sampler_set_changing(struct sampler *s, size_t event, bool idle, size_t first);
/* Make it the sample of a switch to a recorded thread: another process is still the current one,
 * whose thread and stack say nothing about the switch. */
void sampler_switching(struct sampler *s, struct sample *sample);
/* Apply one record. */
void sampler_record(struct sampler *s, struct bytes bytes, const struct perf_layout *layout);

#endif
