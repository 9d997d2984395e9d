/* budget.h: keeping the recorder's own CPU time below a limit (--max-overhead).
 *
 * Once a second, its CPU time since the last check is compared with that of the recorded CPUs.
 * Above the limit, the frequency of the timer is lowered in proportion; after several checks with
 * much room, it is doubled, up to the frequency that was requested. */
#ifndef KILN_RECORDERS_BUDGET_H
#define KILN_RECORDERS_BUDGET_H

#include "base/memory.h"
#include "model/profile.h"

#define BUDGET_WHOLE 1000000u /* parts: all of the recorded CPUs */

struct budget {
	uint64_t most;		      /* parts; 0: no limit */
	uint64_t requested;	      /* Hz */
	uint64_t began, updated;      /* CLOCK_MONOTONIC, ns */
	uint64_t at_begin, at_update; /* own CPU time by then, ns */
	unsigned calm;		      /* updates in a row that found much room */
	VECTOR(struct budget_step) steps;
};

struct budget_step {
	uint64_t time, frequency; /* CLOCK_MONOTONIC, ns; Hz from then on */
};

/* `spent`: own CPU time so far, ns. */
void budget_begin(
	struct budget *b, uint64_t most, uint64_t frequency, uint64_t now, uint64_t spent);
/* The frequency from now on, Hz; now it is `frequency`. */
uint64_t budget_update(
	struct budget *b, size_t cpus, uint64_t frequency, uint64_t now, uint64_t spent);
/* The frequency was set. */
void budget_changed(struct budget *b, uint64_t now, uint64_t frequency);
/* Note in the profile what the recorder took, and how the frequency was changed. */
void budget_note(
	const struct budget *b, size_t cpus, uint64_t now, uint64_t spent, struct profile *profile);
void budget_release(struct budget *b);

#endif
