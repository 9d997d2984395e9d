/* slot_queue.h: a bounded queue from one thread to another: one produces, the other consumes, in
 * order. */
#ifndef KILN_BASE_SLOT_QUEUE_H
#define KILN_BASE_SLOT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller owns `slots` places, fills them in a circle and passes each to `consume` by its
 * number. */
struct slot_queue {
	size_t slots; /* 1 when there is no second thread: `consume` then runs in the caller's */
	size_t wake_batch; /* slots to be filled or emptied before a waiting thread is woken, at
			    * least 1
			    */
	bool (*consume)(void *context, size_t slot); /* false: stop; nothing more is wanted */
	void *context;

	/* ---- Private ---- */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows, when there is a second thread */
	pthread_cond_t changed;
	uint64_t pushed, consumed;
	bool finished, failed;

	/* Of the second thread. */
	struct recovery *starter;
	bool done;	    /* what `consume` returned last */
	bool out_of_memory; /* memory ran out in it; slot_queue_close reports that in the caller */
};

/* Bytes of input; with less, a second thread does not pay. */
#define SLOT_QUEUE_MIN_INPUT ((size_t)1 << 20)

/* Call with the first members set. `threaded`: start a second thread if there is a CPU for it;
 * otherwise `slots` becomes 1. */
void slot_queue_open(struct slot_queue *r, bool threaded);

/* The slot to fill next. */
static inline size_t slot_queue_slot(const struct slot_queue *r)
{
	return (size_t)(r->pushed % r->slots);
}

/* The slot is full: hand it over and wait for a free one. False: `consume` returned false, or
 * memory ran out. */
bool slot_queue_push(struct slot_queue *r);

/* Wait until everything has been taken. False: as above. */
bool slot_queue_close(struct slot_queue *r);

#endif
