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

/* Those to read about processes that start later: their mappings in /proc, the mapped files in any
 * mount namespace, and the files that their runtimes write about code. */
capabilities capabilities_to_look(void);
/* Those to create maps for BPF programs, and with `probes` to attach these to later processes. */
capabilities capabilities_for_programs(bool probes);
/* Those to name a file in `folder` (-1: none) and give it to the user who called sudo, and with
 * `command` to end a command that runs as another user by now. */
capabilities capabilities_to_finish(int folder, bool command);

/* Those to remove a control group whose parent only root may write to. */
capabilities capabilities_to_remove(void);

/* Give up all capabilities except `kept`, in all threads. capabilities_raise gets those `at_end`
 * back, for the calling thread and the threads that it starts. Programs that are executed get none.
 * A thread that is in the kernel gives them up when it returns from there. ERR_IO: the calling
 * thread could not. */
bool capabilities_drop(capabilities kept, capabilities at_end, struct error *err);
/* False: a thread could not give them up. */
bool capabilities_dropped(void);
void capabilities_raise(void);

#endif
