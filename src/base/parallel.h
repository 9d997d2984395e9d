/* parallel.h: a pool of threads for independent pieces of work. */
#ifndef KILN_BASE_PARALLEL_H
#define KILN_BASE_PARALLEL_H

#include <stddef.h>

#define PARALLEL_THREADS_LIMIT 64u /* threads */

/* How many threads can work at once: the CPUs that this process may use, at least 1, at most
 * `limit` and PARALLEL_THREADS_LIMIT. */
unsigned parallel_thread_count(size_t limit);

/* Call piece(context, i) once for every i below `count`, in up to `threads` threads including
 * the caller's; if some threads cannot be started, the others do all the work. A thread takes
 * `batch_size` pieces at a time, in ascending order. Returns when all pieces are done. When memory
 * runs out in one thread, all of them stop and the caller's allocation fails (scope.h). */
void parallel_run(unsigned threads, size_t batch_size, size_t count,
	void (*piece)(void *context, size_t i), void *context);

#endif
