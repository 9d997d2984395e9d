/* crew.c: pieces of work where there is one thread. */
#include "base/crew.h"

unsigned crew_size(size_t most)
{
	(void)most;
	return 1;
}

void crew_run(unsigned threads, size_t grab, size_t count, void (*piece)(void *context, size_t i),
	void *context)
{
	(void)threads;
	(void)grab;
	for (size_t i = 0; i < count; i++)
		piece(context, i);
}
