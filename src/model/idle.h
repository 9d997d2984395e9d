/* idle.h: is a sample of the idle task work or waiting?
 *
 * The idle task ("swapper", pid 0) waits; but the interrupts of a waiting CPU are charged to it
 * as well, and they are work. */
#ifndef KILN_MODEL_IDLE_H
#define KILN_MODEL_IDLE_H

#include "model/profile.h"

/* Is `function`, a function of the kernel, the entry of an interrupt, or work that the idle loop
 * does for others? Names of x86, arm64 and Xen, from Linux 3.10 to 6.17. */
bool idle_is_interrupted_by(struct bytes function);

/* Given a stack of the idle task: true unless one of its frames is such a function. */
bool stack_is_idle(const struct profile *p, stack_id stack);

#endif
