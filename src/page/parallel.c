/* parallel.c: pieces of work where there is one thread. */
#include "base/parallel.h"

unsigned parallel_thread_count(size_t limit)
{
	(void)limit;
	return 1;
}

void parallel_run(unsigned threads, size_t batch_size, size_t count,
	void (*piece)(void *context, size_t i), void *context)
{
	(void)threads;
	(void)batch_size;
	for (size_t i = 0; i < count; i++)
		piece(context, i);
}
