/* walks.h: stack copies of many samples, walked by several threads, delivered in the order of the
 * samples.
 *
 * Whoever reads a recording adds samples as they come, with what is known at their time, and goes
 * on; batches of them are walked meanwhile. The caller's thread walks too when it would have to
 * wait. Walks do not touch the profile or the processes: address spaces are held as they were. */
#ifndef KILN_PROCESS_WALKS_H
#define KILN_PROCESS_WALKS_H

#include "process/processes.h"
#include "process/unwinder.h"

#define WALK_THREADS_LIMIT 16u

/* A sample, as it was when it was taken. */
struct walk_job {
	struct perf_record record; /* what it borrows from lives until it is delivered */
	const void *event;	   /* the caller's */
	uint64_t period;	   /* the caller's */
	const void *row;	   /* the caller's */
	thread_id thread;
	process_id process;
	struct address_space *space; /* held by a reference; or NULL */
	bool has_copy;		     /* frames are set when it is delivered */
	struct user_frames frames;
};

struct walks;

struct walks_calls {
	/* Called by the thread that calls walks_add and walks_finish, for each sample in the order
	 * in which they were added; false ends everything, with err. */
	bool (*deliver)(void *context, const struct walk_job *job, struct error *err);
	/* Called by threads that have nothing to walk: prepare what walks_add will be called with.
	 * False when there is nothing to do. */
	bool (*prepare)(void *context);
	void *context;
};
struct walks *walks_new(
	const struct arch *arch, struct binaries *binaries, const struct walks_calls *calls);
/* Add a sample; it is copied, and its address space gets a reference. May deliver earlier ones. */
bool walks_add(struct walks *w, const struct walk_job *job, struct error *err);
/* Deliver all that have been added. */
bool walks_finish(struct walks *w, struct error *err);
void walks_release(struct walks *w); /* NULL is fine; what is not delivered is dropped */

#endif
