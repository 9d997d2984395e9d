/* crew.h: pieces of work for as many threads as there are CPUs for us. */
#ifndef KILN_BASE_CREW_H
#define KILN_BASE_CREW_H

#include <stddef.h>

#define CREW_LIMIT 16u /* threads */

/* CPUs that this process may use, at most CREW_LIMIT. */
unsigned crew_cpus(void);

/* Do pieces 0 to count - 1, each once, in any order and at the same time; returns when all are
 * done. A thread takes `grab` pieces at once. The caller's thread takes its share: threads that
 * cannot be started are done without. */
void crew_run(size_t count, size_t grab, void (*piece)(void *context, size_t i), void *context);

#endif
