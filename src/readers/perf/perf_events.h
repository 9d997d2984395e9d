/* perf_events.h: where do the samples of each event go?
 *
 * Every event gets a table of samples and its streams: one of periods, if samples have them, and
 * one of counts; and the same again for idle CPUs. If times, threads and CPUs are not wanted, a
 * table has one row for each stack. */
#ifndef KILN_READERS_PERF_PERF_EVENTS_H
#define KILN_READERS_PERF_PERF_EVENTS_H

#include "readers/readers.h"

#define PERF_EVENTS_LIMIT 1024u /* different events in one input */

/* A sample that is added. */
struct perf_event_sample {
	struct bytes event; /* its event's name */
	unsigned has;	    /* SAMPLE_THREAD, _TIME, _CPU and _LABELS, as far as wanted */
	stack_id stack;
	thread_id thread;
	uint64_t time;	 /* ns */
	uint64_t period; /* 0: unknown, or 0 */
	label_set_id labels;
	uint16_t cpu; /* or NO_CPU */
	bool idle;    /* of an idle CPU */
};

/* One table of samples, and its streams. */
struct perf_target {
	bool used;
	uint32_t samples, weight, count; /* the table; streams of periods and of counts, which are
					    the same one if samples have no periods */
	int64_t total;
	uint64_t delivered;
};

struct perf_event_kind {
	string_id event;
	bool has_period;
	unsigned has; /* columns: SAMPLE_* */
	struct perf_target busy, idle;
	VECTOR(struct perf_event_loss {
		const char *reason; /* static */
		uint64_t count;
	})
	losses;
};

/* The row to which the samples of a stack are added. */
struct perf_cell {
	int64_t weight, count; /* sums of the samples behind the first, not in the row yet */
	uint32_t samples, row;
	uint32_t next; /* another cell of the same stack, for another table; 0: none */
};

struct perf_events {
	struct profile *profile;
	VECTOR(struct perf_event_kind) kinds;
	size_t last;			 /* the kind of the last sample */
	VECTOR(struct perf_cell) cells;	 /* of tables with one row a stack; cell 0 is unused */
	VECTOR(uint32_t) cell_of_stack;	 /* the first one of each stack */
	uint32_t last_samples, last_row; /* of the last sample with a row of its own */
};

/* The kind and unit of an event's periods: of a clock they are nanoseconds on the CPU, of
 * offcpu-time nanoseconds off it; of any other event they count how often it happened. */
void perf_event_unit(struct bytes event, struct bytes *ret_kind, struct bytes *ret_unit);

void perf_events_release(struct perf_events *e);
bool perf_events_add(
	struct perf_events *e, const struct perf_event_sample *sample, struct error *err);
/* Does every sample of this event get a row of its own, in which its stack can be set later? */
bool perf_events_has_rows(struct perf_events *e, const struct perf_event_sample *sample);
/* Make the streams of an event, even if it will have no samples; `has`: as all of its samples will
 * have it. */
void perf_events_open(struct perf_events *e, struct bytes event, unsigned has, bool has_period);
/* Count lost samples of an event. */
void perf_events_lost(
	struct perf_events *e, struct bytes event, const char *reason, uint64_t count);
/* After the last sample: add the sums of cells to their rows, and set what each stream delivered
 * and lost. */
void perf_events_finish(struct perf_events *e);

#endif
