/* first_look.h: who looks at a profile that is still being read?
 *
 * Whoever asks when samples were need not wait for their stacks. Who reads offers the profile again
 * and again, and does not touch it while others look. All functions are called with the lock of
 * whoever has this one. */
#ifndef KILN_SERVER_FIRST_LOOK_H
#define KILN_SERVER_FIRST_LOOK_H

#include <pthread.h>

#include "answers/shelf.h"
#include "server/folder.h"

struct first_look {
	struct shelf_profile given; /* what those who look have is this */
	struct file_mark mark;
	bool is_reading;
	uint64_t offer;			   /* its number */
	unsigned waiting, coming, looking; /* how many: for an offer, of them to this one, at it */
	pthread_mutex_t *lock;
	pthread_cond_t changed;
};
void first_look_init(struct first_look *l, pthread_mutex_t *lock);
void first_look_release(struct first_look *l);

/* For who reads: one at a time. `given`: as it will be when it has been read. The lock is let go
 * while others look. */
void first_look_begin(
	struct first_look *l, const struct shelf_profile *given, const struct file_mark *mark);
void first_look_offer(struct first_look *l, const struct profile *so_far);
void first_look_end(struct first_look *l);

/* Of a file with this mark, which is being read: wait until there is something to be seen. To be
 * given back. NULL: it is not being read, or no longer: then there is all of it, or an error. */
const struct shelf_profile *first_look_take(
	struct first_look *l, const char *name, const struct file_mark *mark);
void first_look_give(struct first_look *l);

#endif
