/* waits.h: names of the reasons for waits, for users and for frames. */
#ifndef KILN_RECORDERS_MODES_WAITS_H
#define KILN_RECORDERS_MODES_WAITS_H

#include "base/buffer.h"

/* The frame of a wait (enum wait_kind, WAIT_IN_...), above the stack: "[sleeping: futex]". */
void wait_frame(struct buffer *ret_text, unsigned kind, unsigned in);

/* The waits that a word of --state selects. */
struct wait_state {
	unsigned kinds; /* bits by enum wait_kind */
	unsigned in;	/* WAIT_IN_FAULT, WAIT_IN_IO, WAIT_IN_CALL and a number; 0: anything */
};
bool wait_state_named(struct bytes word, struct wait_state *ret_state);

#endif
