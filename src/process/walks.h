/* walks.h: stack copies of many samples, walked by several threads, delivered in the order of the
 * samples.
 *
 * Records have to be applied in order (processes.h), but walking a stack takes longer than
 * reading its record. So the caller adds each sample with the state at its time (its address
 * space is held by a reference, and spaces are copied when they change), and goes on reading.
 * Threads walk batches of samples meanwhile. The results are delivered in the order of the
 * samples, in the caller's thread: the profile is only written there, and the output is the same
 * for any number of CPUs. If the caller has to wait, it walks as well. `bench/perf_data.sh`: two
 * CPUs are 1.73 times as fast as one. */
#ifndef KILN_PROCESS_WALKS_H
#define KILN_PROCESS_WALKS_H

#include "process/processes.h"
#include "process/unwinder.h"

#define WALK_THREADS_LIMIT 16u

/* A sample and the state when it was taken. */
struct walk_job {
	struct perf_record record; /* what it borrows from lives until delivery */
	const void *event;	   /* the caller's */
	uint64_t period;	   /* the caller's */
	const void *row;	   /* the caller's */
	thread_id thread;
	process_id process;
	struct address_space *space; /* holds a reference; or NULL */
	bool has_copy;		     /* frames are set at delivery */
	struct user_frames frames;
};

struct walks;

struct walks_callbacks {
	/* Called by the thread that calls walks_add and walks_finish, for each sample in the
	 * order of addition; false ends everything, with err. */
	bool (*deliver)(void *context, const struct walk_job *job, struct error *err);
	/* Called by threads that have nothing to walk: prepare what the caller will need for
	 * walks_add. False when there is nothing to do. */
	bool (*prepare)(void *context);
	void *context;
};
struct walks *walks_new(
	const struct arch *arch, struct binaries *binaries, const struct walks_callbacks *calls);
/* Add a sample, which is copied; its address space gets a reference. May deliver earlier
 * samples. */
bool walks_add(struct walks *w, const struct walk_job *job, struct error *err);
/* Deliver all remaining samples. */
bool walks_finish(struct walks *w, struct error *err);
void walks_release(
	struct walks *w); /* NULL is allowed; samples that were not delivered are dropped */

#endif
