/* crew.c: pieces of work for as many threads as there are CPUs for us. */
#include "base/crew.h"

#include <pthread.h>
#include <sched.h>

struct crew {
	size_t next, count, grab;
	void (*piece)(void *context, size_t i);
	void *context;
};

unsigned crew_cpus(void)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	if (count < 1)
		return 1;
	return (unsigned)count < CREW_LIMIT ? (unsigned)count : CREW_LIMIT;
}

static void *work(void *crew)
{
	struct crew *c = crew;
	size_t first;

	while ((first = __atomic_fetch_add(&c->next, c->grab, __ATOMIC_RELAXED)) < c->count)
		for (size_t i = first; i < first + c->grab && i < c->count; i++)
			c->piece(c->context, i);
	return NULL;
}

void crew_run(size_t count, size_t grab, void (*piece)(void *context, size_t i), void *context)
{
	struct crew crew = {.count = count, .grab = grab, .piece = piece, .context = context};
	pthread_t threads[CREW_LIMIT];
	size_t want = (count + grab - 1) / grab, started = 0;

	if (want > crew_cpus())
		want = crew_cpus();
	while (started + 1 < want && !pthread_create(&threads[started], NULL, work, &crew))
		started++;
	work(&crew);
	while (started)
		pthread_join(threads[--started], NULL);
}
