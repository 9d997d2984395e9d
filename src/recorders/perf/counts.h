/* counts.h: expected and lost samples of a perf event.
 *
 * expected = delivered + lost (by reason), where expected is the event's own count: its running
 * time over the period for a clock, its value for an event that is sampled at each occurrence. For
 * an event whose period the kernel adapts there is no such count.
 *
 * On a virtual machine a clock event goes on counting while the hypervisor has taken the CPU away;
 * the timer then fires once for all the periods that passed. The program did not run in them, and
 * the scheduler does not charge it for them: they are not expected.
 *
 * Idle CPUs are counted separately: their timers are often late, and a CPU whose tick is off stays
 * throttled for as long as it sleeps. Such losses belong to the idle stream, not to the work. The
 * event's own count is the sum of both streams' expected. */
#ifndef KILN_RECORDERS_PERF_COUNTS_H
#define KILN_RECORDERS_PERF_COUNTS_H

#include "model/profile.h"

enum event_counting {
	COUNT_UNKNOWN, /* the period varies, or the count covers more than what is sampled */
	COUNT_CLOCK,   /* value and running time in ns; a sample each `period` ns */
	COUNT_EACH,    /* a sample for each occurrence */
};

struct event_counts {
	enum event_counting counting;
	uint64_t delivered;    /* samples that came; idle ones have counts of their own */
	uint64_t expected;     /* by the event's own count; 0: unknown */
	uint64_t ring_full;    /* PERF_FORMAT_LOST; without it, LOST records */
	uint64_t map_full;     /* the kernel had no room to count them */
	uint64_t throttled;    /* periods in which the kernel had stopped the event */
	uint64_t missed;       /* the rest: a clock's periods that ended without an interrupt */
	uint64_t lost_records; /* from LOST records, which the kernel writes with the next record
				  that fits */
};

/* The sums over the descriptors of an event. */
struct event_totals {
	uint64_t value, running, lost;
	uint64_t periods; /* of a clock, that ended while it ran; counted for each descriptor */
	uint64_t stolen;  /* ns of the running time that the hypervisor gave to others */
	uint64_t idle; /* ns that the recorded CPUs were idle (/proc/stat); 0: threads were recorded
			*/
	uint64_t map_full;
	uint64_t passed_over; /* periods of a clock without a sample by design */
	bool lost_known;      /* the kernel counts losses (6.0) */
};

/* Compute the expected and missing samples of an event, for busy and for idle CPUs. */
void counts_finish(struct event_counts *work, struct event_counts *idle,
	enum event_counting counting, uint64_t period, const struct event_totals *totals);

/* Write expected, delivered and the losses into a stream of the profile. */
void counts_store(const struct event_counts *c, struct profile *profile, uint32_t stream);

uint64_t counts_lost(const struct event_counts *c);

#endif
