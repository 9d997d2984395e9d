/* partial_profile.h: lets requests use a profile that is still being read.
 *
 * The heat map needs times of samples and no stacks, so it need not wait for the whole file. The
 * reading thread publishes the profile from time to time, and does not touch it while other threads
 * use it. All functions are called with the owner's lock held. */
#ifndef KILN_SERVER_PARTIAL_PROFILE_H
#define KILN_SERVER_PARTIAL_PROFILE_H

#include "answers/profile_store.h"
#include "server/folder.h"

#include <pthread.h>

struct partial_profile {
	struct stored_profile stored; /* what partial_profile_get returns */
	struct file_mark mark;
	bool is_reading;
	uint64_t generation; /* counts calls of partial_profile_publish */
	unsigned waiting, woken,
		users; /* threads: waiting for the next one; woken for it; using it */
	pthread_mutex_t *lock;
	pthread_cond_t changed;
};
void partial_profile_init(struct partial_profile *p, pthread_mutex_t *lock);
void partial_profile_release(struct partial_profile *p);

/* For the reading thread, one at a time. `given`: the stored profile that it fills.
 * partial_profile_publish releases the lock while others use the profile. */
void partial_profile_begin(struct partial_profile *p, const struct stored_profile *given,
	const struct file_mark *mark);
void partial_profile_publish(struct partial_profile *p, const struct profile *so_far);
void partial_profile_end(struct partial_profile *p);

/* Wait until the file with this mark, which is being read, can be used. Return it with
 * partial_profile_put. NULL: it is not being read any more: use the whole profile, or its error. */
const struct stored_profile *partial_profile_get(
	struct partial_profile *p, const char *name, const struct file_mark *mark);
void partial_profile_put(struct partial_profile *p);

#endif
