/* idle.h: is a sample of the idle task work or waiting?
 *
 * The idle task ("swapper", pid 0) waits; but what interrupts a waiting CPU is charged to it as
 * well, and that is work. */
#ifndef KILN_MODEL_IDLE_H
#define KILN_MODEL_IDLE_H

#include "model/profile.h"

/* Is `function` (a kernel function's name) the way into an interrupt, or work that the idle loop
 * does for others? Names of x86, arm64 and Xen, from Linux 3.10 to 6.17. */
bool idle_is_broken_by(struct bytes function);

/* Given a stack of the idle task: true unless a named frame of it breaks the waiting. */
bool stack_is_idle(const struct profile *p, stack_id stack);

#endif
