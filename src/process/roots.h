/* roots.h: which directory is the root of a process's paths?
 *
 * Processes in containers have another root, or other mounts below the same one. The root is
 * held open, because it is needed after the process has ended. */
#ifndef KILN_PROCESS_ROOTS_H
#define KILN_PROCESS_ROOTS_H

#include "base/memory.h"

#include <stdint.h>

/* `{0}` is empty. */
struct roots {
	VECTOR(struct root) rows;
};
void roots_release(struct roots *r);

/* The prefix for paths of a process: "" for our own root, also when the process has ended or
 * must not be inspected. Valid until release. */
const char *roots_of(struct roots *r, int32_t pid);

#endif
