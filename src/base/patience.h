/* patience.h: how much time may go into what others have made, for somebody who has more to do?
 *
 * Five seconds, and a sixteenth of the time since the first of it. What takes longer is left out by
 * who asks. `{0}`: nothing was done yet. Parts may lie in others, whose time counts once. */
#ifndef KILN_BASE_PATIENCE_H
#define KILN_BASE_PATIENCE_H

#include "base/clock.h"

#include <stdbool.h>

#define PATIENCE_FIRST (5 * SECOND_NS)
#define PATIENCE_PART  16

struct patience {
	uint64_t first; /* ns instead of five seconds; 0: those */
	uint64_t began, since, spent;
	unsigned depth;
	uint64_t left_out; /* how often there was none left */
};

/* True: the part has begun, and patience_leave is to be called at its end. */
static inline bool patience_enter(struct patience *p)
{
	uint64_t now = monotonic_ns();
	uint64_t spent = p->spent + (p->depth ? now - p->since : 0);

	if (!p->began)
		p->began = now;
	if (spent > (p->first ? p->first : PATIENCE_FIRST) + (now - p->began) / PATIENCE_PART) {
		p->left_out++;
		return false;
	}
	if (!p->depth++)
		p->since = now;
	return true;
}

static inline void patience_leave(struct patience *p)
{
	if (!--p->depth)
		p->spent += monotonic_ns() - p->since;
}

#endif
