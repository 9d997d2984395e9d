/* partial_profile.c: how do requests use a profile that is still being read? */
#include "server/partial_profile.h"

void partial_profile_init(struct partial_profile *p, pthread_mutex_t *lock)
{
	*p = (struct partial_profile){.lock = lock};
	pthread_cond_init(&p->changed, NULL);
}

void partial_profile_release(struct partial_profile *p)
{
	pthread_cond_destroy(&p->changed);
}

void partial_profile_begin(
	struct partial_profile *p, const struct stored_profile *given, const struct file_mark *mark)
{
	p->stored = *given;
	p->mark = *mark;
	p->is_reading = true;
}

/* Only threads that wait now; later ones must not delay the reading thread. */
void partial_profile_publish(struct partial_profile *p, const struct profile *so_far)
{
	p->stored.profile = so_far;
	p->generation++;
	p->woken = p->waiting;
	if (p->woken)
		pthread_cond_broadcast(&p->changed);
	while (p->woken || p->users)
		pthread_cond_wait(&p->changed, p->lock);
}

void partial_profile_end(struct partial_profile *p)
{
	p->is_reading = false;
	pthread_cond_broadcast(&p->changed);
	while (p->waiting)
		pthread_cond_wait(&p->changed, p->lock);
}

const struct stored_profile *partial_profile_get(
	struct partial_profile *p, const char *name, const struct file_mark *mark)
{
	const uint64_t generation = p->generation;

	if (!p->is_reading || strcmp(p->stored.name, name) || !file_mark_equal(&p->mark, mark))
		return NULL;
	p->waiting++;
	while (p->is_reading && p->generation == generation)
		pthread_cond_wait(&p->changed, p->lock);
	p->waiting--;
	if (p->is_reading) {
		p->woken--;
		p->users++;
		return &p->stored;
	}
	pthread_cond_broadcast(&p->changed);
	return NULL;
}

void partial_profile_put(struct partial_profile *p)
{
	p->users--;
	pthread_cond_broadcast(&p->changed);
}
