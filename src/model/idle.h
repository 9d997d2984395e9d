/* idle.h: which samples are of idle CPUs, and which streams have their values?
 *
 * The idle task ("swapper", pid 0) waits; but the interrupts of a waiting CPU are charged to it
 * as well, and they are work. */
#ifndef KILN_MODEL_IDLE_H
#define KILN_MODEL_IDLE_H

#include "model/profile.h"

/* Is `function`, a function of the kernel, the entry of an interrupt, or of other work on an idle
 * CPU? Names of x86, arm64 and Xen, from Linux 3.10 to 6.17. */
bool idle_is_interrupted_by(struct bytes function);

/* Given a stack of the idle task: true unless one of its frames is such a function. */
bool stack_is_idle(const struct profile *p, stack_id stack);

/* The values of idle CPUs are a stream of their own for each stream of the others, and mostly in a
 * table of their own. The kind begins with "idle": "idle", or "idle samples" for what only counts
 * them. */
bool stream_is_idle(const struct profile *p, size_t stream);
/* Does `idle`, such a stream, have the values of idle CPUs for `busy`? They have the same event and
 * unit; where a table has several of these, the first belongs to the first, and so on. */
bool stream_is_idle_of(const struct profile *p, size_t idle, size_t busy);

#endif
