/* sampled_time.h: how much time do samples stand for that are only counted?
 *
 * Parca's and OpenTelemetry's profilers write a CPU profile as {"samples","count"} and a period of
 * {"cpu","nanoseconds"}: each sample stands for that time. */
#ifndef KILN_READERS_PPROF_SAMPLED_TIME_H
#define KILN_READERS_PPROF_SAMPLED_TIME_H

#include "model/profile.h"

struct sampled_time {
	struct bytes kind, unit; /* of the period: "cpu" and "nanoseconds"; kept by the caller */
	uint64_t period;
};

/* Add a stream of the time for `stream`, before it: the time is what the profile shows, the number
 * the stream behind it. False: the stream is no count, the period is no time, or a time would
 * overflow; nothing is added. */
bool sampled_time_add(struct profile *p, uint32_t stream, const struct sampled_time *time);

#endif
