/* crew.c: a pool of threads for independent pieces of work.
 *
 * Threads take pieces from one atomic counter, `grab` at a time. Pieces of very different cost
 * balance by themselves, and there is no queue and no lock. The pool lives for one call, so it pays
 * only for work that takes much longer than starting threads.
 *
 * Results must not depend on which thread does a piece: a piece writes only to its own place (an
 * item of an array, a profile of its own), and the caller joins the results in the order of the
 * pieces. So the output is the same for any number of CPUs.
 *
 * A thread works for the caller's deadline (deadline.h) and in the caller's scope (scope.h), so
 * that CPU time is counted and memory that runs out is reported in one place. */
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
	struct deadline *deadline; /* of the caller */
	struct recovery *starter;
	atomic_bool failed; /* memory ran out in a thread: the others stop, too */
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
