/* handover.h: maps put into a map of maps, without waiting for what the kernel waits for.
 *
 * After such a change the kernel lets the caller wait until no program can still use what was there
 * before: some ten milliseconds. Others see the change at once, so threads do the waiting. */
#ifndef KILN_RECORDERS_UNWIND_HANDOVER_H
#define KILN_RECORDERS_UNWIND_HANDOVER_H

#include "base/memory.h"

#define HANDOVERS_MAX 16 /* under way; one more waits for the oldest */

struct handovers {
	VECTOR(struct handover *) items;
};

/* Put maps (`fds`, consumed) at `keys` of the map of maps `outer`, whose slots are empty; programs
 * see them afterwards. */
void handovers_add(
	struct handovers *h, int outer, const uint32_t *keys, const int *fds, uint32_t count);
/* Wait for all of them. */
void handovers_release(struct handovers *h);

#endif
