/* budget.h: how much of the CPUs may the recorder take, and what does it do about it?
 *
 * Once a second its own CPU time since the last look is held against that of the recorded CPUs.
 * Above the budget the timer is slowed down in proportion; when there has been room for long, it
 * gets faster again, up to what was asked for. */
#ifndef KILN_RECORDERS_BUDGET_H
#define KILN_RECORDERS_BUDGET_H

#include "base/memory.h"
#include "model/profile.h"

#define BUDGET_WHOLE 1000000u /* parts: all of the recorded CPUs */

struct budget {
	uint64_t most;		    /* parts; 0: no limit */
	uint64_t wanted;	    /* Hz */
	uint64_t began, looked;	    /* CLOCK_MONOTONIC, ns */
	uint64_t at_begin, at_look; /* own CPU time by then, ns */
	unsigned calm;		    /* looks in a row that found much room */
	VECTOR(struct budget_step) steps;
};

struct budget_step {
	uint64_t time, frequency; /* CLOCK_MONOTONIC, ns; Hz from then on */
};

/* `spent`: own CPU time so far, ns. */
void budget_begin(
	struct budget *b, uint64_t most, uint64_t frequency, uint64_t now, uint64_t spent);
/* How often to sample from now on, Hz: `frequency`, unless something is to be done. */
uint64_t budget_look(
	struct budget *b, size_t cpus, uint64_t frequency, uint64_t now, uint64_t spent);
/* It does so now. */
void budget_changed(struct budget *b, uint64_t now, uint64_t frequency);
/* Say what it took, and what was done about it. */
void budget_note(
	const struct budget *b, size_t cpus, uint64_t now, uint64_t spent, struct profile *profile);
void budget_release(struct budget *b);

#endif
