/* deadline.h: how much CPU time may a piece of work take, and is the process stopping?
 *
 * A thread that works under a deadline calls deadline_passed in its long loops and leaves them
 * early. The incomplete result is discarded by the caller, which calls deadline_check. Threads
 * without a deadline (commands) are never told to stop. */
#ifndef KILN_BASE_DEADLINE_H
#define KILN_BASE_DEADLINE_H

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct deadline {
	uint64_t limit;		 /* ns of CPU time of all threads together; 0: none */
	_Atomic uint64_t used;	 /* ns, as far as threads have added their time */
	atomic_bool is_exceeded; /* work was cut short because of the limit */
};

/* From here on, this thread works under `d`, until deadline_leave. NULL: no deadline. */
void deadline_enter(struct deadline *d);
/* End work under the deadline, and return it (NULL: there was none). CPU time after this call is
 * not counted. */
struct deadline *deadline_leave(void);
/* This thread's deadline, to hand it to other threads. */
struct deadline *deadline_current(void);

/* Is it time to stop? Cheap enough for every few thousand iterations of a loop. */
bool deadline_passed(void);
/* Call at the end of a stage of work. False, with ERR_LIMIT, if the deadline has passed. */
bool deadline_check(struct error *err);

/* From now on every deadline has passed: the process is stopping. */
void deadline_stop_all(void);

/* For long loops: adds `more` iterations to *steps and calls deadline_passed once in a while. */
#define DEADLINE_STEPS 16384u
static inline bool deadline_passed_after(size_t *steps, size_t more)
{
	*steps += more;
	if (*steps < DEADLINE_STEPS)
		return false;
	*steps = 0;
	return deadline_passed();
}

#endif
