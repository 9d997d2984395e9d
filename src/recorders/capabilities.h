/* capabilities.h: what may the recorder still do, once everything is attached? */
#ifndef KILN_RECORDERS_CAPABILITIES_H
#define KILN_RECORDERS_CAPABILITIES_H

#include "base/error.h"

#include <stdint.h>

/* Sets of capabilities, a bit each (linux/capability.h). */
typedef uint64_t capabilities;
#define CAPABILITY(number) ((capabilities)1 << (number))

/* Is it effective? True if that cannot be found out: then the kernel decides. */
bool capability_held(unsigned number);

/* Of processes that come later: what they map, the files behind it in whatever mount namespace, the
 * maps that their runtimes write. */
capabilities capabilities_to_look(void);
/* Making maps for programs in the kernel, and (`probes`) putting these into later processes. */
capabilities capabilities_for_programs(bool probes);
/* Naming a file in `folder` (-1: nowhere) and giving it to who called sudo; ending a command that
 * is another user's by now. */
capabilities capabilities_to_finish(int folder, bool command);

/* Removing a control group, as one in the outermost, which nobody may write to. */
capabilities capabilities_to_remove(void);

/* Give up all others, in all threads: those `at_end` can be had back by capabilities_raise, which
 * is for the calling thread and those it starts. Programs that are executed get none. A thread that
 * is in the kernel follows when it comes back. ERR_IO: this one could not. */
bool capabilities_drop(capabilities kept, capabilities at_end, struct error *err);
/* Could all that have come back? */
bool capabilities_dropped(void);
void capabilities_raise(void);

#endif
