/* perf_events.h: where do the samples of each event go?
 *
 * Every event gets a table of samples and the streams that weigh it: by period where perf printed
 * one, and by number; and the same again for idle CPUs. When nobody asks for times, threads or
 * CPUs, a table has one row for each stack. */
#ifndef KILN_READERS_PERF_EVENTS_H
#define KILN_READERS_PERF_EVENTS_H

#include "readers/perf_line.h"
#include "readers/readers.h"

#define PERF_EVENTS_LIMIT 1024u /* different events in one input */

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
};

/* Which row of a table a stack's samples are added to. */
struct perf_cell {
	uint32_t samples, row;
	uint32_t next; /* of the same stack: for another event, or for idle CPUs */
};

struct perf_events {
	struct profile *profile;
	unsigned want; /* enum read_want */
	VECTOR(struct perf_event_kind) kinds;
	size_t last;			/* the kind of the last sample */
	VECTOR(struct perf_cell) cells; /* of tables with a row a stack; cell 0 is none */
	VECTOR(uint32_t) cell_of_stack; /* the first of each stack's */
};

void perf_events_release(struct perf_events *e);
bool perf_events_add(struct perf_events *e, const struct perf_event *event, stack_id stack,
	bool idle, struct error *err);
/* Set what streams say about all of their samples; note that there are several events. */
void perf_events_finish(struct perf_events *e);

#endif
