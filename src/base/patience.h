/* patience.h: how much time may a recorder spend on reading files of recorded programs?
 *
 * Their mappings, binaries and files about code may be large without limit, and a recorder has to
 * drain its rings meanwhile. All such work together may take five seconds, and a sixteenth of the
 * time since its beginning. A caller asks before each piece of work (patience_enter), and leaves
 * the piece out when the time is used up. Pieces may be nested: their time counts once. `{0}`:
 * nothing was done yet. */
#ifndef KILN_BASE_PATIENCE_H
#define KILN_BASE_PATIENCE_H

#include "base/clock.h"

#include <stdbool.h>

#define PATIENCE_FIRST (5 * SECOND_NS)
#define PATIENCE_PART  16

struct patience {
	uint64_t first;	   /* ns; 0: PATIENCE_FIRST */
	uint64_t began;	   /* when the first piece began: CLOCK_MONOTONIC, ns */
	uint64_t since;	   /* when the current piece, the outermost one, began */
	uint64_t spent;	   /* ns, in pieces that have ended */
	unsigned depth;	   /* of nested pieces that have begun */
	uint64_t left_out; /* pieces for which no time was left */
};

/* True: the piece has begun, and patience_leave has to be called at its end. False: leave it out.
 */
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
