/* relay.c: how do two threads wait for each other, when one fills what the other takes? */
#include "base/relay.h"

#include "base/crew.h"
#include "base/scope.h"

static void take_next(void *relay)
{
	struct relay *r = relay;

	r->done = r->take(r->context, (size_t)(r->taken % r->slots));
}

static void *work(void *relay)
{
	struct relay *r = relay;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		bool goes_on = !r->failed;

		while (r->taken == r->passed && !r->finished)
			pthread_cond_wait(&r->changed, &r->lock);
		if (r->taken == r->passed)
			break;
		pthread_mutex_unlock(&r->lock);
		r->done = false;
		r->exhausted |= goes_on && !scope_attempt(r->starter, take_next, r);
		pthread_mutex_lock(&r->lock);
		r->failed = !r->done;
		r->taken++;
		if (r->passed - r->taken <= r->slots - r->wake)
			pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* The other thread finishes the slot that it works on, and no more. */
static void end_thread(void *relay)
{
	struct relay *r = relay;

	pthread_mutex_lock(&r->lock);
	r->failed = r->finished = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
}

void relay_open(struct relay *r, bool threaded)
{
	r->starter = scope_here();
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->has_thread = threaded && crew_size(2) > 1 && !pthread_create(&r->thread, NULL, work, r);
	if (!r->has_thread)
		r->slots = 1;
	else
		scope_hold_threads(r, end_thread);
}

bool relay_pass(struct relay *r)
{
	bool done;

	if (!r->has_thread) {
		r->failed = r->failed || !r->take(r->context, 0);
		return !r->failed;
	}
	pthread_mutex_lock(&r->lock);
	r->passed++;
	if (r->passed - r->taken >= r->wake)
		pthread_cond_signal(&r->changed);
	while (r->passed - r->taken == r->slots)
		pthread_cond_wait(&r->changed, &r->lock);
	done = !r->failed;
	pthread_mutex_unlock(&r->lock);
	return done;
}

bool relay_close(struct relay *r)
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
	if (r->exhausted)
		scope_fail_again();
	return !r->failed;
}
