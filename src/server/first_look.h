/* first_look.h: lets requests use a profile that is still being read.
 *
 * The heat map needs times of samples and no stacks, so it need not wait for the whole file. The
 * reading thread offers the profile from time to time, and does not touch it while others look at
 * it. All functions are called with the owner's lock held. */
#ifndef KILN_SERVER_FIRST_LOOK_H
#define KILN_SERVER_FIRST_LOOK_H

#include "answers/profile_store.h"
#include "server/folder.h"

#include <pthread.h>

struct first_look {
	struct stored_profile stored; /* what first_look_take returns */
	struct file_mark mark;
	bool is_reading;
	uint64_t offer; /* number of the current offer */
	unsigned waiting, coming,
		looking; /* threads: waiting for an offer; woken for this one; looking at it */
	pthread_mutex_t *lock;
	pthread_cond_t changed;
};
void first_look_init(struct first_look *l, pthread_mutex_t *lock);
void first_look_release(struct first_look *l);

/* For the reading thread, one at a time. `given`: as it will be once it is read. The lock is
 * released while others look. */
void first_look_begin(
	struct first_look *l, const struct stored_profile *given, const struct file_mark *mark);
void first_look_offer(struct first_look *l, const struct profile *so_far);
void first_look_end(struct first_look *l);

/* Wait until the file with this mark, which is being read, can be looked at. Give it back with
 * first_look_give. NULL: it is not being read any more: use the whole profile, or its error. */
const struct stored_profile *first_look_take(
	struct first_look *l, const char *name, const struct file_mark *mark);
void first_look_give(struct first_look *l);

#endif
