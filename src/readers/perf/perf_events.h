/* perf_events.h: where do the samples of each event go?
 *
 * Every event gets a table of samples and the streams that weigh it: by period where perf printed
 * one, and by number; and the same again for idle CPUs. When nobody asks for times, threads or
 * CPUs, a table has one row for each stack. */
#ifndef KILN_READERS_PERF_PERF_EVENTS_H
#define KILN_READERS_PERF_PERF_EVENTS_H

#include "readers/readers.h"

#define PERF_EVENTS_LIMIT 1024u /* different events in one input */

/* What perf says of one sample. */
struct perf_event_sample {
	struct bytes event; /* its event's name */
	unsigned has;	    /* SAMPLE_THREAD, _TIME, _CPU and _LABELS, as far as wanted */
	stack_id stack;
	thread_id thread;
	uint64_t time;	 /* ns */
	uint64_t period; /* 0: not told, or 0 */
	label_set_id labels;
	uint16_t cpu; /* or NO_CPU */
	bool idle;    /* an idle CPU's */
};

/* One table of samples, and its streams. */
struct perf_target {
	bool used;
	uint32_t samples, weight, count; /* weight == count when perf printed no periods */
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

/* Which row of a table a stack's samples are added to. */
struct perf_cell {
	int64_t weight, count; /* behind those of the first sample, not in the row yet */
	uint32_t samples, row;
	uint32_t next; /* of the same stack: for another event, or for idle CPUs */
};

struct perf_events {
	struct profile *profile;
	VECTOR(struct perf_event_kind) kinds;
	size_t last;			 /* the kind of the last sample */
	VECTOR(struct perf_cell) cells;	 /* of tables with a row a stack; cell 0 is none */
	VECTOR(uint32_t) cell_of_stack;	 /* the first of each stack's */
	uint32_t last_samples, last_row; /* where the last sample went that has a row of its own */
};

/* What an event's periods are: those of clocks are nanoseconds on the CPU; others count what the
 * event is named after. */
void perf_event_unit(struct bytes event, struct bytes *ret_kind, struct bytes *ret_unit);

void perf_events_release(struct perf_events *e);
bool perf_events_add(
	struct perf_events *e, const struct perf_event_sample *sample, struct error *err);
/* Does every sample of this event get a row of its own, in which its stack can be set later? */
bool perf_events_has_rows(struct perf_events *e, const struct perf_event_sample *sample);
/* An event that is there even if it has no samples; `has` as all of its samples will have it. */
void perf_events_open(struct perf_events *e, struct bytes event, unsigned has, bool has_period);
/* Samples of an event that did not come. */
void perf_events_lost(
	struct perf_events *e, struct bytes event, const char *reason, uint64_t count);
/* Set what streams say about all of their samples. */
void perf_events_finish(struct perf_events *e);

#endif
