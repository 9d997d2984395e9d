/* parallel.c: a pool of threads for independent pieces of work.
 *
 * Threads take pieces from one atomic counter, `batch_size` at a time. Pieces of very different
 * cost balance by themselves, and there is no queue and no lock. The pool lives for one call, so it
 * pays only for work that takes much longer than starting threads.
 *
 * Results must not depend on which thread does a piece: a piece writes only to its own place (an
 * item of an array, a profile of its own), and the caller joins the results in the order of the
 * pieces. So the output is the same for any number of CPUs.
 *
 * A thread works for the caller's deadline (deadline.h) and in the caller's scope (scope.h), so
 * that CPU time is counted and memory that runs out is reported in one place. */
#include "base/parallel.h"

#include "base/deadline.h"
#include "base/scope.h"
#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct parallel_work {
	atomic_size_t next;
	size_t batch_size, count;
	void (*piece)(void *context, size_t i);
	void *context;
	struct deadline *deadline; /* of the caller */
	struct recovery *starter;
	atomic_bool failed; /* memory ran out in a thread: the others stop, too */
};

unsigned parallel_thread_count(size_t limit)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);
	size_t size = count > 1 ? (size_t)count : 1;

	if (size > limit)
		size = limit ? limit : 1;
	return size < PARALLEL_THREADS_LIMIT ? (unsigned)size : PARALLEL_THREADS_LIMIT;
}

static void take_pieces(void *parallel_work)
{
	struct parallel_work *c = parallel_work;
	size_t first;

	while (!atomic_load_explicit(&c->failed, memory_order_relaxed) &&
		(first = atomic_fetch_add_explicit(&c->next, c->batch_size, memory_order_relaxed)) <
			c->count)
		for (size_t i = first; i < first + c->batch_size && i < c->count; i++)
			c->piece(c->context, i);
}

static void work(struct parallel_work *c)
{
	if (!scope_run_thread(c->starter, take_pieces, c))
		atomic_store_explicit(&c->failed, true, memory_order_relaxed);
}

static void *run_in_thread(void *parallel_work)
{
	struct parallel_work *c = parallel_work;

	deadline_enter(c->deadline);
	work(c);
	deadline_leave();
	return NULL;
}

void parallel_run(unsigned threads, size_t batch_size, size_t count,
	void (*piece)(void *context, size_t i), void *context)
{
	struct parallel_work parallel_work = {.batch_size = batch_size,
		.count = count,
		.piece = piece,
		.context = context,
		.deadline = deadline_current(),
		.starter = scope_current()};
	pthread_t started[PARALLEL_THREADS_LIMIT];
	unsigned others = 0;

	while (others + 1 < threads && others < PARALLEL_THREADS_LIMIT &&
		thread_start(&started[others], run_in_thread, &parallel_work))
		others++;
	work(&parallel_work);
	while (others)
		pthread_join(started[--others], NULL);
	if (parallel_work.failed)
		scope_fail_from_thread();
}
