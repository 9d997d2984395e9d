/* first_look.c: who looks at a profile that is still being read? */
#include "server/first_look.h"

void first_look_init(struct first_look *l, pthread_mutex_t *lock)
{
	*l = (struct first_look){.lock = lock};
	pthread_cond_init(&l->changed, NULL);
}

void first_look_release(struct first_look *l)
{
	pthread_cond_destroy(&l->changed);
}

void first_look_begin(
	struct first_look *l, const struct stored_profile *given, const struct file_mark *mark)
{
	l->stored = *given;
	l->mark = *mark;
	l->is_reading = true;
}

/* Only threads that wait now; later ones must not delay the reading thread. */
void first_look_offer(struct first_look *l, const struct profile *so_far)
{
	l->stored.profile = so_far;
	l->offer++;
	l->coming = l->waiting;
	if (l->coming)
		pthread_cond_broadcast(&l->changed);
	while (l->coming || l->looking)
		pthread_cond_wait(&l->changed, l->lock);
}

void first_look_end(struct first_look *l)
{
	l->is_reading = false;
	pthread_cond_broadcast(&l->changed);
	while (l->waiting)
		pthread_cond_wait(&l->changed, l->lock);
}

const struct stored_profile *first_look_take(
	struct first_look *l, const char *name, const struct file_mark *mark)
{
	const uint64_t offer = l->offer;

	if (!l->is_reading || strcmp(l->stored.name, name) || !file_mark_equal(&l->mark, mark))
		return NULL;
	l->waiting++;
	while (l->is_reading && l->offer == offer)
		pthread_cond_wait(&l->changed, l->lock);
	l->waiting--;
	if (l->is_reading) {
		l->coming--;
		l->looking++;
		return &l->stored;
	}
	pthread_cond_broadcast(&l->changed);
	return NULL;
}

void first_look_give(struct first_look *l)
{
	l->looking--;
	pthread_cond_broadcast(&l->changed);
}
