/* relay.h: what one thread makes, another takes, in order and a bounded way behind. */
#ifndef KILN_BASE_RELAY_H
#define KILN_BASE_RELAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller has `slots` places, which are filled one after the other, again and again, and passed
 * to `take` with their number. */
struct relay {
	size_t slots; /* one where there is no other thread: then the caller's own takes it */
	size_t wake;  /* slots to go on with, at least 1: for fewer nobody who waits is woken */
	bool (*take)(void *context, size_t slot); /* false: nothing more is to be taken */
	void *context;

	/* ---- Its own ---- */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows, when there is a thread */
	pthread_cond_t changed;
	uint64_t passed, taken;
	bool finished, failed;

	/* Of the other thread. */
	struct recovery *starter;
	bool done;	/* what `take` said */
	bool exhausted; /* memory ran out in it; the caller learns that in relay_close */
};

/* Bytes of input: another thread is not worth its while for less. */
#define RELAY_LEAST ((size_t)1 << 20)

/* With the first members set. `threaded`: the other thread is wanted, if there is a CPU for it;
 * `slots` becomes 1 without it. */
void relay_open(struct relay *r, bool threaded);

/* The slot that is to be filled. */
static inline size_t relay_slot(const struct relay *r)
{
	return (size_t)(r->passed % r->slots);
}

/* It is full; waits until there is another one. False: `take` has said so. */
bool relay_pass(struct relay *r);

/* Until all that was passed is taken. False: as above. */
bool relay_close(struct relay *r);

#endif
