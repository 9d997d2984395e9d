/* slot_queue.c: how do the producing and the consuming thread of a queue wait for each other? */
#include "base/slot_queue.h"

#include "base/parallel.h"
#include "base/scope.h"
#include "base/thread.h"

static void take_next(void *slot_queue)
{
	struct slot_queue *r = slot_queue;

	r->done = r->consume(r->context, (size_t)(r->consumed % r->slots));
}

static void *work(void *slot_queue)
{
	struct slot_queue *r = slot_queue;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		bool goes_on = !r->failed;

		while (r->consumed == r->pushed && !r->finished)
			pthread_cond_wait(&r->changed, &r->lock);
		if (r->consumed == r->pushed)
			break;
		pthread_mutex_unlock(&r->lock);
		r->done = false;
		r->out_of_memory |= goes_on && !scope_run_thread(r->starter, take_next, r);
		pthread_mutex_lock(&r->lock);
		r->failed = !r->done;
		r->consumed++;
		if (r->pushed - r->consumed <= r->slots - r->wake_batch)
			pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* The other thread finishes the slot that it works on, and no more. */
static void end_thread(void *slot_queue)
{
	struct slot_queue *r = slot_queue;

	pthread_mutex_lock(&r->lock);
	r->failed = r->finished = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
}

void slot_queue_open(struct slot_queue *r, bool threaded)
{
	r->starter = scope_current();
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->has_thread =
		threaded && parallel_thread_count(2) > 1 && thread_start(&r->thread, work, r);
	if (!r->has_thread)
		r->slots = 1;
	else
		scope_hold_threads(r, end_thread);
}

bool slot_queue_push(struct slot_queue *r)
{
	bool done;

	if (!r->has_thread) {
		r->failed = r->failed || !r->consume(r->context, 0);
		return !r->failed;
	}
	pthread_mutex_lock(&r->lock);
	r->pushed++;
	if (r->pushed - r->consumed >= r->wake_batch)
		pthread_cond_signal(&r->changed);
	while (r->pushed - r->consumed == r->slots)
		pthread_cond_wait(&r->changed, &r->lock);
	done = !r->failed;
	pthread_mutex_unlock(&r->lock);
	return done;
}

bool slot_queue_close(struct slot_queue *r)
{
	if (r->has_thread) {
		scope_drop(r);
		pthread_mutex_lock(&r->lock);
		r->finished = true;
		pthread_cond_signal(&r->changed);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
	}
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	if (r->out_of_memory)
		scope_fail_from_thread();
	return !r->failed;
}
