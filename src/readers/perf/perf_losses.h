/* perf_losses.h: which samples of a perf recording did not come, and why? */
#ifndef KILN_READERS_PERF_PERF_LOSSES_H
#define KILN_READERS_PERF_PERF_LOSSES_H

#include "process/perf_file.h"
#include "readers/perf/perf_events.h"

/* `{0}`: none. */
struct perf_losses {
	VECTOR(struct perf_loss) rows;
	VECTOR(struct perf_stopped) stopped;
};
void perf_losses_release(struct perf_losses *l);

/* Take in LOST, LOST_SAMPLES, THROTTLE and UNTHROTTLE of an event; others are left alone. */
void perf_losses_add(struct perf_losses *l, const struct perf_file_event *event,
	const struct perf_record *record);

/* When all records have been seen, the last one at `time`: tell the events. */
void perf_losses_finish(struct perf_losses *l, uint64_t time, struct perf_events *events);

#endif
