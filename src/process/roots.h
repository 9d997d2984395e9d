/* roots.h: in which directory do the paths of a process mean what they mean to it?
 *
 * Processes in containers have another root, or other mounts below the same one. It is held open,
 * because it has to outlive the process. */
#ifndef KILN_PROCESS_ROOTS_H
#define KILN_PROCESS_ROOTS_H

#include "base/memory.h"

#include <stdint.h>

/* `{0}` is empty. */
struct roots {
	VECTOR(struct root) rows;
};
void roots_release(struct roots *r);

/* What to put in front of the paths of a process: "" for ours, also when it is gone or may not be
 * looked at. Lives until release. */
const char *roots_of(struct roots *r, int32_t pid);

#endif
