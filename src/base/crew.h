/* crew.h: independent pieces of work, done by several threads. */
#ifndef KILN_BASE_CREW_H
#define KILN_BASE_CREW_H

#include <stddef.h>

#define CREW_LIMIT 64u /* threads */

/* How many threads can work at once: the CPUs that this process may use, at least 1 and at most
 * `most` (and CREW_LIMIT). */
unsigned crew_size(size_t most);

/* Call piece(context, i) for every i below `count`, each once, in up to `threads` threads, the
 * caller's included; those that cannot be started are done without. A thread takes `grab` pieces at
 * a time, in ascending order. Returns when all are done.
 * Where memory runs out in one, all threads end, and then the caller's allocation fails (scope.h).
 */
void crew_run(unsigned threads, size_t grab, size_t count, void (*piece)(void *context, size_t i),
	void *context);

#endif
