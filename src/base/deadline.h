/* deadline.h: how much CPU time may a piece of work take, and is the process stopping?
 *
 * A thread that works for a deadline asks deadline_passed in its long loops and ends them early;
 * what it has made by then is dropped by whoever calls deadline_check. Threads that work for none
 * (commands) are never told to stop. */
#ifndef KILN_BASE_DEADLINE_H
#define KILN_BASE_DEADLINE_H

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct deadline {
	uint64_t limit;		 /* ns of CPU time of all threads together; 0: none */
	_Atomic uint64_t used;	 /* ns, as far as they have been added up */
	atomic_bool is_exceeded; /* work was cut short because of the limit */
};

/* This thread works for `d` from here on, until deadline_leave. NULL: for none. */
void deadline_enter(struct deadline *d);
/* What this thread worked for (NULL: none); what it does next is not counted. */
struct deadline *deadline_leave(void);
/* What this thread works for, to hand it to other threads. */
struct deadline *deadline_current(void);

/* Is it time to stop? Cheap enough for every few thousand steps of a loop. */
bool deadline_passed(void);
/* The same as an error (ERR_LIMIT), at the end of a stage of work. */
bool deadline_check(struct error *err);

/* From now on every deadline has passed: the process is stopping. */
void deadline_stop_all(void);

/* For long loops, which take `more` steps since they asked last and count them in *steps. */
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
