/* handover.h: putting maps into a map of maps without waiting for RCU.
 *
 * After an update of a map of maps the kernel makes the caller wait for an RCU grace period, some
 * ten milliseconds, until no program can still use the old map. Programs see the update at once: so
 * it is done by threads, and nobody waits. */
#ifndef KILN_RECORDERS_UNWIND_HANDOVER_H
#define KILN_RECORDERS_UNWIND_HANDOVER_H

#include "base/memory.h"

#define HANDOVERS_MAX 16 /* at the same time; one more waits for the oldest */

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
