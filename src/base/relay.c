/* relay.c: who waits for whom, when one thread fills what another takes? */
#include "base/relay.h"

#include "base/crew.h"

static void *work(void *relay)
{
	struct relay *r = relay;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		bool done = !r->failed;

		while (r->taken == r->passed && !r->finished)
			pthread_cond_wait(&r->changed, &r->lock);
		if (r->taken == r->passed)
			break;
		pthread_mutex_unlock(&r->lock);
		done = done && r->take(r->context, (size_t)(r->taken % r->slots));
		pthread_mutex_lock(&r->lock);
		r->failed = !done;
		r->taken++;
		if (r->passed - r->taken <= r->slots - r->wake)
			pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

void relay_open(struct relay *r, bool threaded)
{
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->has_thread = threaded && crew_size(2) > 1 && !pthread_create(&r->thread, NULL, work, r);
	if (!r->has_thread)
		r->slots = 1;
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
		pthread_mutex_lock(&r->lock);
		r->finished = true;
		pthread_cond_signal(&r->changed);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
	}
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	return !r->failed;
}
