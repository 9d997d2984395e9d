/* crew.c: independent pieces of work, done by several threads. */
#include "base/crew.h"

#include "base/deadline.h"
#include "base/scope.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct crew {
	atomic_size_t next;
	size_t grab, count;
	void (*piece)(void *context, size_t i);
	void *context;
	struct deadline *deadline; /* of the thread that wants it done */
	struct recovery *starter;
	atomic_bool failed; /* memory ran out in a thread: the others need not go on */
};

unsigned crew_size(size_t most)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);
	size_t size = count > 1 ? (size_t)count : 1;

	if (size > most)
		size = most ? most : 1;
	return size < CREW_LIMIT ? (unsigned)size : CREW_LIMIT;
}

static void take_pieces(void *crew)
{
	struct crew *c = crew;
	size_t first;

	while (!atomic_load_explicit(&c->failed, memory_order_relaxed) &&
		(first = atomic_fetch_add_explicit(&c->next, c->grab, memory_order_relaxed)) <
			c->count)
		for (size_t i = first; i < first + c->grab && i < c->count; i++)
			c->piece(c->context, i);
}

static void work(struct crew *c)
{
	if (!scope_attempt(c->starter, take_pieces, c))
		atomic_store_explicit(&c->failed, true, memory_order_relaxed);
}

static void *help(void *crew)
{
	struct crew *c = crew;

	deadline_enter(c->deadline);
	work(c);
	deadline_leave();
	return NULL;
}

void crew_run(unsigned threads, size_t grab, size_t count, void (*piece)(void *context, size_t i),
	void *context)
{
	struct crew crew = {.grab = grab,
		.count = count,
		.piece = piece,
		.context = context,
		.deadline = deadline_current(),
		.starter = scope_here()};
	pthread_t started[CREW_LIMIT];
	unsigned others = 0;

	while (others + 1 < threads && others < CREW_LIMIT &&
		!pthread_create(&started[others], NULL, help, &crew))
		others++;
	work(&crew);
	while (others)
		pthread_join(started[--others], NULL);
	if (crew.failed)
		scope_fail_again();
}
