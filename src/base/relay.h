/* relay.h: a bounded queue from one thread to another: one produces, the other consumes, in
 * order. */
#ifndef KILN_BASE_RELAY_H
#define KILN_BASE_RELAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller owns `slots` places, fills them in a circle and passes each to `take` by its
 * number. */
struct relay {
	size_t slots; /* 1 when there is no second thread: `take` then runs in the caller's */
	size_t wake;  /* slots to be filled or emptied before a waiting thread is woken, at least 1
		       */
	bool (*take)(void *context, size_t slot); /* false: stop; nothing more is wanted */
	void *context;

	/* ---- Private ---- */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows, when there is a second thread */
	pthread_cond_t changed;
	uint64_t passed, taken;
	bool finished, failed;

	/* Of the second thread. */
	struct recovery *starter;
	bool done;	/* `take` returned false */
	bool exhausted; /* memory ran out in it; relay_close reports that in the caller */
};

/* Bytes of input; a second thread does not pay for less. */
#define RELAY_LEAST ((size_t)1 << 20)

/* Call with the first members set. `threaded`: start a second thread if there is a CPU for it;
 * otherwise `slots` becomes 1. */
void relay_open(struct relay *r, bool threaded);

/* The slot to fill next. */
static inline size_t relay_slot(const struct relay *r)
{
	return (size_t)(r->passed % r->slots);
}

/* The slot is full: hand it over and wait for a free one. False: `take` returned false. */
bool relay_pass(struct relay *r);

/* Wait until everything has been taken. False: as above. */
bool relay_close(struct relay *r);

#endif
